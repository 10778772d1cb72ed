import JOSE
import JOSETokens
import TestSupport
import Testing

/// Keys of several kinds, valid tokens, and tokens that fail at each step.
struct BatchFixture {
    static let issuer = "https://id.example"
    static let now: NumericDate = 1_700_000_000
    let rsa: PrivateKey
    let otherRSA: PrivateKey
    let largeRSA: PrivateKey
    let namelessRSA: [PrivateKey]
    let p256: PrivateKey
    let namelessP256: PrivateKey
    let p384: PrivateKey
    let ed25519: PrivateKey
    let shared: SecretKey
    let mine: PrivateKey
    /// A key that is in no key set.
    let stranger: PrivateKey

    init() throws {
        rsa = try .stored(keyID: "r1")
        otherRSA = try .stored(keyID: "r2")
        largeRSA = try .stored(bits: 3072, keyID: "r3")
        namelessRSA = try [.stored(), .stored(bits: 3072), .stored()]
        p256 = try .generate(.p256, keyID: "e1")
        namelessP256 = try .generate(.p256)
        p384 = try .generate(.p384, keyID: "e3")
        ed25519 = try .generate(.ed25519, keyID: "d1")
        var shared = try SecretKey(bytes: Array(0..<32))
        shared.keyID = "h1"
        self.shared = shared
        mine = try .stored(keyID: "m1")
        stranger = try .stored(keyID: "s1")
    }

    static var algorithms: [SignatureAlgorithm] {
        [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .ed25519, .hs256]
    }

    var named: KeySet {
        let keys = [rsa, otherRSA, largeRSA, p256, p384, ed25519].map { JWK.publicKey($0.publicKey) }
        return KeySet(keys + [.symmetricKey(shared)])
    }
    /// A token without `kid` may be of any of its algorithm's.
    var nameless: KeySet {
        KeySet((namelessRSA + [namelessP256]).map { JWK.publicKey($0.publicKey) })
    }

    static func claims(_ issuer: String = issuer) -> ClaimPolicy {
        var claims = ClaimPolicy(issuer: .exactly(issuer), audience: "shop")
        claims.clock = .fixed(now)
        return claims
    }

    static func signed(_ issuer: String = issuer) -> TokenPolicy {
        .signed(SignaturePolicy(algorithms: algorithms), claims: claims(issuer))
    }

    static func nested(_ issuer: String = issuer) -> TokenPolicy {
        .nested(
            outer: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: algorithms), claims: claims(issuer))
    }

    static func payload(_ number: Int, issuer: String = issuer, expires: Int = 1_700_000_600) -> String {
        #"{"iss":"\#(issuer)","aud":"shop","sub":"\#(number)","exp":\#(expires)}"#
    }

    func sign(_ payload: String, _ key: PrivateKey, _ algorithm: SignatureAlgorithm) throws -> String {
        try JWSSigner(key: key, algorithm: algorithm).sign(payload)
    }

    /// Returns a valid token for each key of the set and each of its algorithms.
    func good(_ number: Int, issuer: String = issuer) throws -> [String] {
        let payload = Self.payload(number, issuer: issuer)
        let rsaNames: [SignatureAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        return try rsaNames.flatMap { name in
            try [rsa, otherRSA, largeRSA].map { try sign(payload, $0, name) }
        } + [
            sign(payload, p256, .es256), sign(payload, p384, .es384), sign(payload, ed25519, .ed25519),
            JWSSigner(key: shared, algorithm: .hs256).sign(payload),
        ]
    }

    func goodNameless(_ number: Int) throws -> [String] {
        let payload = Self.payload(number)
        return try namelessRSA.flatMap { [try sign(payload, $0, .rs256), try sign(payload, $0, .ps384)] }
            + [try sign(payload, namelessP256, .es256)]
    }

    /// Returns texts that are almost `token`, and all invalid.
    static func broken(_ token: String) -> [String] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        func flipped(_ text: String, at place: Int) -> String {
            var bytes = Array(text.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return String(decoding: bytes, as: UTF8.self)
        }
        return [
            "\(header).\(payload).\(flipped(signature, at: 5))", "\(header).\(flipped(payload, at: 20)).\(signature)",
            "\(header).\(payload).\(signature.dropLast(4))", "\(header).\(payload).", "\(header).\(payload)",
            "\(header).\(payload).\(signature)AAAA", "\(header).\(payload).!\(signature)",
            "\(header).\(payload)!.\(signature)", "!\(header).\(payload).\(signature)", "\(token).x",
            "\(header).\(payload).\(String(repeating: "A", count: signature.utf8.count))",
        ]
    }

    /// Wrong in what they say, or no tokens at all.
    func odd() throws -> [String] {
        func made(_ header: String) throws -> String {
            let parts = try sign(Self.payload(0), rsa, .rs256).split(separator: ".").map(String.init)
            return "\(base64URL(header.utf8)).\(parts[1]).\(parts[2])"
        }
        return try [
            sign(Self.payload(1, expires: 1_600_000_000), rsa, .rs256),
            sign(Self.payload(1, expires: 1_600_000_000), p256, .es256),
            sign(Self.payload(1, issuer: "https://other.example"), otherRSA, .ps256),
            sign("no claims", rsa, .rs256), sign(Self.payload(1), stranger, .rs256),
            made(#"{"alg":"none"}"#), made(#"{"alg":"RS256","kid":"nobody"}"#), made(#"{"alg":"RS256","kid":"e1"}"#),
            made(#"{"alg":"RS256","kid":"r1","crit":["x"],"x":1}"#), made(#"{"alg":"RS256","kid":"r1","kid":"r1"}"#),
            made(#"{"alg":"RS256","kid":"r1","b64":false,"crit":["b64"]}"#), made("{}"), made("["),
            made(#"{"alg":"RS256"}"#), "", ".", "..", "...", "a.b.c", "a.b.c.d.e",
            String(repeating: "a", count: 300_000),
        ]
    }

    /// Returns the tokens in a pseudorandom order that is the same each time.
    static func shuffled(_ tokens: [String]) -> [[UInt8]] {
        var state: UInt64 = 42
        return tokens.map { Array($0.utf8) }.map { token -> (UInt64, [UInt8]) in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 20, token)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
