internal import JOSECrypto

extension SignatureAlgorithm.Core {
    /// The scheme of the kernels; nil where signatures are always verified one by one.
    var batchScheme: SignatureScheme? {
        guard case .scheme(let scheme) = traits.engine else { return nil }
        switch scheme {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256: return scheme
        case .es384, .es512, .es256k, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: return nil
        }
    }
}

extension HotKey {
    /// Returns whether an ES256 signature is valid, or nil where the key has no table.
    func verify(_ input: Span<UInt8>, signature: Span<UInt8>) throws(CryptoError) -> Bool? {
        guard signature.count == 64, let table = table() else { return nil }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var place = digest.mutableSpan
        try Hash.sha256.digest(input, into: &place)
        let hash = digest.span
        return switch KernelKey.verify(.es256, keys: [table], digests: hash, signatures: signature)[0] {
        case .valid: true
        case .invalid: false
        case .notCovered: nil
        }
    }
}
