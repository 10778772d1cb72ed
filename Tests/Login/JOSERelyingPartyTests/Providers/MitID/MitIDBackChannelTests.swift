import Foundation
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: logins that the back end begins") struct MitIDBackChannelTests {
    private static func error(_ code: String) -> HTTPResponse { .json(#"{"error":"\#(code)"}"#, status: 400) }

    private func failure(_ desk: BackChannelDesk, _ login: inout BackChannelLogin) async -> RelyingPartyFailure? {
        do throws(RelyingPartyError) {
            _ = try await desk.party.poll(&login)
            return nil
        } catch {
            return error.failure
        }
    }

    @Test("CIBA, 7 and 11: the broker is asked no sooner than it says, slower when it says so, and gives the user once")
    func polling() async throws {
        let desk = try BackChannelDesk()
        let start = try await desk.party.beginBackChannelLogin(.mitID(level: .substantial))
        #expect(start.url == "https://broker.test/op/start?x=1")
        #expect(start.expires == desk.clock.now + 300 && start.cookie.contains("; SameSite=Lax;"))
        let callback = try desk.callback()
        let cookies = String(start.cookie.prefix { $0 != ";" })
        #expect(callback.binding(inCookies: cookies) == start.binding)
        var login = try await desk.party.resumeBackChannelLogin(callback: callback, binding: start.binding)
        #expect(login.interval == 3)
        let begin = FormFields(String(decoding: try #require(desk.broker.calls("/ciba").last?.body), as: UTF8.self))
        #expect(begin["scope"] == "openid mitid" && begin["client_assertion"] != nil)
        #expect(try JSON(Array(try #require(begin["login_hint_token"]).utf8))["flow_type"]?.string == "broker_oidc")
        #expect(try JSON(Array(try #require(begin["login_hint_token"]).utf8))["idp_values"]?.string == "mitid")
        #expect(try JSON(Array(try #require(begin["idp_params"]).utf8))["mitid"]?["loa_value"]?.string == "substantial")
        let page = try JSON(try #require(desk.broker.calls("/api/ciba/broker-oidc/init-auth").last?.body))
        #expect(page["requestId"]?.string == "request-1")
        #expect(page["redirectUri"]?.string == LoginDesk.redirectURI)
        let good = try desk.tokens()
        desk.broker.state.withLock {
            $0.answers = [Self.error("authorization_pending"), Self.error("slow_down"), good]
        }
        // Too early: nobody is asked.
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").isEmpty)
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").count == 1)
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(login.interval == 8)
        desk.clock.advance(by: 7)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").count == 2)
        desk.clock.advance(by: 1)
        let user = try #require(try await desk.party.poll(&login))
        #expect(user.subject == "user-1" && user.mitID?.age == 35)
        let form = FormFields(String(decoding: try #require(desk.broker.calls("/token").last?.body), as: UTF8.self))
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba" && form["auth_req_id"] == "request-1")
        #expect(await failure(desk, &login) == .replayed)
        #expect(!"\(login)".contains("request-1"))
    }

    @Test(
        "CIBA, 11: a request that has expired, by the broker's word or by the clock, and one that the user refused are over"
    )
    func ends() async throws {
        for (answer, expected) in [
            (Self.error("expired_token"), RelyingPartyFailure.expired),
            (Self.error("access_denied"), .providerError(try #require(ProviderErrorCode("access_denied")))),
            (
                .json(#"{"error":"access_denied","error_description":"mitid_user_aborted"}"#, status: 400),
                .cancelled
            ),
        ] {
            let desk = try BackChannelDesk { $0.answers = [answer] }
            var login = try await desk.resumed()
            desk.clock.advance(by: 3)
            #expect(await failure(desk, &login) == expected)
            desk.clock.advance(by: 3)
            #expect(await failure(desk, &login) == .replayed)
            #expect(desk.broker.calls("/token").count == 1)
        }
        let desk = try BackChannelDesk { $0.answers = [Self.error("authorization_pending")] }
        var login = try await desk.resumed()
        desk.clock.advance(by: 299)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        desk.clock.advance(by: 1)
        #expect(await failure(desk, &login) == .expired)
        #expect(desk.broker.calls("/token").count == 1)
    }

    @Test("an outage in the middle leaves the login as it was, and every check of the ID token holds here too")
    func checks() async throws {
        let desk = try BackChannelDesk { $0.answers = [HTTPResponse(status: 503)] }
        var login = try await desk.resumed()
        desk.clock.advance(by: 3)
        #expect(await failure(desk, &login) == .unexpectedStatus(503))
        let low = try desk.tokens { $0["loa"] = .string(MitIDDesk.level + "Low") }
        desk.broker.state.withLock { $0.answers = [low] }
        desk.clock.advance(by: 3)
        #expect(await failure(desk, &login) == .acrTooLow)
        var other = try await desk.resumed()
        let good = try desk.tokens()
        desk.broker.state.withLock { $0.answers = [good] }
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&other)?.subject == "user-1")
    }

    @Test("answers that say nothing of use, or send the user elsewhere than by https, begin no login") func beginnings()
        async throws
    {
        for (begin, page, expected) in [
            ("{}", nil, RelyingPartyFailure.missingParameter("auth_req_id")),
            (#"{"auth_req_id":"x"}"#, nil, .missingParameter("expires_in")),
            (#"{"auth_req_id":"x","expires_in":"300"}"#, nil, .invalidParameter("expires_in")),
            (nil, "{}", .missingParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"http://broker.test/"}"#, .invalidParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"https://u@broker.test/"}"#, .invalidParameter("authentication_uri")),
        ] as [(String?, String?, RelyingPartyFailure)] {
            let desk = try BackChannelDesk { state in
                state.begin = begin ?? state.begin
                state.page = page ?? state.page
            }
            let error = try await refusal { try await desk.party.beginBackChannelLogin(.mitID()) }
            #expect(error == RelyingPartyError(expected, in: .pushedRequest))
        }
        let desk = try BackChannelDesk()
        #expect(try await refusal { try await desk.party.beginBackChannelLogin(.mitID()) } == nil)
    }

    @Test(
        "R06: neither does a victim's browser come into an attacker's login, nor an attacker get a victim's by a link")
    func loginCSRF() async throws {
        let desk = try BackChannelDesk()
        let good = try desk.tokens()
        desk.broker.state.withLock { $0.answers = [good] }
        let victim = try await desk.party.beginBackChannelLogin(.mitID())
        let victims = try desk.callback()
        let calls = desk.broker.state.withLock { $0.requests.count }
        // The attacker's auth_req_id, brought to the victim's browser: with no cookie, and with one of a login of its own.
        for binding in [nil, "", victim.binding] {
            let attacker = try await desk.party.beginBackChannelLogin(.mitID())
            let attackers = try desk.callback()
            #expect(attacker.binding != victim.binding)
            let error = try await refusal {
                try await desk.party.resumeBackChannelLogin(callback: attackers, binding: binding)
            }
            #expect(error == .callback(.bindingMismatch))
        }
        #expect(desk.broker.calls("/token").isEmpty)
        #expect(desk.broker.state.withLock { $0.requests.count } == calls + 6)
        var login = try await desk.party.resumeBackChannelLogin(callback: victims, binding: victim.binding)
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&login)?.subject == "user-1")
        let again = try await refusal {
            try await desk.party.resumeBackChannelLogin(callback: victims, binding: victim.binding)
        }
        #expect(again == .callback(.replayed))
    }

    @Test("what the browser brings back is of this login, in time, and no refusal") func returns() async throws {
        func failure(_ change: (BackChannelDesk, String) throws -> Callback) async throws -> RelyingPartyError? {
            let desk = try BackChannelDesk()
            let start = try await desk.party.beginBackChannelLogin(.mitID())
            let callback = try change(desk, "state=" + FormFields.encoded(try desk.state()))
            return try await refusal {
                try await desk.party.resumeBackChannelLogin(callback: callback, binding: start.binding)
            }
        }
        #expect(try await failure { _, query in .query(query) } == nil)
        #expect(try await failure { _, query in .query(query + "&iss=" + MitIDDesk.issuer) } == nil)
        #expect(try await failure { _, _ in .query("state=x") } == .callback(.stateMismatch))
        #expect(try await failure { _, _ in .query("code=x") } == .callback(.stateMismatch))
        #expect(
            try await failure { _, query in .query(query + "&iss=https://other.test/op") }
                == .callback(.issuerMismatch))
        #expect(
            try await failure { _, query in
                .form(Array(query.utf8), contentType: "application/x-www-form-urlencoded")
            } == .callback(.invalidParameter("response_mode")))
        #expect(
            try await failure { _, query in
                .query(query + "&error=access_denied&error_description=mitid_user_aborted")
            } == .callback(.cancelled))
        #expect(
            try await failure { desk, query in
                desk.clock.advance(by: 601)
                return .query(query)
            } == .callback(.stateMismatch))
    }

    @Test("a profile of the back channel begins no login in a browser, and no other profile begins one in the back")
    func otherProfiles() async throws {
        let desk = try BackChannelDesk()
        let refused = RelyingPartyError(.configurationError, in: .request)
        #expect(try await refusal { try await desk.party.beginLogin(.mitID()) } == refused)
        #expect(try await refusal { try await desk.party.beginBackChannelLogin(.mitID()) } == nil)
        let browser = try MitIDDesk()
        #expect(try await refusal { try await browser.party.beginBackChannelLogin(.mitID()) } == refused)
        #expect(try await refusal { try await browser.party.beginLogin(.mitID()) } == nil)
    }
}
