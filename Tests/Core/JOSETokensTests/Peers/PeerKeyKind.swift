import JOSE
import JOSECrypto

enum PeerKeyKind: Hashable {
    case rsa, p256, p384, p521, secp256k1, ed25519, x25519, ed448, x448, mlDSA44, mlDSA65, mlDSA87
    case octets(bits: Int)

    /// The name that `Tests/Interop/Peers` gives it.
    var name: String {
        switch self {
        case .rsa: "RSA"
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .secp256k1: "secp256k1"
        case .ed25519: "Ed25519"
        case .x25519: "X25519"
        case .ed448: "Ed448"
        case .x448: "X448"
        case .mlDSA44: "ML-DSA-44"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        case .octets(let bits): "oct\(bits)"
        }
    }
}

extension KeyFamily {
    /// Every kind of it; `octetBits` is what the algorithm asks for.
    func kinds(octetBits: Int) -> [PeerKeyKind] {
        switch self {
        case .octets: [.octets(bits: octetBits)]
        case .rsa: [.rsa]
        case .ec(.p256): [.p256]
        case .ec(.p384): [.p384]
        case .ec(.p521): [.p521]
        case .ec(.secp256k1): [.secp256k1]
        case .agreement: [.p256, .p384, .p521, .x25519, .x448]
        case .ed25519: [.ed25519]
        case .ed448: [.ed448]
        case .edwards: [.ed25519, .ed448]
        case .mlDSA44: [.mlDSA44]
        case .mlDSA65: [.mlDSA65]
        case .mlDSA87: [.mlDSA87]
        }
    }
}

extension SignatureAlgorithm {
    var kinds: [PeerKeyKind] { core.traits.key.kinds(octetBits: core.traits.minimumBits) }
}

extension KeyManagementAlgorithm {
    func kinds(for encryption: ContentEncryption) -> [PeerKeyKind] {
        let bits =
            switch core.traits.engine {
            case .wrap(let bytes), .gcmWrap(let bytes): bytes * 8
            case .direct: encryption.keyBytes * 8
            case .password: 256
            case .oaep, .rsa15, .agreement: 0
            }
        return core.traits.key.kinds(octetBits: bits)
    }
}
