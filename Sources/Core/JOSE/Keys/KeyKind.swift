package import JOSECrypto

/// The kind and size of a key.
@nonexhaustive public enum KeyKind: Hashable, Sendable {
    /// An RSA key (`RSA`), with the length of its modulus in bits.
    case rsa(bits: Int)
    /// A key on a NIST curve (`EC`), for ECDSA and ECDH-ES (RFC 7518, 6.2.1.1).
    case p256, p384, p521
    /// A key on secp256k1 (`EC`), for `ES256K` only (RFC 8812, 3.1).
    case secp256k1
    /// A key on an Edwards curve (`ed…`, for signatures) or a Montgomery curve (`x…`, for key agreement), with `kty`
    /// `OKP` (RFC 8037, 2).
    case ed25519, x25519, ed448, x448
    /// An ML-DSA key (`AKP`), which is for the algorithm of the same name only (RFC 9964).
    case mlDSA44, mlDSA65, mlDSA87
    /// A symmetric key (`oct`), with its length in bits.
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

extension KeyKind: Described {
    package var summary: String {
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

/// The hash algorithm of a JWK thumbprint (RFC 7638, 3.4), or of the digests of disclosures, `_sd_alg` (RFC 9901,
/// 4.1.1), with its name in the Named Information registry.
public enum HashAlgorithm: String, CaseIterable, Sendable {
    /// SHA-256, the usual choice, and that of an SD-JWT without `_sd_alg`.
    case sha256 = "sha-256"
    /// SHA-384, with digests of 48 bytes.
    case sha384 = "sha-384"
    /// SHA-512, with digests of 64 bytes.
    case sha512 = "sha-512"

    package var hash: Hash {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
