import JOSE
import JOSETokens
import Testing

@Suite("Logout token, OpenID Connect Back-Channel Logout") struct LogoutTokenProfileTests {
    private static let good = [
        "iss": #""https://id.example""#, "aud": #""client""#, "sub": #""u""#, "sid": #""s""#, "exp": "1700000120",
        "iat": "1700000000", "jti": #""x""#, "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
    ]
    private static func profile(store: (any ReplayStore)? = nil) -> LogoutTokenProfile {
        var profile = LogoutTokenProfile(
            issuer: ProfileFixture.issuer, clientID: "client", algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static let missing: [ProfileCase] =
        ["exp", "iat", "jti", "events"].map {
            .refused("2.4: without \($0)", [$0: nil], .missing(ClaimName($0)))
        }
    private static let cases: [ProfileCase] = [
        .refused("2.4: nonce is prohibited", ["nonce": #""n""#], .forbidden("nonce")),
        .refused("2.4: nonce is prohibited, null too", ["nonce": "null"], .forbidden("nonce")),
        .refused("2.4: neither sub nor sid", ["sub": nil, "sid": nil], .missing("sub")),
        .accepted("2.4: sid alone", ["sub": nil]),
        .accepted("2.4: sub alone", ["sid": nil]),
        .refused("2.4: sid is a string", ["sid": "5"], .invalid("sid")),
        .refused("2.4: sid says something", ["sid": #""""#, "sub": nil], .invalid("sid")),
        .refused("2.4: sub is not empty", ["sub": #""""#], .invalid("sub")),
        .refused("2.4: sub is a string", ["sub": "5"], .invalid("sub")),
        .refused("2.4: sub is ASCII, as that of the ID token", ["sub": #""é""#], .invalid("sub")),
        .refused(
            "2.4: sub of 256 characters", ["sub": "\"" + String(repeating: "a", count: 256) + "\""], .invalid("sub")),
        .accepted("2.4: sub of 255 characters", ["sub": "\"" + String(repeating: "a", count: 255) + "\""]),
        .refused("2.4: iat is not negative", ["iat": "-1"], .invalid("iat")),
        .refused("2.4: exp is not negative", ["exp": "-1"], .invalid("exp")),
        .refused(
            "2.4: events is an object", ["events": #"["http://schemas.openid.net/event/backchannel-logout"]"#],
            .invalid("events")),
        .refused("2.4: events without the logout", ["events": #"{"x":{}}"#], .invalid("events")),
        .refused(
            "2.4: the logout is an object",
            ["events": #"{"http://schemas.openid.net/event/backchannel-logout":true}"#], .invalid("events")),
        .accepted(
            "2.4: other events beside it",
            ["events": #"{"x":{},"http://schemas.openid.net/event/backchannel-logout":{"y":1}}"#]),
        .refused("2.6: iss", ["iss": #""https://other.example""#], .issuerMismatch),
        .refused("2.6: aud", ["aud": #""other""#], .audienceMismatch),
        .type("JWT"), .type(nil), .type("application/logout+jwt", good: true),
    ]

    @Test("R24: each rule rejects a violation, and accepts a valid token", arguments: missing + cases)
    func rules(_ one: ProfileCase)
        throws
    {
        try one.run(Self.profile(), claims: Self.good, type: "logout+jwt")
    }

    @Test("T67: a logout token is accepted once, and a rejected one is not stored") func replay() throws {
        let fixture = try ProfileFixture()
        let store = InMemoryReplayStore(capacity: 1)
        let verifier = try TokenVerifier(Self.profile(store: store), verificationKeys: fixture.keys)
        let bad = try fixture.sign(ProfileFixture.text(Self.good, ["events": "{}"]), type: "logout+jwt")
        #expect(throws: TokenError.claim(.invalid("events"))) { try verifier.verify(bad) }
        let token = try fixture.sign(ProfileFixture.text(Self.good), type: "logout+jwt")
        #expect(throws: Never.self) { try verifier.verify(token) }
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
        let other = try fixture.sign(ProfileFixture.text(Self.good, ["jti": #""y""#]), type: "logout+jwt")
        #expect(throws: TokenError.replay(.storeFull)) { try verifier.verify(other) }
        let half = try TokenVerifier(
            Self.profile(store: InMemoryReplayStore(capacity: 2)), verificationKeys: fixture.keys)
        #expect(throws: Never.self) { try half.verify(token) }
        #expect(throws: TokenError.replay(.shareFull)) { try half.verify(other) }
    }
}
