import Foundation
import JOSE
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: a login from the app to the user") struct MitIDLoginTests {
    @Test("MitID case 6: the form gives a user; the same form a second time is a replay") func happyPath() async throws
    {
        let desk = try MitIDDesk()
        let start = try await desk.party.beginLogin(desk.desk.request)
        let callback = MitIDDesk.callback(desk.form(start.url))
        let user = try await desk.party.completeLogin(callback: callback, binding: start.binding)
        #expect(user.issuer == MitIDDesk.issuer)
        #expect(user.subject == "user-1")
        #expect(user.mitIDLevel == .substantial)
        #expect(user.mitIDAuthenticators == [.codeApp])
        #expect(user.mitIDIdentityType == .private)
        #expect(user.mitIDSessionExpiry == 1_700_003_600)
        #expect(start.cookie.contains("SameSite=None"))
        let calls = desk.provider.calls
        for _ in 0..<2 {
            let again = try await refusal {
                try await desk.party.completeLogin(callback: callback, binding: start.binding)
            }
            #expect(again == .callback(.replayed))
        }
        let unknown = try await refusal {
            try await desk.party.completeLogin(
                callback: MitIDDesk.callback("code=c&state=made-up"), binding: start.binding)
        }
        #expect(unknown == .callback(.stateMismatch))
        #expect(desk.provider.calls == calls)
    }

    @Test("MitID case 7: an answer by GET where a form was asked for is refused") func mode() async throws {
        let desk = try MitIDDesk()
        let start = try await desk.party.beginLogin(desk.desk.request)
        let form = desk.form(start.url)
        let error = try await refusal {
            try await desk.party.completeLogin(callback: .query(form), binding: start.binding)
        }
        #expect(error == .callback(.invalidParameter("response_mode")))
        #expect(try await desk.failure() == nil)
    }

    @Test("MitID case 8: production's issuer in an answer to pre-production is a mix-up, and so is none at all, R01")
    func issuer() async throws {
        let desk = try MitIDDesk(environment: .test, issuer: "https://pp.netseidbroker.dk/op")
        for (issuer, expected) in [
            ("https://netseidbroker.dk/op", RelyingPartyError.callback(.issuerMismatch)),
            (nil, .callback(.issuerMismatch)), ("https://pp.netseidbroker.dk/op/", .callback(.issuerMismatch)),
            ("https://pp.netseidbroker.dk/op", nil),
        ] as [(String?, RelyingPartyError?)] {
            let start = try await desk.party.beginLogin(desk.desk.request)
            let form = desk.form(start.url, issuer: issuer)
            let error = try await refusal {
                try await desk.party.completeLogin(callback: MitIDDesk.callback(form), binding: start.binding)
            }
            #expect(error == expected, "\(issuer ?? "none")")
        }
    }

    private func answer(_ desk: MitIDDesk, _ error: String) async throws -> RelyingPartyError? {
        let start = try await desk.party.beginLogin(desk.desk.request)
        let state = try #require(FormFields(desk.form(start.url))["state"])
        return try await refusal {
            try await desk.party.completeLogin(
                callback: MitIDDesk.callback("state=\(state)&" + error), binding: start.binding)
        }
    }

    @Test("MitID cases 9 and 30: an error without `iss` is heard, and the broker's code says what it means")
    func errors() async throws {
        let desk = try MitIDDesk()
        func told(_ text: String) async throws -> (RelyingPartyFailure?, Remedy?) {
            let error = try await answer(desk, text)
            return (error?.failure, error?.remedy)
        }
        func provider(_ code: String) throws -> RelyingPartyFailure {
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
        // An issuer that is there counts in errors too (R17).
        #expect(
            try await told("error=access_denied&error_description=mitid_user_aborted&iss=https%3A%2F%2Fother.test").0
                == .issuerMismatch)
        #expect(try await desk.failure() == nil)
    }

    @Test(
        "MitID case 10: an attacker's code with the victim's state ends without a session: PKCE, and the nonce where a provider forgets PKCE, R02"
    )
    func injection() async throws {
        let desk = try MitIDDesk()
        let attacker = try await desk.party.beginLogin(desk.desk.request)
        let victim = try await desk.party.beginLogin(desk.desk.request)
        let stolen = try #require(FormFields(desk.form(attacker.url))["code"])
        let own = FormFields(desk.form(victim.url))
        let state = try #require(own["state"])
        let iss = FormFields.encoded(MitIDDesk.issuer)
        let refused = try await refusal {
            try await desk.party.completeLogin(
                callback: MitIDDesk.callback("code=\(stolen)&state=\(state)&iss=\(iss)"), binding: victim.binding)
        }
        #expect(refused?.failure == .providerError(try #require(ProviderErrorCode("invalid_grant"))))
        #expect(try await desk.failure(claims: { $0["nonce"] = "another login's" }) == .idToken(.nonceMismatch))
        #expect(try await desk.failure(claims: { $0["nonce"] = nil }) == .idToken(.nonceMismatch))
        #expect(try await desk.failure() == nil)
    }
}
