import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: logins") struct MitIDLoginTests {
    @Test("MitID case 6: a posted form logs a user in, and the same form again is replayed")
    func happyPath() async throws {
        let fixture = try MitIDFixture()
        let start = try await fixture.party.beginLogin(fixture.fixture.request)
        let callback = MitIDFixture.callback(fixture.form(start.url))
        let user = try await fixture.party.completeLogin(callback: callback, binding: start.binding)
        #expect(user.issuer == MitIDFixture.issuer)
        #expect(user.subject == "user-1")
        #expect(user.mitIDLevel == .substantial)
        #expect(user.mitIDAuthenticators == [.codeApp])
        #expect(user.mitIDIdentityType == .private)
        #expect(user.mitIDSessionExpiry == 1_700_003_600)
        #expect(start.cookie.contains("SameSite=None"))
        let calls = fixture.provider.calls
        for _ in 0..<2 {
            let again = try await refusal {
                try await fixture.party.completeLogin(callback: callback, binding: start.binding)
            }
            #expect(again == .callback(.replayed))
        }
        let unknown = try await refusal {
            try await fixture.party.completeLogin(
                callback: MitIDFixture.callback("code=c&state=made-up"), binding: start.binding)
        }
        #expect(unknown == .callback(.stateMismatch))
        #expect(fixture.provider.calls == calls)
    }

    @Test("MitID case 7: rejects a callback by GET if form_post was requested") func mode() async throws {
        let fixture = try MitIDFixture()
        let start = try await fixture.party.beginLogin(fixture.fixture.request)
        let form = fixture.form(start.url)
        let error = try await refusal {
            try await fixture.party.completeLogin(callback: .query(form), binding: start.binding)
        }
        #expect(error == .callback(.invalidParameter("response_mode")))
        #expect(try await fixture.failure() == nil)
    }

    @Test("MitID case 8: rejects a callback to pre-production with production's issuer, or without one (R01)")
    func issuer() async throws {
        let fixture = try MitIDFixture(environment: .test, issuer: "https://pp.netseidbroker.dk/op")
        for (issuer, expected) in [
            ("https://netseidbroker.dk/op", RelyingPartyError.callback(.issuerMismatch)),
            (nil, .callback(.issuerMismatch)), ("https://pp.netseidbroker.dk/op/", .callback(.issuerMismatch)),
            ("https://pp.netseidbroker.dk/op", nil),
        ] as [(String?, RelyingPartyError?)] {
            let start = try await fixture.party.beginLogin(fixture.fixture.request)
            let form = fixture.form(start.url, issuer: issuer)
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: MitIDFixture.callback(form), binding: start.binding)
            }
            #expect(error == expected, "\(issuer ?? "none")")
        }
    }

    private func answer(_ fixture: MitIDFixture, _ error: String) async throws -> RelyingPartyError? {
        let start = try await fixture.party.beginLogin(fixture.fixture.request)
        let state = try #require(FormFields(fixture.form(start.url))["state"])
        return try await refusal {
            try await fixture.party.completeLogin(
                callback: MitIDFixture.callback("state=\(state)&" + error), binding: start.binding)
        }
    }

    @Test("MitID case 9, MitID case 30: accepts an error without `iss`, and maps the broker's code to its meaning")
    func errors() async throws {
        let fixture = try MitIDFixture()
        func told(_ text: String) async throws -> (RelyingPartyError.Reason?, RelyingPartyError.Action?) {
            let error = try await answer(fixture, text)
            return (error?.reason, error?.action)
        }
        func provider(_ code: String) throws -> RelyingPartyError.Reason {
            .providerError(try #require(ProviderErrorCode(code)))
        }
        #expect(try await told("error=access_denied&error_description=mitid_user_aborted") == (.cancelled, .tellUser))
        #expect(
            try await told("error=access_denied&error_description=mitid_timeout")
                == (provider("mitid_timeout"), .restart))
        #expect(
            try await told("error=access_denied&error_description=transaction_signing_hash_mismatch")
                == (provider("transaction_signing_hash_mismatch"), .investigate))
        #expect(
            try await told("error=access_denied&error_description=invalid_idp_params")
                == (provider("invalid_idp_params"), .fixConfiguration))
        #expect(
            try await told("error=access_denied&error_description=mitid_something_new")
                == (provider("access_denied"), .tellUser))
        #expect(try await told("error=access_denied") == (provider("access_denied"), .tellUser))
        #expect(try await told("error=login_required") == (provider("login_required"), .restart))
        #expect(try await told("error=invalid_request_object").0 == provider("invalid_request_object"))
        // An issuer is compared in error responses too (R17).
        #expect(
            try await told("error=access_denied&error_description=mitid_user_aborted&iss=https%3A%2F%2Fother.test").0
                == .issuerMismatch)
        #expect(try await fixture.failure() == nil)
    }

    @Test(
        "MitID case 10: an attacker's code with the victim's state fails by PKCE, or by the nonce (R02)"
    )
    func injection() async throws {
        let fixture = try MitIDFixture()
        let attacker = try await fixture.party.beginLogin(fixture.fixture.request)
        let victim = try await fixture.party.beginLogin(fixture.fixture.request)
        let stolen = try #require(FormFields(fixture.form(attacker.url))["code"])
        let own = FormFields(fixture.form(victim.url))
        let state = try #require(own["state"])
        let iss = FormFields.encoded(MitIDFixture.issuer)
        let refused = try await refusal {
            try await fixture.party.completeLogin(
                callback: MitIDFixture.callback("code=\(stolen)&state=\(state)&iss=\(iss)"), binding: victim.binding)
        }
        #expect(refused?.reason == .providerError(try #require(ProviderErrorCode("invalid_grant"))))
        #expect(try await fixture.failure(claims: { $0["nonce"] = "another login's" }) == .idToken(.nonceMismatch))
        #expect(try await fixture.failure(claims: { $0["nonce"] = nil }) == .idToken(.nonceMismatch))
        #expect(try await fixture.failure() == nil)
    }
}
