import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

extension ItsmeSampleTests {
    /// Returns the form that the client posts to the token endpoint for the code and the redirect URI of a sample.
    private static func tokenForm(_ fixture: LoginFixture, _ sample: ProviderSample) async throws -> SentParameters {
        let provider = try await fixture.party.directory.provider(nil, until: nil)
        let transaction = LoginTransaction(
            profile: "", clientID: "", issuer: provider.issuer, state: "", nonce: "",
            redirectURI: try #require(sample.members["redirect_uri"]), responseMode: .query, bindingHash: "",
            created: 0)
        let code = try #require(sample.members["code"])
        // The scripted provider does not know the code.
        await #expect(throws: RelyingPartyError.self) {
            try await fixture.party.redeem(code, transaction, at: provider, until: fixture.party.callDeadline())
        }
        return SentParameters(fixture.provider.lastForm(.token))
    }

    static let requests: SampleTable = [
        "itsme/authorization-request-v1": { sample in
            var request = LoginRequest.itsme(service: "client.registration", scopes: [.profile, .email])
            request.scopes = ["openid", "profile", "email", "service:client.registration"]
            let sent = try SentParameters(
                request, .itsmeV1(), clientID: "s6BhdRkqt3", redirectURI: "https://client.example.org/cb", like: sample)
            return sent.reading(sample, besides: ["nonce"])
        },
        "itsme/authorization-request-claims-v1": { sample in
            var request = LoginRequest.itsme(service: "yourservicecode", scopes: [.profile])
            request.maximumAge = .seconds(1)
            var claims = ClaimsRequest()
            claims.askInUserInfo("tag:sixdots.be,2016-06:claim_nationality")
            claims.askInIDToken("auth_time", .essential)
            request.claims = claims
            let sent = try SentParameters(
                request, .itsmeV1(), clientID: "yourpartnercode", redirectURI: "https://service.test/callback",
                like: sample)
            let path = "claims/userinfo/"
            return sent.reading(
                sample, besides: [path + "tag:sixdots.be,2016-06:claim_nationality"],
                differs: [
                    "redirect_uri": ("https://service.test/callback", "The sample has a placeholder that is no URI."),
                    path + " tag:sixdots.be,2016-06:claim_nationality": (
                        nil, "The name begins with a space by mistake."
                    ),
                    "claims/id_token/acr_values/value": (nil, "The level travels in the parameter acr_values."),
                    "prompt": (nil, "The document's table of parameters allows consent alone."),
                ])
        },
        "itsme/authorization-request-reference": { sample in
            let fixture = try Self.partner()
            let start = try await fixture.party.beginLogin(fixture.request)
            let sent = SentParameters(FormFields(ofURL: start.url))
            let inObject = "The request object has it, and its values count."
            return sent.reading(
                sample, besides: [],
                differs: [
                    "redirect_uri": (nil, inObject), "acr_values": (nil, inObject), "nonce": (nil, inObject),
                ])
        },
        "itsme/request-object-v2": { sample in
            let fixture = try Self.partner()
            let start = try await fixture.party.beginLogin(fixture.request)
            let object = try #require(start.requestDocument?.body)
            let sent = SentParameters(try JSON(fixture.provider.requestObject(object)))
            #expect(sent.values["state"]?.utf8.count == 43)
            return sent.reading(
                sample, besides: ["nonce", "iat", "exp", "jti", "acr_values"],
                differs: [
                    "state": (sent.values["state"], "The sample has a placeholder; ours is random."),
                    "aud": (LoginFixture.issuer + "/authorization", "The sample has a placeholder for the base URL."),
                ])
        },
        "itsme/token-request-v2": { sample in
            let sent = try await tokenForm(try LoginFixture.itsmeV2(), sample)
            let assertion = sent.values["client_assertion"]
            #expect(assertion?.split(separator: ".").count == 5)
            return sent.reading(
                sample, besides: [], differs: ["client_assertion": (assertion, "The sample cuts the assertion short.")])
        },
        "itsme/token-request-secret": { sample in
            let fixture = try LoginFixture.itsmeSecret()
            return try await tokenForm(fixture, sample).reading(
                sample, besides: [],
                differs: [
                    "client_id": (fixture.client.id, "The test's client has another identifier."),
                    "client_secret": (fixture.provider.manner.secret, "The sample cuts the secret short."),
                ])
        },
    ]

    /// A client of the second generation whose request travels by reference, as in the samples.
    private static func partner() throws -> LoginFixture {
        var manner = ProviderManner(
            authentication: .assertion(audience: LoginFixture.issuer + "/token", isEncrypted: true))
        manner.clientID = "MY_PARTNER_CODE"
        manner.subject = LoginFixture.secondSubject
        var request = LoginRequest.itsme(service: "TEST_code", level: .basic, scopes: [.profile, .email])
        var claims = ClaimsRequest()
        claims.askInUserInfo("http://itsme.services/V2/claim/BEeidSN")
        claims.askInUserInfo("http://itsme.services/v2/claim/place_of_birth")
        request.claims = claims
        request.delivery = .reference("https://test.istme.be:443/p/test")
        return try LoginFixture(.itsmeV2, manner: manner, request: request, redirectURIs: ["https://test.istme.be"])
    }
}
