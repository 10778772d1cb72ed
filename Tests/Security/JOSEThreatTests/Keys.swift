import Foundation
import JOSE
import TestSupport

/// One key of each kind, without `kid`, `use`, `key_ops` and `alg`, created once.
enum Keys {
    static let secret = symmetric(32)
    static let longSecret = symmetric(64)
    static let rsa = data.rsa
    static let p256 = made(.p256)
    static let p384 = made(.p384)
    static let p521 = made(.p521)
    static let secp256k1 = made(.secp256k1)
    static let ed25519 = made(.ed25519)
    static let ed448 = made(.ed448)
    static let x448 = made(.x448)
    static let x25519 = made(.x25519)
    /// An ML-DSA-44 key, or nil if the loaded libcrypto lacks the algorithm.
    static let mlDSA44 = SignatureAlgorithm.mlDSA44.isAvailable ? made(.mlDSA44) : nil
    static let data = ThreatData()

    static func made(_ kind: KeyKind) -> JWK {
        guard let key = try? PrivateKey.generate(kind) else { preconditionFailure("no key of \(kind)") }
        return .privateKey(key)
    }

    static func symmetric(_ count: Int) -> JWK {
        guard let key = try? SecretKey.generate(bits: count * 8) else {
            preconditionFailure("no key of \(count) bytes")
        }
        return .symmetricKey(key)
    }

    /// Every algorithm with a private or symmetric key for it.
    static let signing: [(SignatureAlgorithm, JWK)] = SignatureAlgorithm.all.filter(\.isAvailable).map {
        algorithm in
        switch algorithm.name.prefix(2) {
        case "HS": (algorithm, longSecret)
        case "RS", "PS": (algorithm, rsa)
        case "Ed": (algorithm, algorithm == .ed448 ? ed448 : ed25519)
        default:
            switch algorithm {
            case .es256: (algorithm, p256)
            case .es384: (algorithm, p384)
            case .es256k: (algorithm, secp256k1)
            case .mlDSA44: (algorithm, made(.mlDSA44))
            case .mlDSA65: (algorithm, made(.mlDSA65))
            case .mlDSA87: (algorithm, made(.mlDSA87))
            default: (algorithm, p521)
            }
        }
    }

    static func signing(_ algorithm: SignatureAlgorithm) -> JWK {
        guard let row = signing.first(where: { $0.0 == algorithm }) else {
            preconditionFailure("no key for \(algorithm)")
        }
        return row.1
    }
}

extension JWK {
    /// The public key, or the symmetric key itself.
    var shown: JWK { publicKey.map { .publicKey($0) } ?? self }

    /// Returns the key with other values of `use`, `key_ops` and `alg`.
    func bound(
        algorithm: String? = nil, use: KeyUse? = nil, operations: KeyOperations? = nil, keyID: String? = nil
    ) -> JWK {
        switch self {
        case .publicKey(var key):
            (key.algorithm, key.use, key.operations, key.keyID) = (algorithm, use, operations, keyID)
            return .publicKey(key)
        case .privateKey(var key):
            (key.algorithm, key.use, key.operations, key.keyID) = (algorithm, use, operations, keyID)
            return .privateKey(key)
        case .symmetricKey(var key):
            (key.algorithm, key.use, key.operations, key.keyID) = (algorithm, use, operations, keyID)
            return .symmetricKey(key)
        }
    }
}

extension KeySet {
    /// Creates a set of the given keys.
    init(_ key: JWK, also more: JWK...) { self.init([key] + more) }
}

/// The file Tests/Vectors/threats/tokens.json, whose tokens need arithmetic that the library does not offer.
struct ThreatData: Sendable {
    struct Row: Sendable {
        let name: String
        let token: String
    }
    let rsa: JWK
    let smallKey: String
    let smallPrivateKey: String
    let smallToken: String
    let cek: [UInt8]
    let edwards: [(name: String, x: String)]
    /// A key of the generator behind CVE-2017-15361.
    let roca: String
    /// Tokens to the RSA key, each with the complement of its content key.
    let hidden: [(token: String, complement: [UInt8])]
    private let rows: [(threat: String, row: Row)]

    init() {
        guard let text = try? Data(contentsOf: VectorFile.folder.appending(path: "threats/tokens.json")),
            let json = try? JSON(text),
            let key = json["rsa"], let rsa = try? JWK(parsing: key.text), let small = json["small"],
            let cek = json["cek"]?.string.flatMap({ bytes(base64URL: $0) }), case .array(let tokens)? = json["tokens"],
            case .array(let points)? = json["edwards"], case .array(let hidden)? = json["hidden"]
        else { preconditionFailure("Tests/Vectors/threats/tokens.json cannot be read") }
        self.rsa = rsa
        self.cek = cek
        self.hidden = hidden.map { row in
            (row["token"]?.string ?? "", row["cek"]?.string.flatMap { bytes(base64URL: $0) } ?? [])
        }
        roca = json["roca"]?.text ?? ""
        smallKey = small["key"]?.text ?? ""
        smallPrivateKey = small["private"]?.text ?? ""
        smallToken = small["token"]?.string ?? ""
        rows = tokens.map { token in
            (token["row"]?.string ?? "", Row(name: token["name"]?.string ?? "", token: token["token"]?.string ?? ""))
        }
        edwards = points.map { ($0["name"]?.string ?? "", $0["x"]?.string ?? "") }
    }

    /// Returns the rows of a threat. Those whose name begins with "good" must be accepted.
    func rows(_ threat: String) -> [Row] { rows.filter { $0.threat == threat }.map(\.row) }
}
