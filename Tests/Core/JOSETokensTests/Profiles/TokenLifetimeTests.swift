import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Lifetimes of tokens that are used once") struct TokenLifetimeTests {
    private static let claims = [
        "iss": #""client""#, "sub": #""client""#, "aud": #""https://id.example""#, "client_id": #""client""#,
        "response_type": #""code""#, "jti": #""x""#,
    ]

    private static func assertion(_ store: any ReplayStore) -> ClientAssertionProfile {
        var profile = ClientAssertionProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static func request(_ store: any ReplayStore, _ client: String = "client") -> RequestObjectProfile {
        var profile = RequestObjectProfile(
            clientID: client, server: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static func logout(_ store: any ReplayStore) -> LogoutTokenProfile {
        var profile = LogoutTokenProfile(
            issuer: "client", clientID: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static func expectBound(
        _ profile: some TokenProfile, _ longest: Int, _ type: String, _ changes: [String: String?],
        needsIssueTime: Bool,
        store: InMemoryReplayStore
    ) throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(profile, verificationKeys: fixture.keys)
        let now = Int(ProfileFixture.now.secondsSince1970)
        // The leeway is 60 seconds.
        let latest = longest + 60
        func error(_ lifetime: Int, _ id: String, _ more: [String: String?] = [:]) throws -> TokenError? {
            var all = changes.merging(["exp": "\(now + lifetime)", "jti": "\"\(id)\""]) { $1 }
            if needsIssueTime { all["iat"] = "\(now)" }
            let text = ProfileFixture.text(Self.claims, all.merging(more) { $1 })
            let token = try fixture.sign(text, type: type)
            return Seen { () throws(TokenError) in try verifier.verify(token) }.error
        }
        let tooLong = TokenError.claim(.lifetimeTooLong)
        // From now.
        for lifetime in [latest + 1, 86_400, 9_007_199_254_740_000 - now] {
            #expect(try error(lifetime, "bad") == tooLong, "\(type) \(lifetime)")
        }
        // From iat and nbf.
        for name in ["iat", "nbf"] {
            #expect(try error(latest - 10, "bad", [name: "\(now - 11)"]) == tooLong, "\(type) \(name)")
        }
        #expect(store.count == 0)
        #expect(try error(latest, "1") == nil, "\(type)")
        for name in ["iat", "nbf"] {
            #expect(try error(latest - 10, name, [name: "\(now - 10)"]) == nil, "\(type) \(name)")
        }
        #expect(store.count == 3)
    }

    @Test(
        "T78 a client assertion, request object or logout token with too long a lifetime is rejected and not marked")
    func profiles() throws {
        var store = InMemoryReplayStore()
        try Self.expectBound(Self.assertion(store), 300, "JWT", [:], needsIssueTime: false, store: store)
        store = InMemoryReplayStore()
        try Self.expectBound(
            Self.request(store), 3600, "oauth-authz-req+jwt", ["sub": nil], needsIssueTime: false, store: store)
        store = InMemoryReplayStore()
        let events = #"{"\#(LogoutTokenProfile.event)":{}}"#
        try Self.expectBound(
            Self.logout(store), 300, "logout+jwt", ["events": events], needsIssueTime: true, store: store)
        // As configured.
        store = InMemoryReplayStore()
        var strict = Self.logout(store)
        strict.maximumLifetime = .seconds(120)
        try Self.expectBound(strict, 120, "logout+jwt", ["events": events], needsIssueTime: true, store: store)
        for bad in [Duration.seconds(-1), .seconds(Int64.max)] {
            strict.maximumLifetime = bad
            #expect(throws: TokenError.policyInvalid(.duration)) { try TokenVerifier(strict) }
        }
    }

    /// Tokens that are used once, for as long as their issuer likes.
    private struct EndlessProfile: TokenProfile {
        var policy: TokenPolicy
        var replayStore: (any ReplayStore)?
        func check(_ token: VerifiedToken) throws(TokenError) {}
    }

    @Test("T78 a profile with a replay store and no maximum lifetime is rejected by every kind of verifier")
    func unbounded()
        throws
    {
        let claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        func policy(_ claims: ClaimPolicy, _ isNested: Bool) -> TokenPolicy {
            let inner = SignaturePolicy(algorithms: [.es256])
            let outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
            return isNested ? .nested(outer: outer, inner: inner, claims: claims) : .signed(inner, claims: claims)
        }
        let store = InMemoryReplayStore()
        let key = try PrivateKey.generate(.p256)
        let fault = TokenError.policyInvalid(.lifetimeUnbounded)
        let endless = EndlessProfile(policy: policy(claims, false), replayStore: store)
        #expect(throws: fault) { try TokenVerifier(endless, verificationKeys: key) }
        #expect(throws: fault) { try TokenVerifier(issuers: [TrustedIssuer(endless, keys: key)]) }
        let sealed = EndlessProfile(policy: policy(claims, true), replayStore: store)
        #expect(throws: fault) { try TokenVerifier(sealed, verificationKeys: key, decryptionKeys: key) }
        // Without a store, or with a bound, there is nothing to fill.
        var bounded = claims
        bounded.maximumLifetime = .seconds(3600)
        for good in [(claims, nil), (bounded, store)] as [(ClaimPolicy, InMemoryReplayStore?)] {
            let profile = EndlessProfile(policy: policy(good.0, false), replayStore: good.1)
            #expect(throws: Never.self) { try TokenVerifier(profile, verificationKeys: key) }
            #expect(throws: Never.self) { try TokenVerifier(issuers: [TrustedIssuer(profile, keys: key)]) }
            let nested = EndlessProfile(policy: policy(good.0, true), replayStore: good.1)
            #expect(throws: Never.self) { try TokenVerifier(nested, verificationKeys: key, decryptionKeys: key) }
        }
    }

    @Test("T78 a client that sends all it can leaves room in the replay store, and frees its part within an hour")
    func oneClient() throws {
        let fixture = try ProfileFixture()
        let store = InMemoryReplayStore(capacity: 20)
        func error(_ client: String, _ number: Int, at now: NumericDate = ProfileFixture.now) throws -> TokenError? {
            var profile = Self.request(store, client)
            profile.claims.clock = .fixed(now)
            let verifier = try TokenVerifier(profile, verificationKeys: fixture.keys)
            let text = ProfileFixture.text(
                Self.claims,
                [
                    "iss": "\"\(client)\"", "client_id": "\"\(client)\"", "sub": nil, "jti": "\"\(number)\"",
                    "exp": "\(Int(now.secondsSince1970) + 3660)",
                ])
            let token = try fixture.sign(text, type: "oauth-authz-req+jwt")
            return Seen { () throws(TokenError) in try verifier.verify(token) }.error
        }
        for number in 0..<40 {
            #expect(try error("greedy", number) == (number < 10 ? nil : .replay(.shareFull)), "\(number)")
        }
        for number in 0..<5 { #expect(try error("client", number) == nil, "\(number)") }
        #expect(try error("client", 0) == .replay(.seen))
        // The longest lifetime, and the leeway twice: of exp, and of the mark.
        let later = ProfileFixture.now + .seconds(3720)
        for number in 0..<10 { #expect(try error("client", number, at: later) == nil, "\(number)") }
        #expect(store.count == 10)
    }
}
