import JOSECrypto
import Testing

extension VectorEvaluator {
    /// Verifies a signature, also by the batch kernels if they cover the key: their result must be equal, for any number of
    /// signatures.
    static func verify(
        _ test: Case, _ scheme: SignatureScheme, _ key: AsymmetricKey, _ message: [UInt8], _ signature: [UInt8]
    ) throws {
        let held = Result { try key.verify(scheme, message.span, signature: signature.span) }
        if let answers = try lanes(scheme, key, message, signature, count: 1 + test.id % 9) {
            let isValid = if case .success = held { true } else { false }
            let differing = answers.filter { $0 != .notCovered && $0 != (isValid ? .valid : .invalid) }
            #expect(differing.isEmpty, "\(test.id), in lanes: \(test.comment)")
        }
        try held.get()
    }

    private static func lanes(
        _ scheme: SignatureScheme, _ key: AsymmetricKey, _ message: [UInt8], _ signature: [UInt8], count: Int
    ) throws -> [KernelResult]? {
        guard let hash = scheme.batchHash, signature.count == key.signatureCount, let kernelKey = KernelKey(key) else {
            return nil
        }
        let digest = try hash.digest(message.span)
        let digests = [UInt8]((0..<count).map { _ in digest }.joined())
        let signatures = [UInt8]((0..<count).map { _ in signature }.joined())
        return KernelKey.verify(
            scheme, keys: [KernelKey](repeating: kernelKey, count: count), digests: digests,
            signatures: signatures)
    }
}

extension SignatureScheme {
    /// The hash of the algorithms that have kernels, and nil for others.
    fileprivate var batchHash: Hash? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384: .sha384
        case .rs512, .ps512: .sha512
        default: nil
        }
    }
}
