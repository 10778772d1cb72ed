import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSERelyingParty

@Suite("DigiD by OpenID Connect: what does not come about") struct DigiDOpenIDErrorTests {
    private func complete(_ query: (String) -> String) async throws -> RelyingPartyError? {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        desk.script(DigiDOpenIDDesk.Tokens(), start)
        let state = desk.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let code = FormFields(desk.provider.authorize(start.url))["code"] ?? ""
        return try await refusal {
            try await desk.party.completeLogin(
                callback: .query(query(state).replacing("CODE", with: code)), binding: start.binding)
        }
    }

    @Test("DigiD case 32: the error behind a second question mark is an error of that state") func brokenForm()
        async throws
    {
        let broken = try #require(try await complete { "state=\($0)?error=invalid_request_object" })
        #expect(broken.failure == .providerError(try #require(ProviderErrorCode("invalid_request_object"))))
        #expect(broken.step == .callback && broken.remedy == .fixConfiguration)
        #expect(try await complete { "state=\($0)&error=invalid_request_object" } == broken)
        // The code beside it makes no login, and a state that is another's is nobody's.
        #expect(
            try await complete { "code=CODE&state=\($0)?error=x" }?.failure
                == .providerError(try #require(ProviderErrorCode("x"))))
        #expect(try await complete { "state=x\($0)?error=x" }?.failure == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)?other=x" }?.failure == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)" } == nil)
    }

    @Test("the cookie of a login is found by the broken form as well") func cookie() async throws {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        let state = desk.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let cookie = String(start.cookie.prefix { $0 != ";" })
        for query in ["state=\(state)", "state=\(state)?error=invalid_request_object"] {
            #expect(Callback.query(query).binding(inCookies: cookie) == start.binding)
        }
        #expect(Callback.query("state=x\(state)").binding(inCookies: cookie) == nil)
    }

    @Test("where no profile says so a question mark is the state's") func otherProfiles() throws {
        for (parts, state) in [(true, "S"), (false, "S?error=x")] {
            let (parameters, found) = try CallbackParameters.of(
                .query("state=S?error=x"), binding: "b", errorMayEndState: parts)
            #expect(found == state && parameters["error"] == (parts ? "x" : nil))
        }
    }

    @Test("CANCELLED is the user's no; everything that the token endpoint refuses begins anew") func codes()
        async throws
    {
        let cancelled = try #require(try await complete { "state=\($0)&error=CANCELLED" })
        #expect(DigiDSituation(cancelled) == .cancelled && cancelled.remedy == .tellUser)
        for (answer, failure) in [
            (
                HTTPResponse.json(#"{"error":"invalid_request"}"#, status: 400),
                .providerError(try #require(ProviderErrorCode("invalid_request")))
            ),
            (HTTPResponse(status: 404, body: Array("text".utf8)), .unexpectedStatus(404)),
        ] as [(HTTPResponse, RelyingPartyFailure)] {
            let desk = try DigiDOpenIDDesk()
            desk.provider.script.answers[.token] = { _ in answer }
            let error = try await desk.failure { _ in }
            #expect(error?.failure == failure && error?.remedy == .restart)
        }
    }
}
