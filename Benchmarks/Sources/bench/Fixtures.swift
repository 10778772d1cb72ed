internal import Foundation
internal import JOSE
internal import JOSETokens

/// The keys and claims that all rows share, made once for each run.
struct Fixtures {
    let rsa: PrivateKey
    /// Keys of 3072 and of 4096 bits.
    let largeRSA: [PrivateKey]
    let rsaForEncryption: PrivateKey
    let p256: PrivateKey
    let p384: PrivateKey
    let p521: PrivateKey
    let secp256k1: PrivateKey
    let ed25519: PrivateKey
    let ed448: PrivateKey
    let x25519: PrivateKey
    let x448: PrivateKey
    let claims: [UInt8]

    static let issuer = "https://op.example.com/tenants/7f3a"
    static let audience = "client-portal-web-01"

    init() throws {
        func make(_ kind: KeyKind, _ name: String) throws -> PrivateKey {
            var key = try PrivateKey.generate(kind)
            key.keyID = name
            return key
        }
        rsa = try make(.rsa(bits: 2048), "sig-1")
        largeRSA = try [3072, 4096].map { try make(.rsa(bits: $0), "sig-\($0)") }
        rsaForEncryption = try make(.rsa(bits: 2048), "enc-1")
        p256 = try make(.p256, "key-1")
        p384 = try make(.p384, "key-1")
        p521 = try make(.p521, "key-1")
        secp256k1 = try make(.secp256k1, "sig-1")
        ed25519 = try make(.ed25519, "sig-1")
        // The instructions of the import of an Ed448 key depend on its point, so this one is the same in each run (RFC
        // 8032, 7.4).
        var fixed = try PrivateKey(
            jwk: #"""
                {"kty":"OKP","crv":"Ed448","d":"bIKlYsuAjRDWMr6JyFE-v2ySnzTd-oyfY8mWDvbjSKNSjIo_zC8ETjmj_FuUSS-PAy51SaIAmPlb",
                "x":"X9dEm1m0Yf0s54fsYWrUah2hNCSFpw4fig6nXYDpZ3jt8SR2m0bHBhvWeD3x5Q9s0foavq_oJWGA"}
                """#)
        fixed.keyID = "sig-1"
        ed448 = fixed
        x25519 = try make(.x25519, "enc-1")
        x448 = try make(.x448, "enc-1")
        let now = Int(Date().timeIntervalSince1970)
        claims = Self.claims(now: now, expires: now + 10 * 365 * 86_400)
    }

    /// Returns about 540 bytes of claims, as an OpenID provider sends them.
    static func claims(now: Int, expires: Int) -> [UInt8] {
        let text = """
            {"iss":"\(issuer)","sub":"248289761001-5c1b9e40f2","aud":"\(audience)","exp":\(expires),"nbf":\(now - 60),\
            "iat":\(now - 60),"auth_time":\(now - 75),"nonce":"n-0S6_WzA2Mj9fQbX7tR1kLw","acr":"urn:example:acr:silver",\
            "amr":["pwd","otp"],"azp":"\(audience)","name":"Janneke van den Berg-Visser","given_name":"Janneke",\
            "family_name":"van den Berg-Visser","email":"janneke.visser@example.com","email_verified":true,\
            "phone_number":"+31 20 555 0142","locale":"nl-NL","sid":"08a5019c-17e1-4977-8f42"}
            """
        return Array(text.utf8)
    }

    var claimPolicy: ClaimPolicy { ClaimPolicy(issuer: .exactly(Self.issuer), audience: .exactly(Self.audience)) }

    /// Returns a symmetric key of `count` bytes, always the same.
    func octets(_ count: Int) throws -> (key: SecretKey, bytes: [UInt8]) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
        var key = try SecretKey(bytes: bytes)
        key.keyID = "oct-1"
        return (key, bytes)
    }

    private func lattice(_ algorithm: SignatureAlgorithm) throws -> PrivateKey {
        switch algorithm {
        case .mlDSA44: try .generate(.mlDSA44, keyID: "sig-1")
        case .mlDSA65: try .generate(.mlDSA65, keyID: "sig-1")
        default: try .generate(.mlDSA87, keyID: "sig-1")
        }
    }

    /// Returns the fixture that signs with `algorithm`: our key, and the bytes that the raw calls take.
    func signing(_ algorithm: SignatureAlgorithm) throws -> SigningFixture {
        switch algorithm.name.prefix(6) {
        case "HS256": try SigningFixture(octets(32))
        case "HS384": try SigningFixture(octets(48))
        case "HS512": try SigningFixture(octets(64))
        case "ES256K": try SigningFixture(secp256k1)
        case "ES256": try SigningFixture(p256)
        case "ES384": try SigningFixture(p384)
        case "ES512": try SigningFixture(p521)
        case "ML-DSA": try SigningFixture(lattice(algorithm))
        case "Ed448": try SigningFixture(ed448)
        case "EdDSA", "Ed2551": try SigningFixture(raw: ed25519)
        default: try SigningFixture(rsa)
        }
    }
}

struct SigningFixture {
    let key: JWK
    let secretField: [UInt8]
    let publicField: [UInt8]
    let isSymmetric: Bool

    init(_ key: PrivateKey) throws {
        self.key = .privateKey(key)
        secretField = try key.exportPrivateDER()
        publicField = try key.publicKey.der()
        isSymmetric = false
    }

    /// Creates the fixture of an OKP key, of which the raw calls take the 32 bytes.
    init(raw key: PrivateKey) throws {
        self.key = .privateKey(key)
        let members = TokenParts.members(try key.exportPrivateJWK())
        secretField = members["d"] ?? []
        publicField = members["x"] ?? []
        isSymmetric = false
    }

    init(_ shared: (key: SecretKey, bytes: [UInt8])) {
        key = .symmetricKey(shared.key)
        secretField = shared.bytes
        publicField = shared.bytes
        isSymmetric = true
    }

    /// The keys that a verifier gets.
    var verificationKeys: KeySet {
        switch key {
        case .privateKey(let key): KeySet(key.publicKey)
        case .symmetricKey, .publicKey: KeySet(key)
        }
    }

    func signer(
        _ algorithm: SignatureAlgorithm, type: String? = "JWT", isUnencoded: Bool = false
    ) throws -> JWSSigner {
        var header = HeaderParameters(type: isUnencoded ? nil : type)
        header.payloadIsUnencoded = isUnencoded
        switch key {
        case .privateKey(let key): return try JWSSigner(key: key, algorithm: algorithm, header: header)
        case .symmetricKey(let key): return try JWSSigner(key: key, algorithm: algorithm, header: header)
        case .publicKey: throw Options.Fault(description: "a public key signs nothing")
        }
    }
}
