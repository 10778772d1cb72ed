internal import JOSEBytes
package import JOSECrypto

/// The kind of key that an algorithm takes.
package enum KeyFamily: Equatable, Sendable {
    case octets, rsa
    case ec(Curve)
    /// A curve for key agreement: P-256, P-384, P-521, X25519, X448.
    case agreement
    case ed25519, ed448
    /// Ed25519 or Ed448.
    case edwards
    case mlDSA44, mlDSA65, mlDSA87
}

/// The properties of one signature algorithm: the only list of them.
package struct SignatureTraits: Sendable {
    package enum Engine: Sendable {
        case mac(Hash)
        case scheme(SignatureScheme)
        case ed25519
        /// EdDSA with the curve of the key (RFC 8037, 3.1).
        case edDSA
    }
    package let name: StaticString
    package let key: KeyFamily
    package let engine: Engine
    /// The smallest key in bits. For octets it is the length of the hash (RFC 7518, 3.2); other keys are bounded where
    /// they are read.
    package let minimumBits: Int
    /// The length of a signature in bytes; nil where it depends on the key.
    package let signatureBytes: Int?
    /// The hash for `at_hash` and `c_hash` (OpenID Connect Core, 3.1.3.6); nil where there is none.
    package let hash: Hash?
}

extension SignatureAlgorithm.Core {
    package var traits: SignatureTraits {
        switch self {
        case .hs256:
            .init(
                name: "HS256", key: .octets, engine: .mac(.sha256), minimumBits: 256, signatureBytes: 32, hash: .sha256)
        case .hs384:
            .init(
                name: "HS384", key: .octets, engine: .mac(.sha384), minimumBits: 384, signatureBytes: 48, hash: .sha384)
        case .hs512:
            .init(
                name: "HS512", key: .octets, engine: .mac(.sha512), minimumBits: 512, signatureBytes: 64, hash: .sha512)
        case .rs256:
            .init(
                name: "RS256", key: .rsa, engine: .scheme(.rs256), minimumBits: 2048, signatureBytes: nil, hash: .sha256
            )
        case .rs384:
            .init(
                name: "RS384", key: .rsa, engine: .scheme(.rs384), minimumBits: 2048, signatureBytes: nil, hash: .sha384
            )
        case .rs512:
            .init(
                name: "RS512", key: .rsa, engine: .scheme(.rs512), minimumBits: 2048, signatureBytes: nil, hash: .sha512
            )
        case .ps256:
            .init(
                name: "PS256", key: .rsa, engine: .scheme(.ps256), minimumBits: 2048, signatureBytes: nil, hash: .sha256
            )
        case .ps384:
            .init(
                name: "PS384", key: .rsa, engine: .scheme(.ps384), minimumBits: 2048, signatureBytes: nil, hash: .sha384
            )
        case .ps512:
            .init(
                name: "PS512", key: .rsa, engine: .scheme(.ps512), minimumBits: 2048, signatureBytes: nil, hash: .sha512
            )
        case .es256:
            .init(
                name: "ES256", key: .ec(.p256), engine: .scheme(.es256), minimumBits: 256, signatureBytes: 64,
                hash: .sha256)
        case .es384:
            .init(
                name: "ES384", key: .ec(.p384), engine: .scheme(.es384), minimumBits: 384, signatureBytes: 96,
                hash: .sha384)
        case .es512:
            .init(
                name: "ES512", key: .ec(.p521), engine: .scheme(.es512), minimumBits: 521, signatureBytes: 132,
                hash: .sha512)
        case .es256k:
            .init(
                name: "ES256K", key: .ec(.secp256k1), engine: .scheme(.es256k), minimumBits: 256, signatureBytes: 64,
                hash: .sha256)
        // OpenID Connect gives no hash for EdDSA; its own, SHA-512, is what implementations use.
        case .edDSA:
            .init(name: "EdDSA", key: .edwards, engine: .edDSA, minimumBits: 256, signatureBytes: nil, hash: .sha512)
        // SHAKE256, which is Ed448's own, is no hash of JOSE.
        case .ed448:
            .init(
                name: "Ed448", key: .ed448, engine: .scheme(.ed448), minimumBits: 448, signatureBytes: 114, hash: nil)
        case .mlDSA44:
            .init(
                name: "ML-DSA-44", key: .mlDSA44, engine: .scheme(.mlDSA44), minimumBits: 0, signatureBytes: 2420,
                hash: nil)
        case .mlDSA65:
            .init(
                name: "ML-DSA-65", key: .mlDSA65, engine: .scheme(.mlDSA65), minimumBits: 0, signatureBytes: 3309,
                hash: nil)
        case .mlDSA87:
            .init(
                name: "ML-DSA-87", key: .mlDSA87, engine: .scheme(.mlDSA87), minimumBits: 0, signatureBytes: 4627,
                hash: nil)
        case .ed25519:
            .init(name: "Ed25519", key: .ed25519, engine: .ed25519, minimumBits: 256, signatureBytes: 64, hash: .sha512)
        }
    }
}
