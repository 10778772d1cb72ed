internal import JOSEBytes
package import JOSECrypto

/// Everything that the rest of the library knows of one key management algorithm.
package struct KeyManagementTraits: Sendable {
    package enum Engine: Sendable {
        case oaep(Hash)
        /// The agreed key wraps the CEK with an AES key of so many bytes; nil: it is the CEK.
        case agreement(wrapBytes: Int?)
        case wrap(keyBytes: Int)
        case direct
    }
    package let name: StaticString
    package let key: KeyFamily
    package let engine: Engine
    /// Whether the encrypted key part must be empty (RFC 7516, 5.2, step 10).
    package var encryptedKeyIsEmpty: Bool {
        switch engine {
        case .direct, .agreement(wrapBytes: nil): true
        case .oaep, .agreement, .wrap: false
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
        case .ecdhES: .init(name: "ECDH-ES", key: .agreement, engine: .agreement(wrapBytes: nil))
        case .ecdhESA128KW: .init(name: "ECDH-ES+A128KW", key: .agreement, engine: .agreement(wrapBytes: 16))
        case .ecdhESA192KW: .init(name: "ECDH-ES+A192KW", key: .agreement, engine: .agreement(wrapBytes: 24))
        case .ecdhESA256KW: .init(name: "ECDH-ES+A256KW", key: .agreement, engine: .agreement(wrapBytes: 32))
        case .a128kw: .init(name: "A128KW", key: .octets, engine: .wrap(keyBytes: 16))
        case .a192kw: .init(name: "A192KW", key: .octets, engine: .wrap(keyBytes: 24))
        case .a256kw: .init(name: "A256KW", key: .octets, engine: .wrap(keyBytes: 32))
        case .dir: .init(name: "dir", key: .octets, engine: .direct)
        }
    }
}
