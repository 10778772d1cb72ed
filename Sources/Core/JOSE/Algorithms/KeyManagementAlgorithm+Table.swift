package import JOSECrypto
internal import JOSESupport

/// The properties of one key management algorithm: the only list of them.
package struct KeyManagementTraits: Sendable {
    package enum Engine: Sendable {
        case oaep(Hash)
        /// RSAES-PKCS1-v1_5, for decryption only.
        case rsa15
        /// Key agreement. The agreed key wraps the CEK as an AES key of this many bytes; with nil it is the CEK.
        case agreement(wrapBytes: Int?)
        case wrap(keyBytes: Int)
        case gcmWrap(keyBytes: Int)
        /// PBKDF2 of a password gives the AES key that wraps the CEK.
        case password(Hash, wrapBytes: Int)
        case direct
    }
    package let name: StaticString
    package let key: KeyFamily
    package let engine: Engine
    package var encrypts: Bool {
        if case .rsa15 = engine { false } else { true }
    }
    /// Whether unwrapping a key takes so long that a limiter counts it.
    package var isCostly: Bool {
        switch engine {
        case .oaep, .rsa15, .agreement, .password: true
        case .wrap, .gcmWrap, .direct: false
        }
    }
    /// Whether each token's header has members of its own (`epk`, `iv`, `p2s`), so that no two headers are the same.
    package var headerVaries: Bool {
        switch engine {
        case .agreement, .gcmWrap, .password: true
        case .oaep, .rsa15, .wrap, .direct: false
        }
    }
    /// Whether the encrypted key part must be empty (RFC 7516, 5.2, step 10).
    package var encryptedKeyIsEmpty: Bool {
        switch engine {
        case .direct, .agreement(wrapBytes: nil): true
        case .oaep, .rsa15, .agreement, .wrap, .gcmWrap, .password: false
        }
    }
}

extension KeyManagementAlgorithm.Core {
    package var traits: KeyManagementTraits {
        switch self {
        case .rsaOAEP: .init(name: "RSA-OAEP", key: .rsa, engine: .oaep(.sha1))
        case .rsaOAEP256: .init(name: "RSA-OAEP-256", key: .rsa, engine: .oaep(.sha256))
        case .rsaOAEP384: .init(name: "RSA-OAEP-384", key: .rsa, engine: .oaep(.sha384))
        case .rsaOAEP512: .init(name: "RSA-OAEP-512", key: .rsa, engine: .oaep(.sha512))
        case .rsa1_5: .init(name: "RSA1_5", key: .rsa, engine: .rsa15)
        case .ecdhES: .init(name: "ECDH-ES", key: .agreement, engine: .agreement(wrapBytes: nil))
        case .ecdhESA128KW: .init(name: "ECDH-ES+A128KW", key: .agreement, engine: .agreement(wrapBytes: 16))
        case .ecdhESA192KW: .init(name: "ECDH-ES+A192KW", key: .agreement, engine: .agreement(wrapBytes: 24))
        case .ecdhESA256KW: .init(name: "ECDH-ES+A256KW", key: .agreement, engine: .agreement(wrapBytes: 32))
        case .a128kw: .init(name: "A128KW", key: .octets, engine: .wrap(keyBytes: 16))
        case .a192kw: .init(name: "A192KW", key: .octets, engine: .wrap(keyBytes: 24))
        case .a256kw: .init(name: "A256KW", key: .octets, engine: .wrap(keyBytes: 32))
        case .a128gcmkw: .init(name: "A128GCMKW", key: .octets, engine: .gcmWrap(keyBytes: 16))
        case .a192gcmkw: .init(name: "A192GCMKW", key: .octets, engine: .gcmWrap(keyBytes: 24))
        case .a256gcmkw: .init(name: "A256GCMKW", key: .octets, engine: .gcmWrap(keyBytes: 32))
        case .pbes2HS256A128KW:
            .init(name: "PBES2-HS256+A128KW", key: .octets, engine: .password(.sha256, wrapBytes: 16))
        case .pbes2HS384A192KW:
            .init(name: "PBES2-HS384+A192KW", key: .octets, engine: .password(.sha384, wrapBytes: 24))
        case .pbes2HS512A256KW:
            .init(name: "PBES2-HS512+A256KW", key: .octets, engine: .password(.sha512, wrapBytes: 32))
        case .dir: .init(name: "dir", key: .octets, engine: .direct)
        }
    }
}
