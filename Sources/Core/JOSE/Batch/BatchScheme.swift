internal import JOSECrypto

extension SignatureAlgorithm.Core {
    /// Nil for those whose signatures are verified one by one in any case.
    var batchScheme: SignatureScheme? {
        guard case .scheme(let scheme) = traits.engine else { return nil }
        switch scheme {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256: return scheme
        case .es384, .es512, .es256k, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: return nil
        }
    }
}

extension HotKey {
    /// ES256 of one token, where the key has its table: whether the signature holds. Nil: it has none.
    func verify(_ input: Span<UInt8>, signature: Span<UInt8>) throws(CryptoError) -> Bool? {
        guard signature.count == 64, let lanes = lanes() else { return nil }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var place = digest.mutableSpan
        try Hash.sha256.digest(input, into: &place)
        let hash = digest.span
        return switch KernelKey.verify(.es256, keys: [lanes], digests: hash, signatures: signature)[0] {
        case .valid: true
        case .invalid: false
        case .open: nil
        }
    }
}
