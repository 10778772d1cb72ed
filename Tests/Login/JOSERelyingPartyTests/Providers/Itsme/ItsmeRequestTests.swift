import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("itsme: requests and client authentication") struct ItsmeRequestTests {
    private func expect(
        _ fixture: LoginFixture, _ failure: RelyingPartyError.Reason?, _ comment: Comment? = nil,
        _ change: (inout LoginRequest) -> Void
    ) async throws {
        var request = fixture.request
        change(&request)
        let error = try await refusal { try await fixture.party.beginLogin(request) }
        #expect(error == failure.map { RelyingPartyError($0, in: .request) }, comment)
    }

    @Test("itsme case 17: a request_uri must be https with an explicit port 443, on another host") func requestURIs()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        for uri in [
            "https://rp.example/p", "http://rp.example:443/p", "https://localhost:443/x", "https://127.0.0.1:443/x",
            "https://rp.example:8443/p", "https://user@rp.example:443/p", "https://rp.example:443/p#f", "",
        ] {
            try await expect(fixture, .invalidParameter("request_uri"), "\(uri)") { $0.delivery = .reference(uri) }
        }
        try await expect(fixture, nil) { $0.delivery = .reference("https://rp.example:443/p") }
    }

    @Test("itsme case 18: the scope must contain openid and one service, without a space behind its colon")
    func scopes() async throws {
        let fixture = try LoginFixture.itsmeV2()
        for scopes in [
            ["openid", "profile"], ["openid", "service: X"], ["openid", "service:"],
            ["openid", "service:A", "service:B"],
            ["service:A"], ["openid", "service:", "A"], ["openid", "openid", "service:A"],
            ["openid", "service:A", "a\"b"],
        ] {
            try await expect(fixture, .invalidParameter("scope"), "\(scopes)") { $0.scopes = scopes }
        }
        try await expect(fixture, nil) { $0.scopes = ["openid", "service:A", "profile"] }
    }

    @Test("claims may be requested with a value; a telephone number is sent in a request object only") func claims()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        try await expect(fixture, .invalidParameter("claims")) { $0["claims"] = "{}" }
        var oneOf = ClaimsRequest.Requirement()
        oneOf.values = ["+32 470000001"]
        for wish in [ClaimsRequest.Requirement.essential(value: "+32 470000001"), oneOf] {
            var claims = ClaimsRequest()
            claims.askInUserInfo("phone_number", wish)
            try await expect(fixture, .invalidParameter("claims")) { ($0.claims, $0.delivery) = (claims, .query) }
            try await expect(fixture, nil) { ($0.claims, $0.delivery) = (claims, .object) }
        }
        try await expect(fixture, nil) { request in
            var claims = ClaimsRequest()
            claims.askInUserInfo("phone_number")
            (request.claims, request.delivery) = (claims, .query)
        }
    }

    @Test("in the first generation auth_time is compared with max_age (R20)") func age() async throws {
        let fixture = try LoginFixture.itsmeV1()
        var request = fixture.request
        request.maximumAge = .seconds(60)
        for (age, failure) in [(30, nil), (400, RelyingPartyError.Reason.authenticationTooOld)] {
            let time = Int(fixture.clock.now.secondsSince1970) - age
            fixture.provider.script.idTokenClaims = { $0["auth_time"] = .integer(Int64(time)) }
            let error = try await fixture.failure(request)
            #expect(error?.reason == failure)
        }
    }

    @Test("invalid parameters are rejected, and those that itsme ignores are left out and reported")
    func parameters() async throws {
        let fixture = try LoginFixture.itsmeV2()
        try await expect(fixture, .invalidParameter("display")) { $0["display"] = "popup" }
        try await expect(fixture, nil) { $0["display"] = "page" }
        try await expect(fixture, .invalidParameter("prompt")) { $0["prompt"] = "login" }
        try await expect(fixture, nil) { $0["prompt"] = "consent" }
        try await expect(fixture, .invalidParameter("acr_values")) {
            $0["acr_values"] = "http://itsme.services/v2/claim/acr_high"
        }
        try await expect(fixture, .invalidParameter("nonce")) { $0["nonce"] = "mine" }
        try await expect(fixture, .invalidParameter("response_mode")) { $0["response_mode"] = "fragment" }
        try await expect(fixture, .invalidParameter("redirect_uri")) { $0.redirectURI = LoginFixture.redirectURI + "/" }
        try await expect(fixture, .invalidParameter("claims")) { request in
            var claims = ClaimsRequest()
            claims.askInUserInfo("a claim")
            request.claims = claims
        }
        var request = fixture.request
        request["login_hint"] = "+32 123"
        request["ui_locales"] = "es"
        request.maximumAge = .seconds(60)
        var start = try await fixture.party.beginLogin(request)
        #expect(Set(start.dropped) == ["login_hint", "max_age", "ui_locales"] && start.dropped.count == 3)
        var sent = FormFields(ofURL: start.url)
        #expect(sent["login_hint"] == nil && sent["ui_locales"] == nil)
        request["login_hint"] = "32+123456789"
        request["ui_locales"] = "nl fr"
        start = try await fixture.party.beginLogin(request)
        sent = FormFields(ofURL: start.url)
        #expect(sent["login_hint"] == "32+123456789" && sent["ui_locales"] == "nl fr")
        request["ui_locales"] = nil
        start = try await fixture.party.beginLogin(request)
        #expect(
            FormFields(ofURL: start.url).names == [
                "client_id", "response_type", "scope", "redirect_uri", "state", "nonce", "login_hint", "acr_values",
            ])
    }

    @Test("acr_values have the spelling of the generation") func spellings() async throws {
        for (fixture, acr) in [
            (try LoginFixture.itsmeV1(), "tag:itsmetag:sixdots.be,2016-06:acr_basic"),
            (try LoginFixture.itsmeV2(), "http://itsme.services/v2/claim/acr_basic"),
        ] {
            let start = try await fixture.party.beginLogin(fixture.request)
            #expect(FormFields(ofURL: start.url)["acr_values"] == acr)
        }
    }

    @Test("a request object, by value or by reference, is signed and then encrypted, for the profile's audience")
    func objects() async throws {
        for (fixture, audience) in [
            (try LoginFixture.itsmeV2(), LoginFixture.issuer + "/authorization"),
            (try LoginFixture.itsmeKey(), LoginFixture.issuer),
        ] {
            var request = fixture.request
            for delivery in [RequestDelivery.object, .reference("https://service.test:443/request")] {
                request.delivery = delivery
                let start = try await fixture.party.beginLogin(request)
                let query = FormFields(ofURL: start.url)
                let object = try #require(query["request"] ?? start.requestDocument?.body)
                #expect((query["request"] == nil) == (query["request_uri"] != nil))
                #expect(start.requestDocument?.contentType ?? "application/jwt" == "application/jwt")
                let outer = try UnverifiedToken(object)
                #expect(outer.isEncrypted)
                #expect(outer.header.contentType == "JWT")
                #expect(outer.header.keyID == "provider-encryption")
                let claims = try JSON(fixture.provider.requestObject(object))
                #expect(claims["aud"]?.string == audience)
                #expect(claims["iss"]?.string == "partner-code")
                #expect(claims["exp"] == .number(fixture.clock.now.secondsSince1970 + 120))
                #expect(claims["state"]?.string != nil)
                for name in ["client_id", "response_type", "scope"] { #expect(query[name] == claims[name]?.string) }
                #expect(query["state"] == nil)
                #expect(try await fixture.finish(start).subject == fixture.provider.manner.subject)
            }
        }
    }

    @Test("itsme case 20: each client assertion has its own jti, and a key without kid is rejected") func assertions()
        async throws
    {
        let fixture = try LoginFixture.itsmeV1()
        var seen: Set<String> = []
        for _ in 0..<200 {
            _ = try await fixture.login()
            let assertion = try #require(fixture.provider.lastForm(.token)["client_assertion"])
            let parts = assertion.split(separator: ".")
            let header = try JSON(try #require(Forge.decoded(String(parts[0]))))
            let claims = try JSON(try #require(Forge.decoded(String(parts[1]))))
            #expect(header["kid"] == .string("s1"))
            #expect(header["typ"] == .string("JWT"))
            #expect(claims["aud"] == .string(LoginFixture.issuer + "/token"))
            #expect(claims["exp"] == .number(fixture.clock.now.secondsSince1970 + 120))
            let isNew = seen.insert(try #require(claims["jti"]?.string)).inserted
            #expect(isNew)
        }
        var nameless = TestKeys.client
        nameless.keyID = nil
        let keys = ClientCredentials.keys(signing: nameless, decryption: KeySet(TestKeys.clientEncryption))
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try LoginFixture.itsmeV2(credentials: keys)
        }
    }

    @Test("a Confirm template that violates its rules is rejected, and is sent in a request object only")
    func confirmations()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        for (confirmation, failure) in [
            (ItsmeConfirmation.freeText("Ja, <b>ik</b> wil € 5<br>"), nil),
            (.payment(amount: "12.50", currency: "EUR", iban: "BE68539007547034"), nil),
            (.freeText("<script>"), RelyingPartyError.Reason.invalidParameter("claims")),
            (.freeText("日本"), .invalidParameter("claims")),
            (.freeText(String(repeating: "a", count: 7_500)), nil),
            (.freeText(String(repeating: "a", count: 7_501)), .invalidParameter("claims")),
            // All claims together have more than 8 KiB.
            (.freeText(String(repeating: "é", count: 7_500)), .invalidParameter("claims")),
            (.payment(amount: "-1", currency: "EUR", iban: "BE68539007547034"), .invalidParameter("claims")),
        ] {
            try await expect(fixture, failure, "\(failure as Any)") { $0.confirm(confirmation) }
        }
        try await expect(fixture, .invalidParameter("claims")) { request in
            request.confirm(.freeText("Ja"))
            request.delivery = .query
        }
        var request = fixture.request
        request.confirm(.freeText("Ja"))
        let start = try await fixture.party.beginLogin(request)
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let claims = try JSON(fixture.provider.requestObject(object))
        let template = claims["claims"]?["userinfo"]?[
            "http://itsme.services/v2/claim/claim_approval_template_name"]
        #expect(template == .object(["essential": .bool(true), "value": .string("free_text")]))
    }
}
