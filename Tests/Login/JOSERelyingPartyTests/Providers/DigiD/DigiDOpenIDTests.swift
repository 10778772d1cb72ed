import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

@Suite("DigiD by OpenID Connect: logins") struct DigiDOpenIDTests {
    @Test("a login returns sector, number and level") func login() async throws {
        let fixture = try DigiDOpenIDFixture()
        let user = try await fixture.login()
        let digiD = try #require(user.digiD)
        #expect(digiD.number == DigiDNumber(DigiDOpenIDFixture.number) && digiD.number.sector == .bsn)
        #expect(digiD.level == .midden && user.issuer == DigiDOpenIDFixture.issuer)
        for value in [user, user.tokens, user.idToken, digiD] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains(DigiDOpenIDFixture.number))
        }
    }

    @Test(
        "the request object is passed by value: RS256 with kid, a lifetime of a minute, only the scope openid"
    )
    func request()
        async throws
    {
        let fixture = try DigiDOpenIDFixture()
        let start = try await fixture.party.beginLogin()
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let header = try UnverifiedToken(object).header
        #expect(header.algorithmName == "RS256" && header.keyID == "s1")
        let claims = fixture.provider.read(object)
        #expect(claims["client_id"] == DigiDOpenIDFixture.clientID && claims["response_type"] == "code")
        #expect(claims["scope"] == "openid" && claims["redirect_uri"] == LoginFixture.redirectURI)
        for name in ["state", "nonce", "code_challenge", "jti"] {
            #expect((claims[name] ?? "").utf8.count == 43, "\(name)")
        }
        #expect(claims["code_challenge_method"] == "S256" && claims["aud"] == DigiDOpenIDFixture.issuer)
        let (issued, end) = (Double(claims["iat"] ?? "") ?? 0, Double(claims["exp"] ?? "") ?? 0)
        #expect(end - issued == 60 && claims["iss"] == DigiDOpenIDFixture.clientID)
        #expect(start.expires == fixture.clock.now + .seconds(900))

        var more = LoginRequest()
        more.scopes = ["openid", "profile"]
        #expect(try await refusal { try await fixture.party.beginLogin(more) }?.reason == .invalidParameter("scope"))
        var other = LoginRequest()
        other.acrValues = ["http://eidas.europa.eu/LoA/high"]
        #expect(
            try await refusal { try await fixture.party.beginLogin(other) }?.reason == .invalidParameter("acr_values"))
        other.acrValues = []
        _ = try await fixture.party.beginLogin(other)
    }

    @Test(
        "the token request has code, client_id and verifier, and no client credentials (RFC 8705, 2.1)"
    )
    func tokenRequest() async throws {
        let fixture = try DigiDOpenIDFixture()
        _ = try await fixture.login()
        let form = fixture.provider.lastForm(.token)
        #expect(form.names.sorted() == ["client_id", "code", "code_verifier", "grant_type"])
        #expect(form["client_id"] == DigiDOpenIDFixture.clientID && form["grant_type"] == "authorization_code")
        #expect(fixture.provider.last(.token)?.headers.contains { $0.name == "Authorization" } == false)
    }

    @Test("the client ID must be a UUID, and the redirect URI must have a path") func client() throws {
        _ = try DigiDOpenIDFixture()
        for id in [
            "partner", "0b9c6e2e6d9b4a3e8d8c5a2f3a8b1c4d", DigiDOpenIDFixture.clientID + "0",
            "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4g",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDFixture(clientID: id)
            }
        }
        for uri in [
            "https://service.test", "https://service.test/", "https://service.test/a?b", "http://service.test/a",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDFixture(redirectURI: uri)
            }
        }
    }

    @Test("the token response must contain this login's state") func state() async throws {
        let fixture = try DigiDOpenIDFixture()
        #expect(try await fixture.failure { $0.response = { $0 } } == nil)
        for text in [#""state":"x""#, #""state":null"#, #""other":"x""#] {
            let error = try await fixture.failure { $0.response = { $0.replacing(/"state":"[^"]*"/, with: text) } }
            #expect(error == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        }
    }

    @Test("only a redirect to DigiD's app with the parameter data is accepted") func appRedirect() throws {
        #expect(try DigiDAppRedirect(location: "https://app.digid.nl/digid-app?data=abc").url.hasSuffix("data=abc"))
        #expect(
            try DigiDAppRedirect(location: "https://box.test/digid-app?data=a", appHost: "box.test").url.hasPrefix(
                "https://box"))
        for location in [
            "https://app.digid.nl/digid-app?data=", "https://app.digid.nl/digid-app",
            "https://app.digid.nl/other?data=a",
            "http://app.digid.nl/digid-app?data=a", "https://app.digid.nl.x.test/digid-app?data=a",
            "https://x@app.digid.nl/digid-app?data=a", "https://app.digid.nl/digid-app?data=a&x=b",
            "https://app.digid.nl:444/digid-app?data=a", "https://app.digid.nl/digid-app?data=a#b",
            "digid-app-auth://data=a",
        ] {
            #expect(
                failure { try DigiDAppRedirect(location: location) } == .invalidParameter("app_redirect"), "\(location)"
            )
        }
    }
}
