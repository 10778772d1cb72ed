internal import JOSE

extension Bulla {
    /// The line of `bulla --version` that reports which implementation verifies signatures on this machine.
    static var implementations: String {
        let rows = [("RSA", SignatureAlgorithm.rs256), ("ES256", SignatureAlgorithm.es256)].map { name, algorithm in
            let one = algorithm.verificationImplementation.rawValue
            let many = algorithm.batchVerificationImplementation.rawValue
            return "\(name) \(one), in batches \(many); "
        }
        return "signature verification: \(rows.joined())others \(VerificationImplementation.library.rawValue)"
    }
}
