import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

@Suite("DigiD by OpenID Connect: errors") struct DigiDOpenIDErrorTests {
    private func complete(_ query: (String) -> String) async throws -> RelyingPartyError? {
        let fixture = try DigiDOpenIDFixture()
        let start = try await fixture.party.beginLogin()
        fixture.script(DigiDOpenIDFixture.Tokens(), start)
        let state = fixture.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let code = FormFields(fixture.provider.authorize(start.url))["code"] ?? ""
        return try await refusal {
            try await fixture.party.completeLogin(
                callback: .query(query(state).replacing("CODE", with: code)), binding: start.binding)
        }
    }

    @Test("DigiD case 32: an error after a second question mark is parsed as the error of that state") func brokenForm()
        async throws
    {
        let broken = try #require(try await complete { "state=\($0)?error=invalid_request_object" })
        #expect(broken.reason == .providerError(try #require(ProviderErrorCode("invalid_request_object"))))
        #expect(broken.step == .callback && broken.action == .fixConfiguration)
        #expect(try await complete { "state=\($0)&error=invalid_request_object" } == broken)
        // A code beside the error does not complete a login, and another state is rejected.
        #expect(
            try await complete { "code=CODE&state=\($0)?error=x" }?.reason
                == .providerError(try #require(ProviderErrorCode("x"))))
        #expect(try await complete { "state=x\($0)?error=x" }?.reason == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)?other=x" }?.reason == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)" } == nil)
    }

    @Test("the cookie of a login is found for a callback with two question marks") func cookie() async throws {
        let fixture = try DigiDOpenIDFixture()
        let start = try await fixture.party.beginLogin()
        let state = fixture.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let cookie = String(start.cookie.prefix { $0 != ";" })
        for query in ["state=\(state)", "state=\(state)?error=invalid_request_object"] {
            #expect(AuthorizationCallback.query(query).binding(inCookies: cookie) == start.binding)
        }
        #expect(AuthorizationCallback.query("state=x\(state)").binding(inCookies: cookie) == nil)
    }

    @Test("with profiles other than DigiD, a question mark is part of the state") func otherProfiles() throws {
        for (parts, state) in [(true, "S"), (false, "S?error=x")] {
            var rules = CallbackRules()
            rules.errorMayEndState = parts
            let (parameters, found) = try CallbackParameters.of(.query("state=S?error=x"), binding: "b", rules: rules)
            #expect(found == state && parameters["error"] == (parts ? "x" : nil))
        }
    }

    @Test("CANCELLED reports that the user cancelled, and a token endpoint error asks for a new login")
    func codes()
        async throws
    {
        let cancelled = try #require(try await complete { "state=\($0)&error=CANCELLED" })
        #expect(DigiDSituation(cancelled) == .cancelled && cancelled.action == .tellUser)
        for (answer, failure) in [
            (
                TransportResponse.json(#"{"error":"invalid_request"}"#, status: 400),
                .providerError(try #require(ProviderErrorCode("invalid_request")))
            ),
            (TransportResponse(status: 404, body: Array("text".utf8)), .unexpectedStatus(404)),
        ] as [(TransportResponse, RelyingPartyError.Reason)] {
            let fixture = try DigiDOpenIDFixture()
            fixture.provider.script.answers[.token] = { _ in answer }
            let error = try await fixture.failure { _ in }
            #expect(error?.reason == failure && error?.action == .restart)
        }
    }
}
