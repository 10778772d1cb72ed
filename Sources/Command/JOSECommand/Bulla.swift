internal import JOSE

extension Bulla {
    /// The lines of `bulla --version` that report which implementation verifies signatures on this machine, and which
    /// one computes private RSA operations.
    static var implementations: String {
        let algorithms: [(String, SignatureAlgorithm)] = [("RSA", .rs256), ("ES256", .es256), ("Ed25519", .ed25519)]
        let rows = algorithms.map { name, algorithm in
            let one = algorithm.verificationImplementation.rawValue
            let many = algorithm.batchVerificationImplementation.rawValue
            return "\(name) \(one), in batches \(many); "
        }
        let chosen: PrivateKeyOperations = PrivateKeyOperations.vectorized.isAvailable ? .vectorized : .libcrypto
        return """
            signature verification: \(rows.joined())others \(VerificationImplementation.library.rawValue)
            private RSA keys: \(PrivateKeyOperations.libcrypto.rawValue), with --vectorized-private-keys \(chosen.rawValue)
            """
    }
}
