import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Testing

@testable import JOSERelyingParty

@Suite("Rules for the claims of a login") struct LoginRuleTests {
    private static func fixture(rules: [LoginRule]) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        var profile = ProviderProfile(name: "own", production: nil)
        profile.idToken.rules = rules
        return try LoginFixture(profile, manner: manner, request: LoginRequest())
    }

    @Test("an essential acr without values is met by any level, and not by a token without one (R20)")
    func essentialLevels() async throws {
        let ranks = ["low", "high"]
        let fixture = try Self.fixture(rules: IDTokenRules.openIDRules(levels: .acr { ranks.firstIndex(of: $0) }))
        for (value, given, isReached) in [
            (nil, "low", true), (nil, "unknown", true), (nil, "", true), (nil, nil, false), ("high", "high", true),
            ("high", "low", false), ("high", nil, false),
        ] as [(String?, String?, Bool)] {
            var request = LoginRequest()
            var claims = ClaimsRequest()
            claims.askInIDToken("acr", .essential(value: value.map { ClaimValue.string($0) }))
            request.claims = claims
            fixture.provider.script.idTokenClaims = { $0["acr"] = given.map { .string($0) } }
            let error = try await fixture.failure(request)
            #expect(error == (isReached ? nil : .idToken(.acrTooLow)), "\(value ?? "any"): \(given ?? "none")")
        }
    }

    @Test("a required time must be present, and be a number of seconds that is not negative (RFC 7519, 2)")
    func requiredTimes() async throws {
        let own = LoginRule { login throws(RelyingPartyError.Reason) in
            let time = try login.requiredTime("verified_at")
            #expect(time >= 0)
        }
        let fixture = try Self.fixture(rules: IDTokenRules.openIDRules() + [own])
        for (value, reason) in [
            (1_700_000_000, nil), (0, nil), (nil, .claimMissing("verified_at")), (-1, .claimType("verified_at")),
            ("1700000000", .claimType("verified_at")),
        ] as [(ClaimValue?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = { $0["verified_at"] = value } }
            #expect(error == reason.map { RelyingPartyError.idToken($0) })
        }
    }
}
