internal import JOSECrypto

/// A signature scheme of the kernels.
enum BatchScheme: Hashable, Sendable {
    /// The digest of the text is signed.
    case digest(SignatureScheme)
    /// The text itself is signed (RFC 8032, 5.1).
    case ed25519
}

extension SignatureAlgorithm.Core {
    /// The scheme of the kernels; nil where signatures are always verified one by one.
    var batchScheme: BatchScheme? {
        switch traits.engine {
        case .scheme(let scheme):
            switch scheme {
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256: .digest(scheme)
            case .es384, .es512, .es256k, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: nil
            }
        // Keys of Ed448 have no kernels.
        case .ed25519, .edDSA: .ed25519
        case .mac: nil
        }
    }
}

extension SignatureAlgorithm {
    /// Whether there are kernels for signatures of this algorithm.
    package var isBatched: Bool { core.batchScheme != nil }
}

extension HotKey {
    /// Returns whether a signature of ES256 or Ed25519 is valid, or nil where the key has no table.
    func verify(_ input: Span<UInt8>, signature: Span<UInt8>) throws(CryptoError) -> Bool? {
        guard signature.count == 64, let table = table() else { return nil }
        if case .ed25519 = key {
            // libsodium decides about a signature that the kernel rejects: its versions differ in the cofactor.
            return table.verify(input, signature: signature) == .valid ? true : nil
        }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        try Hash.sha256.digest(input, into: &output)
        return Self.answer(table.verify(digest: digest.span, signature: signature))
    }

    private static func answer(_ result: KernelResult) -> Bool? {
        switch result {
        case .valid: true
        case .invalid: false
        case .notCovered: nil
        }
    }
}
