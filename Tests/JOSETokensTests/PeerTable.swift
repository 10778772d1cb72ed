import JOSE

enum PeerKeyKind: Hashable {
    case rsa, p256, p384, p521, secp256k1, ed25519, x25519, ed448, x448, mlDSA44, mlDSA65, mlDSA87
    case octets(bits: Int)

    /// The name that `Tests/Peers` gives it.
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

/// What a peer and this library both do.
struct PeerTable {
    var signatures: [(algorithm: SignatureAlgorithm, kind: PeerKeyKind)] = [
        (.hs256, .octets(bits: 256)), (.hs384, .octets(bits: 384)), (.hs512, .octets(bits: 512)),
        (.rs256, .rsa), (.rs384, .rsa), (.rs512, .rsa), (.ps256, .rsa), (.ps384, .rsa), (.ps512, .rsa),
        (.es256, .p256), (.es384, .p384), (.es512, .p521),
    ]
    var encryptions: [(algorithm: KeyManagementAlgorithm, kinds: [PeerKeyKind])]
    var keys: [PeerKeyKind]
    var nested: [Nested]
    /// jwcrypto takes the empty plaintext for "not decrypted".
    var opensEmptyPlaintext = true
    /// jwcrypto reads no PEM of X448.
    var withoutPEM: Set<PeerKeyKind> = []
    /// Reads and writes PEM, and judges claims.
    var isJWTLibrary = true

    struct Nested {
        var signature: SignatureAlgorithm
        var signingKind: PeerKeyKind
        var keyManagement: KeyManagementAlgorithm
        var contentEncryption: ContentEncryption
        var encryptionKind: PeerKeyKind
    }

    static let contentEncryptions: [(encryption: ContentEncryption, keyBits: Int)] = [
        (.a128cbcHS256, 256), (.a192cbcHS384, 384), (.a256cbcHS512, 512),
        (.a128gcm, 128), (.a192gcm, 192), (.a256gcm, 256),
    ]

    static let jwcrypto: PeerTable = {
        var table = PeerTable.full(oaep: [.rsaOAEP, .rsaOAEP256], opensEmptyPlaintext: false, withoutPEM: [.x448])
        let lattices: [(algorithm: SignatureAlgorithm, kind: PeerKeyKind)] = [
            (.mlDSA44, .mlDSA44), (.mlDSA65, .mlDSA65), (.mlDSA87, .mlDSA87),
        ]
        for lattice in lattices where lattice.algorithm.isAvailable {
            table.signatures.append(lattice)
            table.keys.append(lattice.kind)
        }
        return table
    }()
    static let joserfc = PeerTable.full(oaep: [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512])

    /// Debian builds it without RSA-OAEP, and it has no Edwards or Montgomery curves.
    static let jose = PeerTable(
        encryptions: agreement([.p256, .p384, .p521]) + symmetric,
        keys: [.rsa, .p256, .p384, .p521, .octets(bits: 256)],
        nested: [
            Nested(
                signature: .rs256, signingKind: .rsa, keyManagement: .ecdhES, contentEncryption: .a128cbcHS256,
                encryptionKind: .p256),
            Nested(
                signature: .es512, signingKind: .p521, keyManagement: .ecdhESA256KW, contentEncryption: .a256gcm,
                encryptionKind: .p384),
        ],
        isJWTLibrary: false)

    private static func full(
        oaep: [KeyManagementAlgorithm], opensEmptyPlaintext: Bool = true, withoutPEM: Set<PeerKeyKind> = []
    ) -> PeerTable {
        var table = PeerTable(
            encryptions: oaep.map { ($0, [.rsa]) } + agreement([.p256, .p384, .p521, .x25519, .x448]) + symmetric,
            keys: [.rsa, .p256, .p384, .p521, .secp256k1, .ed25519, .x25519, .ed448, .x448, .octets(bits: 256)],
            nested: [
                Nested(
                    signature: .rs256, signingKind: .rsa, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256,
                    encryptionKind: .rsa),
                Nested(
                    signature: .ps256, signingKind: .rsa, keyManagement: .rsaOAEP256, contentEncryption: .a256gcm,
                    encryptionKind: .rsa),
                Nested(
                    signature: .es256, signingKind: .p256, keyManagement: .ecdhESA256KW,
                    contentEncryption: .a128gcm, encryptionKind: .p256),
                Nested(
                    signature: .ed25519, signingKind: .ed25519, keyManagement: .ecdhES,
                    contentEncryption: .a256cbcHS512, encryptionKind: .x25519),
            ],
            opensEmptyPlaintext: opensEmptyPlaintext, withoutPEM: withoutPEM)
        table.signatures += [
            (.es256k, .secp256k1), (.edDSA, .ed25519), (.ed25519, .ed25519), (.edDSA, .ed448), (.ed448, .ed448),
        ]
        return table
    }

    private static func agreement(_ kinds: [PeerKeyKind]) -> [(KeyManagementAlgorithm, [PeerKeyKind])] {
        [.ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW].map { ($0, kinds) }
    }

    /// `dir` stands without a kind: its key has the size of the content encryption's.
    private static let symmetric: [(algorithm: KeyManagementAlgorithm, kinds: [PeerKeyKind])] = [
        (.a128kw, [.octets(bits: 128)]), (.a192kw, [.octets(bits: 192)]), (.a256kw, [.octets(bits: 256)]), (.dir, []),
    ]
}
