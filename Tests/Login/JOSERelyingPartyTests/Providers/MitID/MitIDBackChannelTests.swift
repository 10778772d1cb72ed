import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("MitID: logins that the back end begins") struct MitIDBackChannelTests {
    private static func error(_ code: String) -> TransportResponse { .json(#"{"error":"\#(code)"}"#, status: 400) }

    private func failure(
        _ fixture: BackChannelFixture, _ login: BackChannelFixture.ResumedLogin
    ) async throws -> RelyingPartyError.Reason? {
        try await refusal { try await fixture.poll(login) }?.reason
    }

    @Test(
        "CIBA case 12: polls wait for the interval, longer after slow_down, and return the user once (CIBA, 7 and 11)")
    func polling() async throws {
        let fixture = try BackChannelFixture()
        let start = try await fixture.party.beginMitIDBackChannelLogin(.mitID(level: .substantial))
        #expect(start.url == "https://broker.test/op/start?x=1")
        #expect(start.expires == fixture.clock.now + .seconds(300))
        #expect(start.cookie.contains("; SameSite=Lax;"))
        let callback = try fixture.callback()
        let cookies = String(start.cookie.prefix { $0 != ";" })
        #expect(callback.binding(inCookies: cookies) == start.binding)
        let login = try await fixture.resume(callback, start.binding)
        #expect(login.interval == .seconds(3))
        let begin = FormFields(String(decoding: try #require(fixture.broker.calls("/ciba").last?.body), as: UTF8.self))
        #expect(
            begin.names == [
                "scope", "login_hint_token", "idp_params", "client_id", "client_assertion_type", "client_assertion",
            ])
        #expect(begin["scope"] == "openid mitid" && begin["client_id"] == fixture.fixture.fixture.client.id)
        #expect(begin["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(
            try JSON(Array(try #require(begin["login_hint_token"]).utf8))
                == .object(["flow_type": .string("broker_oidc"), "idp_values": .string("mitid")]))
        #expect(
            try JSON(Array(try #require(begin["idp_params"]).utf8))
                == .object(["mitid": .object(["loa_value": .string("substantial")])]))
        let page = try JSON(try #require(fixture.broker.calls("/api/ciba/broker-oidc/init-auth").last?.body))
        #expect(
            page
                == .object([
                    "requestId": .string("request-1"), "redirectUri": .string(LoginFixture.redirectURI),
                    "state": .string(try fixture.state()),
                ]))
        let good = try fixture.tokens()
        fixture.broker.state.withLock {
            $0.answers = [Self.error("authorization_pending"), Self.error("slow_down"), good]
        }
        // Before the interval has passed, no request is sent.
        #expect(try await fixture.poll(login)?.subject == nil)
        #expect(fixture.broker.calls("/token").isEmpty)
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.poll(login)?.subject == nil)
        #expect(try await fixture.poll(login)?.subject == nil)
        #expect(fixture.broker.calls("/token").count == 1)
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.poll(login)?.subject == nil)
        fixture.clock.advance(by: .seconds(7))
        #expect(try await fixture.poll(login)?.subject == nil)
        #expect(fixture.broker.calls("/token").count == 2)
        fixture.clock.advance(by: .seconds(1))
        let user = try #require(try await fixture.poll(login))
        #expect(user.subject == "user-1" && user.mitID?.age == 35)
        let form = FormFields(String(decoding: try #require(fixture.broker.calls("/token").last?.body), as: UTF8.self))
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba" && form["auth_req_id"] == "request-1")
        #expect(form.names == ["grant_type", "auth_req_id", "client_assertion_type", "client_assertion"])
        #expect(try await failure(fixture, login) == .replayed)
        #expect(fixture.broker.calls("/token").count == 3)
        #expect(!"\(login.login)".contains("request-1"))
    }

    @Test(
        "a request ends if it is denied, or expires by the broker's error or the clock (CIBA, 11)"
    )
    func ends() async throws {
        for (answer, expected) in [
            (Self.error("expired_token"), RelyingPartyError.Reason.expired),
            (Self.error("access_denied"), .providerError(try #require(ProviderErrorCode("access_denied")))),
            (
                .json(#"{"error":"access_denied","error_description":"mitid_user_aborted"}"#, status: 400),
                .cancelled
            ),
        ] {
            let fixture = try BackChannelFixture { $0.answers = [answer] }
            let login = try await fixture.resumed()
            fixture.clock.advance(by: .seconds(3))
            #expect(try await failure(fixture, login) == expected)
            fixture.clock.advance(by: .seconds(3))
            #expect(try await failure(fixture, login) == .replayed)
            #expect(fixture.broker.calls("/token").count == 1)
        }
        let fixture = try BackChannelFixture { $0.answers = [Self.error("authorization_pending")] }
        let login = try await fixture.resumed()
        fixture.clock.advance(by: .seconds(299))
        #expect(try await fixture.poll(login)?.subject == nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await failure(fixture, login) == .expired)
        #expect(fixture.broker.calls("/token").count == 1)
    }

    @Test("an outage does not end the login, and every check of the ID token applies")
    func checks() async throws {
        let fixture = try BackChannelFixture { $0.answers = [TransportResponse(status: 503)] }
        let login = try await fixture.resumed()
        fixture.clock.advance(by: .seconds(3))
        #expect(try await failure(fixture, login) == .unexpectedStatus(503))
        let low = try fixture.tokens { $0["loa"] = .string(MitIDFixture.level + "Low") }
        fixture.broker.state.withLock { $0.answers = [low] }
        // The pause doubles while the broker fails.
        fixture.clock.advance(by: .seconds(6))
        #expect(try await failure(fixture, login) == .acrTooLow)
        let other = try await fixture.resumed()
        let good = try fixture.tokens()
        fixture.broker.state.withLock { $0.answers = [good] }
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.poll(other)?.subject == "user-1")
    }

    @Test("a response without required members, or with a browser URL that is not https, is rejected")
    func beginnings()
        async throws
    {
        for (begin, page, expected) in [
            ("{}", nil, RelyingPartyError.Reason.missingParameter("auth_req_id")),
            (#"{"auth_req_id":null,"expires_in":300}"#, nil, .missingParameter("auth_req_id")),
            (#"{"auth_req_id":"x","expires_in":0}"#, nil, .invalidParameter("expires_in")),
            (nil, "{}", .missingParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"http://broker.test/"}"#, .invalidParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"https://u@broker.test/"}"#, .invalidParameter("authentication_uri")),
        ] as [(String?, String?, RelyingPartyError.Reason)] {
            let fixture = try BackChannelFixture { state in
                state.begin = begin ?? state.begin
                state.page = page ?? state.page
            }
            let error = try await refusal { try await fixture.party.beginMitIDBackChannelLogin(.mitID()) }
            #expect(error == RelyingPartyError(expected, in: .pushedRequest))
        }
        let fixture = try BackChannelFixture()
        #expect(try await refusal { try await fixture.party.beginMitIDBackChannelLogin(.mitID()) } == nil)
    }

    @Test("all requests that begin a login share one time limit") func timeLimit() async throws {
        // The metadata and the keys are fetched before.
        for (latency, first, second) in [(3, 5, 5), (4, 5, 3), (6, 3, nil), (8, nil, nil)] as [(Int, Int?, Int?)] {
            let fixture = try BackChannelFixture { $0.latency = .seconds(latency) }
            fixture.fixture.provider.script.latency = .seconds(latency)
            let error = try await refusal { try await fixture.party.beginMitIDBackChannelLogin(.mitID()) }
            for (path, left) in [("/ciba", first), ("/api/ciba/broker-oidc/init-auth", second)] {
                #expect(fixture.broker.calls(path).last?.deadline == left.map { .seconds($0) }, "\(latency) \(path)")
            }
            #expect(error == (second == nil ? RelyingPartyError(.unreachable, in: .pushedRequest) : nil), "\(latency)")
        }
    }

    @Test("R22: a response that begins a login must be application/json") func contentTypes() async throws {
        for path in ["/ciba", "/api/ciba/broker-oidc/init-auth"] {
            for (type, isAccepted) in [
                ("application/json", true), ("Application/JSON; charset=utf-8", true), ("text/html", false),
                ("application/jwt", false), ("", false),
            ] {
                let fixture = try BackChannelFixture { $0.types[path] = type }
                let error = try await refusal { try await fixture.party.beginMitIDBackChannelLogin(.mitID()) }
                let failure = RelyingPartyError(.contentTypeMismatch, in: .pushedRequest)
                #expect(error == (isAccepted ? nil : failure), "\(path) \(type)")
            }
        }
    }

    @Test(
        "R06: a victim's browser does not enter an attacker's login, and an attacker does not receive a victim's by a link"
    )
    func loginCSRF() async throws {
        let fixture = try BackChannelFixture()
        let good = try fixture.tokens()
        fixture.broker.state.withLock { $0.answers = [good] }
        let victim = try await fixture.party.beginMitIDBackChannelLogin(.mitID())
        let victims = try fixture.callback()
        let calls = fixture.broker.state.withLock { $0.requests.count }
        // The attacker's auth_req_id in the victim's browser: without a cookie, and with the cookie of another login.
        for binding in [nil, "", victim.binding] {
            let attacker = try await fixture.party.beginMitIDBackChannelLogin(.mitID())
            let attackers = try fixture.callback()
            #expect(attacker.binding != victim.binding)
            let error = try await refusal {
                try await fixture.party.resumeMitIDBackChannelLogin(callback: attackers, binding: binding)
            }
            #expect(error == .callback(.bindingMismatch))
        }
        #expect(fixture.broker.calls("/token").isEmpty)
        #expect(fixture.broker.state.withLock { $0.requests.count } == calls + 6)
        let login = try await fixture.resume(victims, victim.binding)
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.poll(login)?.subject == "user-1")
        let again = try await refusal {
            try await fixture.party.resumeMitIDBackChannelLogin(callback: victims, binding: victim.binding)
        }
        #expect(again == .callback(.replayed))
    }

    @Test("a callback of another login, too late, or with an error is rejected") func returns() async throws {
        func failure(_ change: (BackChannelFixture, String) throws -> AuthorizationCallback) async throws
            -> RelyingPartyError?
        {
            let fixture = try BackChannelFixture()
            let start = try await fixture.party.beginMitIDBackChannelLogin(.mitID())
            let callback = try change(fixture, "state=" + FormFields.encoded(try fixture.state()))
            return try await refusal {
                try await fixture.party.resumeMitIDBackChannelLogin(callback: callback, binding: start.binding)
            }
        }
        #expect(try await failure { _, query in .query(query) } == nil)
        #expect(try await failure { _, query in .query(query + "&iss=" + MitIDFixture.issuer) } == nil)
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
            try await failure { fixture, query in
                fixture.clock.advance(by: .seconds(601))
                return .query(query)
            } == .callback(.stateMismatch))
    }

    @Test("the back-channel profile begins no login in a browser, and no other profile begins one in the back end")
    func otherProfiles() async throws {
        let fixture = try BackChannelFixture()
        let refused = RelyingPartyError(.configurationError, in: .request)
        #expect(try await refusal { try await fixture.party.beginLogin(.mitID()) } == refused)
        #expect(try await refusal { try await fixture.party.beginMitIDBackChannelLogin(.mitID()) } == nil)
        let browser = try MitIDFixture()
        #expect(try await refusal { try await browser.party.beginMitIDBackChannelLogin(.mitID()) } == refused)
        #expect(try await refusal { try await browser.party.beginLogin(.mitID()) } == nil)
    }
}
