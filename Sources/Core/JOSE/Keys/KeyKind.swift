package import JOSECrypto

/// What a key is and how large: all that an algorithm asks of it before its binding.
@nonexhaustive public enum KeyKind: Hashable, Sendable {
    /// By the length of the modulus.
    case rsa(bits: Int)
    /// For ECDSA and for ECDH-ES (RFC 7518, 6.2.1.1).
    case p256, p384, p521
    /// For `ES256K` alone (RFC 8812, 3.1).
    case secp256k1
    /// `ed…` sign, `x…` agree on keys (RFC 8037, 2).
    case ed25519, x25519, ed448, x448
    /// For the one algorithm of that name (`AKP`, RFC 9964).
    case mlDSA44, mlDSA65, mlDSA87
    /// A symmetric key (`oct`).
    case octets(bits: Int)

    package init(_ kind: AsymmetricKeyKind) {
        switch kind {
        case .rsa(let bits): self = .rsa(bits: bits)
        case .ec(.p256): self = .p256
        case .ec(.p384): self = .p384
        case .ec(.p521): self = .p521
        case .ec(.secp256k1): self = .secp256k1
        case .raw(.ed448): self = .ed448
        case .raw(.x448): self = .x448
        case .raw(.mlDSA44): self = .mlDSA44
        case .raw(.mlDSA65): self = .mlDSA65
        case .raw(.mlDSA87): self = .mlDSA87
        }
    }
}

extension KeyKind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .p256: "EC P-256"
        case .p384: "EC P-384"
        case .p521: "EC P-521"
        case .secp256k1: "EC secp256k1"
        case .ed25519: "OKP Ed25519"
        case .x25519: "OKP X25519"
        case .ed448: "OKP Ed448"
        case .x448: "OKP X448"
        case .mlDSA44: "AKP ML-DSA-44"
        case .mlDSA65: "AKP ML-DSA-65"
        case .mlDSA87: "AKP ML-DSA-87"
        case .octets(let bits): "oct \(bits)"
        }
    }
}

/// What `PrivateKey.generate` makes.
@nonexhaustive public enum GeneratedKind: Hashable, Sendable {
    /// 2048 to 8192 bits, a multiple of 8; the exponent is 65537.
    case rsa(bits: Int)
    /// The curves of `EC` keys.
    case p256, p384, p521, secp256k1
    /// The curves of `OKP` keys.
    case ed25519, x25519, ed448, x448
    /// Where the OpenSSL that was loaded has it: 3.5 and later.
    case mlDSA44, mlDSA65, mlDSA87
}

/// The hash of a JWK thumbprint (RFC 7638, 3.4).
public enum ThumbprintHash: Hashable, Sendable {
    /// Its length in bits; SHA-256 is what others expect.
    case sha256, sha384, sha512
}
