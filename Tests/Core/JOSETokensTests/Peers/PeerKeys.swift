import JOSE
import Synchronization
import TestSupport

/// A key of this library's making, and its texts as they are handed to a peer.
enum OurKey: Sendable {
    case pair(PrivateKey)
    case secret(SecretKey)

    init(_ kind: PeerKeyKind) throws {
        switch kind {
        case .rsa: self = .pair(try .stored())
        case .p256: self = .pair(try .generate(.p256))
        case .p384: self = .pair(try .generate(.p384))
        case .p521: self = .pair(try .generate(.p521))
        case .secp256k1: self = .pair(try .generate(.secp256k1))
        case .ed25519: self = .pair(try .generate(.ed25519))
        case .x25519: self = .pair(try .generate(.x25519))
        case .ed448: self = .pair(try .generate(.ed448))
        case .x448: self = .pair(try .generate(.x448))
        case .mlDSA44: self = .pair(try .generate(.mlDSA44))
        case .mlDSA65: self = .pair(try .generate(.mlDSA65))
        case .mlDSA87: self = .pair(try .generate(.mlDSA87))
        case .octets(let bits): self = .secret(try .generate(bits: bits))
        }
    }

    var keySet: KeySet {
        switch self {
        case .pair(let key): KeySet(key)
        case .secret(let key): KeySet(key)
        }
    }

    func signer(_ algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()) throws -> JWSSigner {
        switch self {
        case .pair(let key): try JWSSigner(key: key, algorithm: algorithm, header: header)
        case .secret(let key): try JWSSigner(key: key, algorithm: algorithm, header: header)
        }
    }

    /// The key with which a peer verifies or encrypts: the public key, or the secret.
    var sharedText: String {
        switch self {
        case .pair(let key): key.publicKey.jwk()
        case .secret(let key): String(decoding: key.exportSecretJWK(), as: UTF8.self)
        }
    }

    var privateText: String {
        get throws {
            switch self {
            case .pair(let key): String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
            case .secret(let key): String(decoding: key.exportSecretJWK(), as: UTF8.self)
            }
        }
    }

    var thumbprint: [UInt8] {
        get throws {
            switch self {
            case .pair(let key): try key.publicKey.thumbprint()
            case .secret(let key): try key.thumbprint()
            }
        }
    }
}

/// One key of ours a kind: RSA keys take long to make.
enum KeyStore {
    private static let ours = Mutex<[PeerKeyKind: OurKey]>([:])

    static func key(_ kind: PeerKeyKind) throws -> OurKey {
        try ours.withLock { known in
            if let key = known[kind] { return key }
            let key = try OurKey(kind)
            known[kind] = key
            return key
        }
    }

    static func pair(_ kind: PeerKeyKind) throws -> PrivateKey {
        guard case .pair(let key) = try key(kind) else { throw NotAPair() }
        return key
    }

    private struct NotAPair: Error {}
}
