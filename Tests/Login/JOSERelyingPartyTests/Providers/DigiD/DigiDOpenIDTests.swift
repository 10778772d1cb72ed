import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSERelyingParty

@Suite("Logging in with DigiD by OpenID Connect") struct DigiDOpenIDTests {
    @Test("a user logs in: sector, number and level") func login() async throws {
        let desk = try DigiDOpenIDDesk()
        let user = try await desk.login()
        let digiD = try #require(user.digiD)
        #expect(digiD.number == DigiDNumber(DigiDOpenIDDesk.number) && digiD.number.sector == .bsn)
        #expect(digiD.level == .midden && user.issuer == DigiDOpenIDDesk.issuer)
        for value in [user, user.tokens, user.idToken, digiD] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains(DigiDOpenIDDesk.number))
        }
    }

    @Test("the request is by value: RS256 with kid, every claim, a minute's life, and exactly openid") func request()
        async throws
    {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let header = try UnverifiedToken(object).header
        #expect(header.algorithmName == "RS256" && header.keyID == "s1")
        let claims = desk.provider.read(object)
        #expect(claims["client_id"] == DigiDOpenIDDesk.clientID && claims["response_type"] == "code")
        #expect(claims["scope"] == "openid" && claims["redirect_uri"] == LoginDesk.redirectURI)
        for name in ["state", "nonce", "code_challenge", "jti"] {
            #expect((claims[name] ?? "").utf8.count == 43, "\(name)")
        }
        #expect(claims["code_challenge_method"] == "S256" && claims["aud"] == DigiDOpenIDDesk.issuer)
        let (issued, end) = (Double(claims["iat"] ?? "") ?? 0, Double(claims["exp"] ?? "") ?? 0)
        #expect(end - issued == 60 && claims["iss"] == DigiDOpenIDDesk.clientID)
        #expect(start.expires == desk.clock.now + 900)

        var more = LoginRequest()
        more.scopes = ["openid", "profile"]
        #expect(try await refusal { try await desk.party.beginLogin(more) }?.failure == .invalidParameter("scope"))
        var other = LoginRequest()
        other.acrValues = ["http://eidas.europa.eu/LoA/high"]
        #expect(
            try await refusal { try await desk.party.beginLogin(other) }?.failure == .invalidParameter("acr_values"))
        other.acrValues = []
        _ = try await desk.party.beginLogin(other)
    }

    @Test(
        "RFC 8705, 2.1: the token request has the code, the client's name and the verifier, and nothing that proves anything"
    )
    func tokenRequest() async throws {
        let desk = try DigiDOpenIDDesk()
        _ = try await desk.login()
        let form = desk.provider.lastForm(.token)
        #expect(form.names.sorted() == ["client_id", "code", "code_verifier", "grant_type"])
        #expect(form["client_id"] == DigiDOpenIDDesk.clientID && form["grant_type"] == "authorization_code")
        #expect(desk.provider.last(.token)?.headers.contains { $0.name == "Authorization" } == false)
    }

    @Test("the client is a UUID, and its redirect URI a whole path") func client() throws {
        _ = try DigiDOpenIDDesk()
        for id in [
            "partner", "0b9c6e2e6d9b4a3e8d8c5a2f3a8b1c4d", DigiDOpenIDDesk.clientID + "0",
            "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4g",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDDesk(clientID: id)
            }
        }
        for uri in [
            "https://service.test", "https://service.test/", "https://service.test/a?b", "http://service.test/a",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDDesk(redirectURI: uri)
            }
        }
    }

    @Test("the token response names this login's state") func state() async throws {
        let desk = try DigiDOpenIDDesk()
        #expect(try await desk.failure { $0.response = { $0 } } == nil)
        for text in [#""state":"x""#, #""state":null"#, #""other":"x""#] {
            let error = try await desk.failure { $0.response = { $0.replacing(/"state":"[^"]*"/, with: text) } }
            #expect(error == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        }
    }

    @Test("only DigiD's app is opened, by a link with its data") func appRedirect() throws {
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
