public import JOSE
internal import JOSECrypto

extension TestIssuer {
    /// Generates a key for the algorithm, with its `kid`, `use` and `alg` set.
    public static func key(for algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
        let kind: KeyKind
        switch algorithm.core.traits.key {
        case .octets:
            var key = try SecretKey.generate(bits: algorithm.core.traits.minimumBits)
            (key.keyID, key.algorithm, key.use) = ("test-signature", algorithm.name, .signature)
            return .symmetricKey(key)
        case .rsa: kind = .rsa(bits: 2048)
        case .ec(.p256), .agreement: kind = .p256
        case .ec(.p384): kind = .p384
        case .ec(.p521): kind = .p521
        case .ec(.secp256k1): kind = .secp256k1
        case .ed25519, .edwards: kind = .ed25519
        case .ed448: kind = .ed448
        case .mlDSA44: kind = .mlDSA44
        case .mlDSA65: kind = .mlDSA65
        case .mlDSA87: kind = .mlDSA87
        }
        var key = try PrivateKey.generate(kind)
        (key.keyID, key.algorithm, key.use) = ("test-signature", algorithm.name, .signature)
        return .privateKey(key)
    }

    /// Generates a key for the algorithm, with its `kid`, `use` and `alg` set; for `dir` it has the size that `content`
    /// requires.
    public static func key(
        for algorithm: KeyManagementAlgorithm, _ content: ContentEncryption
    ) throws(JOSEError) -> JWK {
        let bits: Int
        switch algorithm.core.traits.engine {
        case .oaep, .rsa15, .agreement:
            var key = try PrivateKey.generate(algorithm.core.traits.key == .rsa ? .rsa(bits: 2048) : .p256)
            (key.keyID, key.algorithm, key.use) = ("test-encryption", algorithm.name, .encryption)
            return .privateKey(key)
        case .wrap(let keyBytes), .gcmWrap(let keyBytes): bits = keyBytes * 8
        case .password: bits = 256
        case .direct: bits = content.keyBytes * 8
        }
        var key = try SecretKey.generate(bits: bits)
        (key.keyID, key.algorithm, key.use) = ("test-encryption", algorithm.name, .encryption)
        return .symmetricKey(key)
    }
}
