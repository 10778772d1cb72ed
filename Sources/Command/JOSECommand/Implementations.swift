internal import JOSE

extension Bulla {
    /// The line of `bulla --version` that reports which implementation verifies signatures on this machine.
    static var implementations: String {
        let algorithms: [(String, SignatureAlgorithm)] = [("RSA", .rs256), ("ES256", .es256), ("Ed25519", .ed25519)]
        let rows = algorithms.map { name, algorithm in
            let one = algorithm.verificationImplementation.rawValue
            let many = algorithm.batchVerificationImplementation.rawValue
            return "\(name) \(one), in batches \(many); "
        }
        return "signature verification: \(rows.joined())others \(VerificationImplementation.library.rawValue)"
    }
}
