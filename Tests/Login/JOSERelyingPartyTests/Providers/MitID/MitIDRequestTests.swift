import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: requests") struct MitIDRequestTests {
    private func request(_ change: (inout MitIDParameters) -> Void) -> LoginRequest {
        var request = LoginRequest.mitID()
        var parameters = MitIDParameters()
        change(&parameters)
        request.mitID = parameters
        return request
    }

    @Test(
        "MitID case 4: rejects an app link that is not https, not listed, or on a host without the association files"
    )
    func appLinks() async throws {
        var settings = MitIDSettings()
        settings.appLinks = MitIDAppLinks(
            urls: [MitIDFixture.link, "http://app.service.test/back", "https://other.service.test/back"],
            associatedHosts: ["app.service.test"])
        let fixture = try MitIDFixture(.mitID(settings))
        func link(_ url: String) -> LoginRequest { request { $0.appSwitch = .init(.iOS, url: url) } }
        #expect(try await fixture.refused(link(MitIDFixture.link)) == nil)
        for url in [
            "http://app.service.test/back", "https://other.service.test/back", MitIDFixture.link + "/", "myapp://back",
            "",
            "https://app.service.test.evil.test/back",
        ] {
            #expect(try await fixture.refused(link(url)) == .request(.invalidParameter("app_switch_url")), "\(url)")
        }
        #expect(fixture.provider.calls(.token) == 0)
    }

    @Test(
        "MitID case 5: a civil registration number is sent encrypted or by the back end, and never in the clear through the browser"
    )
    func cprHint() async throws {
        let wanted = request { $0.cprHint = CPRNumber("0101901234") }
        var plain = wanted
        plain.delivery = .query
        #expect(try await MitIDFixture().refused(wanted) == .request(.invalidParameter("cpr_hint")))
        #expect(try await MitIDFixture().refused(plain) == .request(.invalidParameter("cpr_hint")))
        let settings = MitIDFixture.settings
        #expect(try await MitIDFixture(.mitIDEncrypted(settings)).refused(wanted) == nil)
        let pushed = try MitIDFixture(.mitIDPushed(settings))
        let start = try await pushed.party.beginLogin(wanted)
        #expect(!start.url.contains("0101901234"))
        #expect(FormFields(ofURL: start.url).names == ["client_id", "request_uri"])
    }

    @Test("the broker's own codes have their meaning at the endpoints where logins fail, and at no other") func codes()
        throws
    {
        let errors = ProviderProfile.mitID(MitIDFixture.settings).errors
        let denied = try #require(ProviderErrorCode("access_denied"))
        let other = try #require(ProviderErrorCode("invalid_request"))
        for (endpoint, isMeant) in [
            (ErrorRules.Endpoint.authorization, true), (.token, true), (.pushedRequest, false), (.userInfo, false),
        ] {
            #expect(errors.meaning(denied, "mitid_user_aborted", endpoint)?.reason == (isMeant ? .cancelled : nil))
            #expect(errors.meaning(other, "mitid_user_aborted", endpoint)?.reason == nil)
            #expect(errors.meaning(denied, nil, endpoint)?.reason == nil)
        }
    }

    @Test("each rule of a parameter rejects before anything is sent") func rules() async throws {
        let fixture = try MitIDFixture()
        func set(_ name: ParameterName, _ value: String) -> LoginRequest {
            var request = LoginRequest.mitID()
            request[name] = value
            return request
        }
        for (name, good, bad) in [
            ("prompt", "login", "consent"), ("max_age", "60", "-1"), ("language", "kl", "de"),
            ("idp_values", "mitid mitid_erhverv", "mitid  erhverv"), ("idp_params", #"{"mitid":{}}"#, "{}"),
            ("signtext_id", "a-1", "a b"),
        ] as [(ParameterName, String, String)] {
            #expect(try await fixture.refused(set(name, good)) == nil, "\(name)")
            #expect(try await fixture.refused(set(name, bad)) == .request(.invalidParameter(name)), "\(name)")
        }
        for name in ["state", "nonce", "code_challenge", "response_mode", "request", "client_id", "ui_locales"]
            as [ParameterName]
        {
            #expect(try await fixture.refused(set(name, "x")) == .request(.invalidParameter(name)), "\(name)")
        }
        var scopes = LoginRequest.mitID(scopes: MitIDScope.allCases)
        #expect(try await fixture.refused(scopes) == nil)
        scopes.scopes.append("email")
        #expect(try await fixture.refused(scopes) == .request(.invalidParameter("scope")))
        for (hint, isAccepted) in [("0b9c6e2e", true), ("", false), ("0b9c 6e2e", false), ("0b9c\u{E6}", false)] {
            let error = try await fixture.refused(request { $0.uuidHint = hint })
            #expect(error == (isAccepted ? nil : .request(.invalidParameter("uuid_hint"))), "\(hint)")
        }
        let text = String(repeating: "\u{E6}", count: 130)
        #expect(try await fixture.refused(request { $0.referenceText = text }) == nil)
        #expect(
            try await fixture.refused(request { $0.referenceText = text + "." })
                == .request(.invalidParameter("reference_text")))
        var stepUp = request { $0.stepsUp = true }
        #expect(try await fixture.refused(stepUp) == .request(.invalidParameter("enable_step_up")))
        stepUp["prompt"] = "login"
        #expect(try await fixture.refused(stepUp) == nil)
    }

    @Test("a plain request has each parameter once in the query, PKCE with S256, and form_post") func query()
        async throws
    {
        let fixture = try MitIDFixture()
        var wanted = request { $0.appSwitch = .init(.android, url: MitIDFixture.link) }
        wanted.delivery = .query
        let start = try await fixture.party.beginLogin(wanted)
        let fields = FormFields(ofURL: start.url)
        #expect(Set(fields.names).count == fields.names.count)
        #expect(fields["code_challenge_method"] == "S256")
        #expect(fields["response_mode"] == "form_post")
        #expect(fields["response_type"] == "code")
        #expect(fields["idp_values"] == "mitid")
        #expect(
            fields["idp_params"]
                == #"{"mitid":{"enable_app_switch":true,"app_switch_os":"android","app_switch_url":"https://app.service.test/back"}}"#
        )
    }

    @Test("MitID case 25: the audience of an assertion is the issuer, never the token endpoint (R14)")
    func assertionAudience() async throws {
        let fixture = try MitIDFixture()
        #expect(try await fixture.failure() == nil)
        let assertion = try #require(fixture.provider.lastForm(.token)["client_assertion"])
        guard
            case .object(let claims) = try JSON(try #require(Forge.decoded(String(assertion.split(separator: ".")[1]))))
        else {
            Issue.record("not an object")
            return
        }
        #expect(claims["aud"]?.string == MitIDFixture.issuer)
        #expect(claims["exp"] == .number(1_700_000_120))
        #expect(claims["sub"]?.string == "partner-code" && claims["iss"]?.string == "partner-code")
        let profile = ClientAssertionProfile(
            clientID: "partner-code", server: MitIDFixture.issuer, algorithms: [.rs256], replayStore: nil)
        let issuer = try TokenIssuer(profile.policy, signingKey: .privateKey(TestKeys.client))
        #expect(throws: TokenError.claim(.audienceMismatch)) {
            try issuer.issue(["jti": "1", "aud": .string(MitIDFixture.issuer + "/connect/token")])
        }
        #expect(throws: Never.self) { try issuer.issue(["jti": "1"]) }
    }

    @Test("MitID case 26: identifier and secret are form-encoded before base64 (RFC 6749, 2.3.1)")
    func basic() async throws {
        let fixture = try MitIDFixture(
            credentials: .secret("a+b/c="), authentication: .clientSecretBasic(isFormEncoded: true))
        var query = LoginRequest.mitID()
        query.delivery = .query
        let failed = try await fixture.failure(query)
        // The scripted provider requires an assertion. Only the request that it received matters here.
        #expect(failed?.step == .tokenResponse)
        let header = try #require(fixture.provider.last(.token)?.headers.first { $0.name == "Authorization" }?.value)
        let pair = try #require(Data(base64Encoded: String(header.dropFirst("Basic ".count))))
        #expect(header.hasPrefix("Basic "))
        #expect(String(decoding: pair, as: UTF8.self) == "partner-code:a%2Bb%2Fc%3D")
    }

    @Test("MitID case 29: the request_uri of a pushed request works once, for ten minutes (R16)")
    func pushed() async throws {
        let fixture = try MitIDFixture(.mitIDPushed(MitIDFixture.settings))
        let start = try await fixture.party.beginLogin(fixture.fixture.request)
        let form = fixture.provider.lastForm(.pushed)
        #expect(form["client_assertion"] != nil && form["request"] != nil)
        #expect(try start.url(at: fixture.clock.now + .seconds(599)) == start.url)
        #expect(throws: RelyingPartyError(.expired, in: .request)) {
            try start.url(at: fixture.clock.now + .seconds(600))
        }
        let user = try await fixture.party.completeLogin(
            callback: MitIDFixture.callback(fixture.form(start.url)), binding: start.binding)
        #expect(user.subject == "user-1")
        // A request_uri that was returned before is rejected.
        let uri = try #require(FormFields(ofURL: start.url)["request_uri"])
        fixture.provider.script.answers[.pushed] = { _ in
            .json(#"{"request_uri":"\#(uri)","expires_in":86400}"#, status: 201)
        }
        #expect(
            try await refusal { try await fixture.party.beginLogin(fixture.fixture.request) }
                == RelyingPartyError(.replayed, in: .pushedRequest))
        fixture.provider.script.answers[.pushed] = { _ in
            .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:new","expires_in":86400}"#, status: 201)
        }
        let long = try await fixture.party.beginLogin(fixture.fixture.request)
        #expect(throws: RelyingPartyError(.expired, in: .request)) {
            try long.url(at: fixture.clock.now + .seconds(600))
        }
        fixture.provider.script.answers[.pushed] = { _ in .json(#"{"error":"invalid_request"}"#, status: 400) }
        let refused = try await refusal { try await fixture.party.beginLogin(fixture.fixture.request) }
        #expect(refused?.reason == .providerError(try #require(ProviderErrorCode("invalid_request"))))
    }
}
