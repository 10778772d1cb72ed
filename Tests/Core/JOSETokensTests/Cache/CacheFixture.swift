import JOSE
import JOSETesting
import JOSETokens

/// An issuer, its verifiers with a cache, and a clock for both.
struct CacheFixture {
    let cache: TokenCache
    let clock = TestClock()
    let signing: PrivateKey
    let recipient: PrivateKey

    init(_ cache: TokenCache = TokenCache()) throws {
        self.cache = cache
        signing = try PrivateKey.generate(.ed25519, keyID: "theirs")
        recipient = try PrivateKey.generate(.p256, keyID: "mine")
    }

    func claims(_ adjust: (inout ClaimPolicy) -> Void = { _ in }) -> ClaimPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = clock.wallClock
        claims.leeway = .zero
        adjust(&claims)
        return claims
    }

    func signed(_ adjust: (inout ClaimPolicy) -> Void = { _ in }) -> TokenPolicy {
        .signed(SignaturePolicy(algorithms: [.ed25519]), claims: claims(adjust))
    }

    func nested() -> TokenPolicy {
        .nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.ed25519]), claims: claims())
    }

    func token(_ policy: TokenPolicy, _ claims: ClaimsBuilder = ["sub": "u"], lifetime: Duration = .seconds(600)) throws
        -> String
    {
        let isNested = if case .nested = policy.form { true } else { false }
        return try TokenIssuer(
            policy, signingKey: .privateKey(signing), encryptionKey: isNested ? .publicKey(recipient.publicKey) : nil,
            lifetime: lifetime
        ).issue(claims)
    }

    func verifier(
        _ policy: TokenPolicy, keys: (any KeySource)? = nil, decryptionKeys: (any KeySource)? = nil
    ) throws -> TokenVerifier {
        try TokenVerifier(
            policy, verificationKeys: keys ?? KeySet(signing.publicKey),
            decryptionKeys: decryptionKeys ?? KeySet(recipient), cache: cache)
    }

    /// Returns the token with one letter of its last part changed.
    static func forged(_ token: String, _ letter: Int = 0) -> String {
        var bytes = Array(token.utf8)
        let place = bytes.count - 20 - letter
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }

    func error(_ verifier: TokenVerifier, _ token: String) -> TokenError? {
        do throws(TokenError) { _ = try verifier.verify(token) } catch { return error }
        return nil
    }
}
