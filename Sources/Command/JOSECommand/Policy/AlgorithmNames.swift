import JOSE

/// Algorithms by name, as the command line and `check` give them.
enum AlgorithmNames {
    /// Values of `kty` for which the OpenSSL that was loaded is too old.
    static let unbuiltKeyTypes: Set<String> = SignatureAlgorithm.mlDSA44.isAvailable ? [] : ["AKP"]

    static func signature(_ names: [String]) throws(CommandFailure) -> [SignatureAlgorithm] {
        try read(names, "alg", SignatureAlgorithm.all.map(\.name), SignatureAlgorithm.init(name:))
    }

    static func keyManagement(_ names: [String]) throws(CommandFailure) -> [KeyManagementAlgorithm] {
        try read(names, "key-alg", KeyManagementAlgorithm.all.map(\.name), KeyManagementAlgorithm.init(name:))
    }

    static func contentEncryption(_ names: [String]) throws(CommandFailure) -> [ContentEncryption] {
        try read(names, "enc", ContentEncryption.all.map(\.name), ContentEncryption.init(name:))
    }

    private static func read<Algorithm>(
        _ names: [String], _ option: String, _ known: [String], _ make: (String) -> Algorithm?
    ) throws(CommandFailure) -> [Algorithm] {
        var algorithms: [Algorithm] = []
        for name in names {
            guard let algorithm = make(name) else {
                let reason =
                    switch name {
                    case "none": "'none' is no algorithm here"
                    case "RSA1_5": "'RSA1_5' is broken and makes nothing; to decrypt it, say --allow-broken-rsa1_5"
                    default: "no algorithm '\(name)'" + Suggestion.hint(for: name, among: known)
                    }
                throw .usage("--\(option): \(reason)")
            }
            algorithms.append(algorithm)
        }
        return algorithms
    }
}
