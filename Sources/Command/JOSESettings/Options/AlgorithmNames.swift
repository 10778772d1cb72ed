package import JOSE

/// Looks up algorithms by the names that the command line and `check` use.
package enum AlgorithmNames {
    /// The values of `kty` that the loaded OpenSSL is too old for.
    package static let unbuiltKeyTypes: Set<String> = SignatureAlgorithm.mlDSA44.isAvailable ? [] : ["AKP"]

    package static func signature(_ names: [String]) throws(CommandFailure) -> [SignatureAlgorithm] {
        try read(names, "alg", SignatureAlgorithm.all.map(\.name), SignatureAlgorithm.init(name:))
    }

    package static func keyManagement(_ names: [String]) throws(CommandFailure) -> [KeyManagementAlgorithm] {
        try read(names, "key-alg", KeyManagementAlgorithm.all.map(\.name), KeyManagementAlgorithm.init(name:))
    }

    package static func contentEncryption(_ names: [String]) throws(CommandFailure) -> [ContentEncryption] {
        try read(names, "enc", ContentEncryption.all.map(\.name), ContentEncryption.init(name:))
    }

    private static func read<Algorithm>(
        _ names: [String], _ option: String, _ known: [String], _ make: (String) -> Algorithm?
    ) throws(CommandFailure) -> [Algorithm] {
        try names.map { (name) throws(CommandFailure) in
            guard let algorithm = make(name) else {
                let reason =
                    switch name {
                    case "none": "'none' is not supported"
                    case "RSA1_5":
                        "'RSA1_5' is broken and can only be decrypted; give --allow-broken-rsa1_5 to allow that"
                    default: "unknown algorithm '\(name)'" + Suggestion.hint(for: name, among: known)
                    }
                throw .usage("--\(option): \(reason)")
            }
            return algorithm
        }
    }
}
