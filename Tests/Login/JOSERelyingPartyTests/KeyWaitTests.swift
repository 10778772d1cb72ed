import JOSE
import JOSEItsme
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// A login whose token after the ID token is signed with a key that the provider did not publish before.
struct KeyWaitCase: Sendable, CustomTestStringConvertible {
    struct Login: Sendable {
        let fixture: LoginFixture
        let newKey: PublicKey
        let perform: @Sendable () async throws -> LoggedInUser
    }
    let testDescription: String
    /// The step in which the token is verified.
    let step: LoginStep
    let login: @Sendable (_ timeLimit: Duration) throws -> Login

    static let all = [
        KeyWaitCase(testDescription: "signed userinfo", step: .userInfo, login: userInfo),
        KeyWaitCase(testDescription: "MitID: userinfo token", step: .userInfo, login: userInfoToken),
        KeyWaitCase(testDescription: "MitID: transaction token", step: .transactionToken, login: transactionToken),
        KeyWaitCase(testDescription: "DigiD: access token", step: .accessToken, login: accessToken),
    ]

    private static func userInfo(_ timeLimit: Duration) throws -> Login {
        let fixture = try LoginFixture.itsmeV1(.signed) { $0.timeLimit = timeLimit }
        let key = try PrivateKey.stored(keyID: "new")
        let provider = fixture.provider
        provider.script.userInfo = { claims in
            var script = provider.script
            script.signingKey = key
            return .jwt(try provider.sign(claims, script))
        }
        return Login(fixture: fixture, newKey: key.publicKey) { try await fixture.login() }
    }

    /// Returns a login whose token response has a further token.
    private static func mitID(
        _ timeLimit: Duration, _ scope: MitIDScope, at now: NumericDate, type: String, _ claims: String,
        _ key: PrivateKey, _ newKey: PublicKey
    ) throws -> Login {
        var profile = ProviderProfile.mitID(MitIDFixture.settings)
        profile.timeLimit = timeLimit
        let fixture = try MitIDFixture(profile, request: .mitID(scopes: [scope]))
        fixture.clock.now = now
        let seconds = Int(now.secondsSince1970)
        let token = try Forge.signed(
            header: #"{"alg":"RS256","kid":"\#(key.keyID ?? "")","typ":"\#(type)"}"#,
            payload: #"{"iss":"\#(MitIDFixture.issuer)","aud":"partner-code","sub":"user-1","iat":\#(seconds),"#
                + #""exp":\#(seconds + 300)\#(claims)}"#, with: .privateKey(key), .rs256)
        fixture.provider.script.userInfoClaims = { _ in }
        fixture.provider.script.tokenResponse = { $0.dropLast() + #","\#(scope.rawValue)":"\#(token)"}"# }
        return Login(fixture: fixture.fixture, newKey: newKey) { try await fixture.login() }
    }

    private static func userInfoToken(_ timeLimit: Duration) throws -> Login {
        let key = try PrivateKey.stored(keyID: "new")
        return try mitID(timeLimit, .userInfoToken, at: TestClock().now, type: "at+jwt", "", key, key.publicKey)
    }

    private static func transactionToken(_ timeLimit: Duration) throws -> Login {
        let authority = try MitIDAuthority.made.get()
        let published = try authority.jwk()
        var key = try authority.key.privateKeyOfTests
        key.keyID = published.keyID
        return try mitID(
            timeLimit, .transactionToken, at: authority.now, type: "JWT",
            #","transaction_id":"t-1","amr":"code_app","transaction_actions":"APPROVE""#, key,
            try #require(published.publicKey))
    }

    private static func accessToken(_ timeLimit: Duration) throws -> Login {
        let fixture = try DigiDOpenIDFixture(timeLimit: timeLimit)
        let key = try PrivateKey.stored(keyID: "new")
        return Login(fixture: fixture.fixture, newKey: key.publicKey) { try await fixture.login { $0.accessKey = key } }
    }
}

@Suite("Waiting for a provider's new keys") struct KeyWaitTests {
    @Test(
        "a token whose new key cannot be fetched within the time limit of the call is unreachable",
        arguments: KeyWaitCase.all)
    func newKey(_ one: KeyWaitCase) async throws {
        for (timeLimit, isPublished, wanted) in [
            (3, false, .unreachable), (15, false, .keyNotFound), (15, true, nil),
        ] as [(Int, Bool, RelyingPartyError.Reason?)] {
            let login = try one.login(.seconds(timeLimit))
            let (provider, clock) = (login.fixture.provider, login.fixture.clock)
            _ = try await login.fixture.party.beginLogin(login.fixture.request)
            // A fetch is due again, and takes six seconds.
            clock.advance(by: .seconds(70))
            if isPublished { provider.script.published.append(login.newKey) }
            let keys = provider.keys(provider.script)
            provider.script.answers[.keys] = { _ in
                clock.advance(by: .seconds(6))
                return .json(keys)
            }
            let error = try await refusal { try await login.perform() }
            #expect(error?.reason == wanted && error?.step == (wanted == nil ? nil : one.step), "\(timeLimit)")
            #expect(provider.calls(.keys) == 2, "\(timeLimit)")
        }
    }
}
