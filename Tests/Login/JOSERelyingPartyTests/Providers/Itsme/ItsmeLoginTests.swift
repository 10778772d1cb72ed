import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("itsme: logins") struct ItsmeLoginTests {
    @Test("itsme case 1: a login with itsme.v2 returns the claims of RS256 tokens inside RSA-OAEP and A128CBC-HS256")
    func secondGeneration()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let user = try await fixture.login()
        #expect(user.issuer == LoginFixture.issuer)
        #expect(user.subject == LoginFixture.secondSubject)
        #expect(user.string("given_name") == "Jan")
        #expect(user.itsme.level == .basic)
        #expect(fixture.provider.calls(.token) == 1)
        #expect(fixture.store.count == 0)
    }

    @Test("itsme.v1 accepts userinfo in the registered form only (R12)")
    func firstGeneration() async throws {
        for form in [ItsmeUserInfoForm.signed, .nested, .json] {
            #expect(try await LoginFixture.itsmeV1(form).login().string("given_name") == "Jan")
        }
        let signed = try LoginFixture.itsmeV1(.signed)
        #expect(
            try await signed.failure { $0.userInfo = { .json(String(decoding: $0.json(), as: UTF8.self)) } }
                == RelyingPartyError(.notSigned, in: .userInfo))
        let json = try LoginFixture.itsmeV1(.json)
        #expect(
            try await json.failure { $0.userInfo = { _ in .jwt("a.b.c") } }
                == RelyingPartyError(.contentTypeMismatch, in: .userInfo))
    }

    @Test("itsme.v1 accepts encrypted userinfo without a signature if it is about the same user")
    func encryptedUserInfo()
        async throws
    {
        let fixture = try LoginFixture.itsmeV1(.encrypted)
        let provider = fixture.provider
        provider.script.userInfo = { claims in
            .jwt(try provider.wrap(String(decoding: claims.json(), as: UTF8.self), nestedLayers))
        }
        #expect(try await fixture.login().string("given_name") == "Jan")
        #expect(
            try await fixture.failure { $0.userInfoClaims = { $0["sub"] = "other" } }
                == RelyingPartyError(.subjectMismatch, in: .userInfo))
    }

    @Test("itsme.v1.nested accepts tokens without cty, which v2 rejects") func nestedFirstGeneration() async throws {
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1"}"#
        for (fixture, failure) in [
            (try LoginFixture.itsmeV1Nested(), nil),
            (try LoginFixture.itsmeV2(), RelyingPartyError(.contentTypeMismatch, in: .idToken)),
        ] {
            let provider = fixture.provider
            #expect(
                try await fixture.failure { script in
                    script.idToken = { try provider.wrap(try provider.sign($0), nestedLayers, header: header) }
                } == failure)
        }
    }

    @Test("itsme.now.key sends PKCE with S256, and supports both client authentication methods") func today()
        async throws
    {
        for authentication in [nil, ClientAuthentication.privateKeyJWTEncrypted] {
            let fixture = try LoginFixture.itsmeKey(authentication)
            let start = try await fixture.party.beginLogin(fixture.request)
            let query = FormFields(ofURL: start.url)
            #expect(query["code_challenge_method"] == "S256")
            #expect(query["code_challenge"]?.utf8.count == 43)
            #expect(try await fixture.finish(start).subject == "user-1")
            let verifier = try #require(fixture.provider.lastForm(.token)["code_verifier"])
            #expect((43...128).contains(verifier.utf8.count))
        }
    }

    @Test("itsme.now.secret posts its secret without an assertion, and accepts RS256 or HS256 as registered")
    func secrets()
        async throws
    {
        for signature in [ItsmeSecretSignature.rs256, .hs256] {
            let fixture = try LoginFixture.itsmeSecret(signature)
            #expect(try await fixture.login().subject == "user-1")
            let form = fixture.provider.lastForm(.token)
            #expect(form["client_secret"] == fixture.provider.manner.secret)
            #expect(form["client_assertion"] == nil)
            #expect(fixture.provider.last(.token)?.url.contains("secret") == false)
        }
    }

    @Test("itsme case 13: rejects userinfo about another user") func otherSubject() async throws {
        let fixture = try LoginFixture.itsmeV2()
        #expect(try await fixture.login().userInfo?.string("given_name") == "Jan")
        #expect(
            try await fixture.failure { $0.userInfoClaims = { $0["sub"] = "user-2" } }
                == RelyingPartyError(.subjectMismatch, in: .userInfo))
    }

    @Test("itsme case 14: itsme.v2 rejects userinfo that is plain JSON") func plainUserInfo() async throws {
        #expect(try await LoginFixture.itsmeV2().login().userInfo?.string("given_name") == "Jan")
        #expect(
            try await LoginFixture.itsmeV2().failure { script in
                script.userInfo = { .json(String(decoding: $0.json(), as: UTF8.self)) }
            } == RelyingPartyError(.notEncrypted, in: .userInfo))
    }

    @Test("itsme case 15: a callback with an unknown state sends no request") func unknownState()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let start = try await fixture.party.beginLogin(fixture.request)
        let calls = fixture.provider.calls
        for state in ["state=unknown", "state=", "", "state=" + String(repeating: "A", count: 43)] {
            #expect(
                try await refusal {
                    try await fixture.party.completeLogin(
                        callback: .query("code=good&" + state), binding: start.binding)
                } == RelyingPartyError(.stateMismatch, in: .callback))
        }
        #expect(fixture.provider.calls == calls)
        #expect(try await fixture.finish(start).subject == LoginFixture.secondSubject)
    }

    @Test("itsme case 16: rejects a callback with two codes") func twoCodes() async throws {
        let fixture = try LoginFixture.itsmeV2()
        let start = try await fixture.party.beginLogin(fixture.request)
        let query = fixture.provider.authorize(start.url)
        for twice in [query + "&code=other", query + "&%63ode=other"] {
            #expect(
                try await refusal {
                    try await fixture.party.completeLogin(callback: .query(twice), binding: start.binding)
                } == RelyingPartyError(.duplicateParameter("code"), in: .callback))
        }
        #expect(
            try await fixture.party.completeLogin(callback: .query(query), binding: start.binding).subject
                == LoginFixture.secondSubject)
    }

    @Test("itsme case 25: a card number with wrong check digits is flagged, and the login succeeds") func cardNumber()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        for (number, isValid) in [
            ("592123456713", 5_921_234_567 % 97 == 13), ("000000000097", true), ("000000000000", false),
            ("5921234567", false),
        ] {
            let change: @Sendable (inout ClaimsBuilder) -> Void = {
                $0["http://itsme.services/v2/claim/BEeidSn"] = .string(number)
            }
            fixture.provider.script.userInfoClaims = change
            let card = try #require(try await fixture.login().itsme.belgianCardNumber)
            #expect(card.value == number)
            #expect(card.isValid == isValid)
            #expect("\(card)".contains(number) == false)
        }
    }

    @Test("an error is accepted only with the right state, has its action, and shows no text of the provider")
    func errors()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        for (code, failure, action) in [
            ("access_denied", RelyingPartyError.Reason.cancelled, RelyingPartyError.Action.tellUser),
            (
                "temporary_unavailable", .providerError(try #require(ProviderErrorCode("temporary_unavailable"))),
                .restart
            ),
            ("interaction_required", .providerError(try #require(ProviderErrorCode("interaction_required"))), .restart),
            ("invalid_scope", .providerError(try #require(ProviderErrorCode("invalid_scope"))), .fixConfiguration),
            ("something_new", .providerError(try #require(ProviderErrorCode("something_new"))), .restart),
        ] {
            let start = try await fixture.party.beginLogin(fixture.request)
            let state = try #require(FormFields(ofURL: start.url)["state"])
            #expect(
                try await refusal {
                    try await fixture.party.completeLogin(
                        callback: .query("error=\(code)&state=other"), binding: start.binding)
                }?.reason == .stateMismatch)
            let error = try await refusal {
                try await fixture.party.completeLogin(
                    callback: .query("error=\(code)&error_description=<secret>&state=\(state)"), binding: start.binding)
            }
            #expect(error?.reason == failure)
            #expect(error?.action == action)
        }
        #expect(fixture.provider.calls(.token) == 0)
    }
}
