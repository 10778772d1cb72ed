package import JOSECrypto
internal import JOSESupport

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
    /// The length of a signature in bytes; nil where it depends on the key.
    package let signatureBytes: Int?
    /// The hash for `at_hash` and `c_hash` (OpenID Connect Core, 3.1.3.6); nil where there is none.
    package let hash: Hash?

    fileprivate init(
        _ name: StaticString, _ key: KeyFamily, _ engine: Engine, signatureBytes: Int? = nil, hash: Hash? = nil
    ) {
        (self.name, self.key, self.engine) = (name, key, engine)
        (self.signatureBytes, self.hash) = (signatureBytes, hash)
    }

    /// The smallest symmetric key in bits: the length of the hash (RFC 7518, 3.2). Other keys are bounded where they
    /// are read.
    package var minimumBits: Int { if case .mac(let hash) = engine { hash.byteCount * 8 } else { 0 } }
}

extension SignatureAlgorithm.Core {
    package var traits: SignatureTraits {
        switch self {
        case .hs256: .init("HS256", .octets, .mac(.sha256), signatureBytes: 32, hash: .sha256)
        case .hs384: .init("HS384", .octets, .mac(.sha384), signatureBytes: 48, hash: .sha384)
        case .hs512: .init("HS512", .octets, .mac(.sha512), signatureBytes: 64, hash: .sha512)
        case .rs256: .init("RS256", .rsa, .scheme(.rs256), hash: .sha256)
        case .rs384: .init("RS384", .rsa, .scheme(.rs384), hash: .sha384)
        case .rs512: .init("RS512", .rsa, .scheme(.rs512), hash: .sha512)
        case .ps256: .init("PS256", .rsa, .scheme(.ps256), hash: .sha256)
        case .ps384: .init("PS384", .rsa, .scheme(.ps384), hash: .sha384)
        case .ps512: .init("PS512", .rsa, .scheme(.ps512), hash: .sha512)
        case .es256: .init("ES256", .ec(.p256), .scheme(.es256), signatureBytes: 64, hash: .sha256)
        case .es384: .init("ES384", .ec(.p384), .scheme(.es384), signatureBytes: 96, hash: .sha384)
        case .es512: .init("ES512", .ec(.p521), .scheme(.es512), signatureBytes: 132, hash: .sha512)
        case .es256k: .init("ES256K", .ec(.secp256k1), .scheme(.es256k), signatureBytes: 64, hash: .sha256)
        // OpenID Connect gives no hash for EdDSA; its own, SHA-512, is what implementations use.
        case .edDSA: .init("EdDSA", .edwards, .edDSA, hash: .sha512)
        // SHAKE256, which is Ed448's own, is no hash of JOSE.
        case .ed448: .init("Ed448", .ed448, .scheme(.ed448), signatureBytes: 114)
        case .mlDSA44: .init("ML-DSA-44", .mlDSA44, .scheme(.mlDSA44), signatureBytes: 2420)
        case .mlDSA65: .init("ML-DSA-65", .mlDSA65, .scheme(.mlDSA65), signatureBytes: 3309)
        case .mlDSA87: .init("ML-DSA-87", .mlDSA87, .scheme(.mlDSA87), signatureBytes: 4627)
        case .ed25519: .init("Ed25519", .ed25519, .ed25519, signatureBytes: 64, hash: .sha512)
        }
    }
}
