import Foundation
import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Synchronization
import Testing

@Suite("Polls for logins that the back end begins") struct PollingTests {
    private static let pending = PollingFixture.error("authorization_pending")

    /// Advances the clock by the pause, and checks that a poll before its end sends nothing.
    private func wait(_ seconds: Int, _ fixture: PollingFixture, _ login: BackChannelLogin) async throws {
        let calls = fixture.server.calls("/token").count
        let next = fixture.clock.now + .seconds(seconds)
        fixture.clock.advance(by: .seconds(seconds - 1))
        guard case .pending(let announced) = try await fixture.poll(login) else {
            Issue.record("a user before the pause of \(seconds) s was over")
            return
        }
        #expect(announced == next && fixture.server.calls("/token").count == calls)
        fixture.clock.advance(by: .seconds(1))
    }

    @Test("CIBA case 3: polls pause for the interval, and for 5 seconds more for good after slow_down")
    func pauses() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        #expect(login.interval == .seconds(5) && login.nextPoll == fixture.clock.now + .seconds(5))
        #expect(login.expires == fixture.clock.now + .seconds(120))
        let good = try fixture.tokens()
        fixture.answer(Self.pending, PollingFixture.error("slow_down"), Self.pending, good)
        for (number, seconds) in [5, 5, 10].enumerated() {
            try await wait(seconds, fixture, login)
            #expect(try await fixture.poll(login).user == nil)
            #expect(fixture.server.calls("/token").count == number + 1)
        }
        try await wait(10, fixture, login)
        let user = try #require(try await fixture.poll(login).user)
        #expect(user.subject == "user-1" && user.userInfo != nil)
        let form = fixture.server.lastForm("/token")
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba" && form["auth_req_id"] == "planted-request-1")
        let assertions = fixture.server.calls("/token").map { request in
            FormFields(String(decoding: request.body, as: UTF8.self))["client_assertion"] ?? ""
        }
        #expect(Set(assertions).count == 4)
        #expect(fixture.server.calls("/token").allSatisfy { $0.deadline >= .seconds(60) })
        #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
        #expect(fixture.server.calls("/token").count == 4)
    }

    @Test("a poll at the time of the next poll sends a request, and one before it sends none, by the system's clock")
    func systemClock() async throws {
        // On a busy machine the polls may take minutes.
        let fixture = try PollingFixture(by: .system) { $0.lifetime = .seconds(86_400) }
        fixture.acknowledge(#"{"auth_req_id":"planted-request-1","expires_in":86400,"interval":1}"#)
        fixture.answer(Self.pending)
        // The provider's clock is read with each request.
        let clock = fixture.clock
        clock.now = .now + .seconds(30)
        let login = try await fixture.begin()
        var next = login.nextPoll
        var early = 0
        for round in 0..<40 where early < 4 {
            let sent = fixture.polls
            fixture.during { clock.now = .now + .seconds(1) }
            let before = try await fixture.next(login)
            // A busy machine may have made this poll too late, which then sent a request.
            guard Date().timeIntervalSince1970 < next.secondsSince1970 else {
                next = try #require(before)
                continue
            }
            #expect(before == next && fixture.polls == sent, "round \(round)")
            early += 1
            // The last milliseconds pass without a sleep, which would end some time after its end.
            try await Task.sleep(for: max(.zero, next - .now - .milliseconds(20)))
            while Date().timeIntervalSince1970 - 1e-6 < next.secondsSince1970 {}
            next = try #require(try await fixture.next(login))
            #expect(fixture.polls == sent + 1, "round \(round)")
        }
        #expect(early == 4)
    }

    @Test("the pause begins when the response has come, and not when the request was sent (CIBA, 7.3)")
    func longPolling() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        fixture.answer(Self.pending)
        let clock = fixture.clock
        fixture.server.state.withLock { $0.during = { clock.advance(by: .seconds(30)) } }
        clock.advance(by: .seconds(5))
        guard case .pending(let next) = try await fixture.poll(login) else {
            Issue.record("a user without tokens")
            return
        }
        #expect(next == clock.now + .seconds(5))
        #expect(try await fixture.poll(login).user == nil && fixture.server.calls("/token").count == 1)
        clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(login).user == nil && fixture.server.calls("/token").count == 2)
    }

    @Test("CIBA case 4: of two concurrent polls for a login, one sends a request")
    func concurrentPolls() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(good)
        fixture.clock.advance(by: .seconds(5))
        let second = Mutex<BackChannelPoll?>(nil)
        fixture.server.state.withLock { state in
            state.during = {
                let poll = try? await fixture.poll(login)
                second.withLock { $0 = poll }
            }
        }
        #expect(try await fixture.poll(login).user?.subject == "user-1")
        guard case .pending? = second.withLock({ $0 }) else {
            Issue.record("the second poll was not pending")
            return
        }
        #expect(fixture.server.calls("/token").count == 1)
        // The control: one after the other, both send one.
        let other = try await fixture.begin()
        fixture.answer(Self.pending, good)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(other).user == nil)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(other).user != nil)
        #expect(fixture.server.calls("/token").count == 3)
    }

    @Test("a process that stops during a poll delays the login, and does not end it") func stoppedProcess() async throws
    {
        let fixture = try PollingFixture()
        fixture.server.state.withLock {
            $0.acknowledgement = .json(#"{"auth_req_id":"planted-1","expires_in":600}"#)
        }
        let login = try await fixture.begin()
        fixture.answer(Self.pending)
        fixture.clock.advance(by: .seconds(5))
        // The process began its turn, and stopped.
        let turn = try StoreKey(kind: "back-channel turn", value: login.handle)
        #expect(try await fixture.fixture.store.insert([1], for: turn, lifetime: .seconds(90)))
        #expect(try await fixture.poll(login).user == nil)
        fixture.clock.advance(by: .seconds(89))
        #expect(try await fixture.poll(login).user == nil && fixture.server.calls("/token").isEmpty)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.poll(login).user == nil && fixture.server.calls("/token").count == 1)
        // The process stopped while it replaced the pace.
        let pace = try StoreKey(kind: "back-channel pace", value: login.handle)
        #expect(try await fixture.fixture.store.take(pace) != nil)
        #expect(try await fixture.poll(login).user == nil && fixture.server.calls("/token").count == 1)
        let good = try fixture.tokens()
        fixture.answer(good)
        // The lost pace may have had a longer interval.
        try await wait(10, fixture, login)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
    }

    @Test("CIBA case 5: a response 503 with Retry-After: 20 stops the polls for 20 seconds") func retryAfter()
        async throws
    {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        let outage = TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "20")])
        let good = try fixture.tokens()
        fixture.answer(outage, good)
        try await wait(5, fixture, login)
        let error = try await refusal { try await fixture.poll(login) }
        #expect(error == RelyingPartyError(.unexpectedStatus(503), in: .tokenResponse) && error?.isRetryable == true)
        try await wait(20, fixture, login)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
    }

    @Test("the pause doubles up to 60 seconds while the provider fails, and is the interval again after a response")
    func outages() async throws {
        let fixture = try PollingFixture()
        fixture.server.state.withLock {
            $0.acknowledgement = .json(#"{"auth_req_id":"planted-1","expires_in":600}"#)
        }
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(
            TransportResponse(status: 500), nil, TransportResponse(status: 502), nil, nil, Self.pending, good)
        var pause = 5
        for next in [10, 20, 40, 60, 60] {
            try await wait(pause, fixture, login)
            let error = try #require(try await refusal { try await fixture.poll(login) })
            #expect(error.isRetryable)
            pause = next
        }
        try await wait(60, fixture, login)
        #expect(try await fixture.poll(login).user == nil)
        try await wait(5, fixture, login)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
        #expect(fixture.server.calls("/token").count == 7)
    }

    @Test("Retry-After is obeyed beside slow_down and pending, where it is the longer pause (CIBA, 11)")
    func longerPauses() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        func answer(_ code: String, status: Int, _ delay: String) -> TransportResponse {
            var answer = PollingFixture.error(code)
            answer.status = status
            answer.headers.append(TransportHeaderField("Retry-After", delay))
            return answer
        }
        let good = try fixture.tokens()
        fixture.answer(
            answer("slow_down", status: 429, "20"), answer("authorization_pending", status: 400, "15"),
            answer("authorization_pending", status: 400, "2"), good)
        for pause in [5, 20, 15] {
            try await wait(pause, fixture, login)
            #expect(try await fixture.poll(login).user == nil)
        }
        try await wait(10, fixture, login)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
    }

    @Test("without an error object a redirect, 401 or 404 ends the login, and 408, 429 or 500 and above do not")
    func statuses() async throws {
        for (status, isRetried) in [
            (408, true), (429, true), (500, true), (503, true), (599, true), (204, false), (302, false), (307, false),
            (400, false), (401, false), (403, false), (404, false), (418, false),
        ] {
            let fixture = try PollingFixture()
            let good = try fixture.tokens()
            let login = try await fixture.begin()
            fixture.answer(TransportResponse(status: status), good)
            fixture.clock.advance(by: .seconds(5))
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == RelyingPartyError(.unexpectedStatus(status), in: .tokenResponse))
            #expect(error?.action == (isRetried ? .retry : .restart), "\(status)")
            fixture.clock.advance(by: .seconds(10))
            #expect(
                try await refusal { try await fixture.poll(login) }?.reason == (isRetried ? nil : .replayed),
                "\(status)")
            #expect(fixture.polls == (isRetried ? 2 : 1))
        }
    }

    @Test("an error code other than authorization_pending and slow_down ends the login with any status (CIBA, 11)")
    func codes() async throws {
        for (code, status, isPending) in [
            ("slow_down", 429, true), ("authorization_pending", 408, true), ("temporarily_unavailable", 429, false),
            ("temporarily_unavailable", 408, false),
        ] {
            let fixture = try PollingFixture()
            let good = try fixture.tokens()
            let login = try await fixture.begin()
            fixture.answer(.json(#"{"error":"\#(code)"}"#, status: status), good)
            fixture.clock.advance(by: .seconds(5))
            let error = try await refusal { try await fixture.poll(login) }
            let reason = RelyingPartyError.Reason.providerError(try #require(ProviderErrorCode(code)))
            #expect(error?.reason == (isPending ? nil : reason), "\(code) \(status)")
            fixture.clock.advance(by: .seconds(10))
            #expect(
                try await refusal { try await fixture.poll(login) }?.reason == (isPending ? nil : .replayed),
                "\(code) \(status)")
        }
    }

    @Test("CIBA case 6: a login that has expired by the clock is over, and no request is sent") func expiry()
        async throws
    {
        let fixture = try PollingFixture()
        let late = try await fixture.begin()
        fixture.clock.advance(by: .seconds(120))
        #expect(
            try await refusal { try await fixture.poll(late) } == RelyingPartyError(.expired, in: .tokenResponse))
        #expect(try await refusal { try await fixture.poll(late) }?.reason == .replayed)
        #expect(fixture.server.calls("/token").isEmpty)
        let login = try await fixture.begin()
        fixture.clock.advance(by: .seconds(119))
        let good = try fixture.tokens()
        fixture.answer(good)
        #expect(try await fixture.poll(login).user != nil)
    }

    @Test("CIBA case 10: only the session that began the login receives its result (R42)") func sessions()
        async throws
    {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        var request = PollingFixture.request
        request["login_hint"] = "another-hint@example.com"
        let other = try await fixture.party.beginBackChannelLogin(request, session: "the secret of another session")
        let good = try fixture.tokens()
        fixture.answer(good)
        fixture.clock.advance(by: .seconds(5))
        let mismatch = RelyingPartyError(.stateMismatch, in: .tokenResponse)
        for (handle, session) in [
            (login.handle, "the secret of another session"), (login.handle, ""),
            (other.handle, PollingFixture.session), ("unknown", PollingFixture.session), ("", PollingFixture.session),
        ] {
            #expect(try await refusal { try await fixture.party.poll(handle, session: session) } == mismatch)
        }
        #expect(fixture.server.calls("/token").isEmpty)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
        // Once the login is over, another session still learns nothing of it.
        #expect(
            try await refusal { try await fixture.party.poll(login.handle, session: "the secret of another session") }
                == mismatch)
        #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
    }

    @Test("each error code ends the login with its own reason, and only pending and slow_down do not (CIBA, 11)")
    func errors() async throws {
        let codes: [(String, RelyingPartyError.Reason, RelyingPartyError.Action)] = [
            ("expired_token", .expired, .restart), ("access_denied", .cancelled, .tellUser),
            ("invalid_grant", .providerError(try #require(ProviderErrorCode("invalid_grant"))), .restart),
            (
                "unauthorized_client", .providerError(try #require(ProviderErrorCode("unauthorized_client"))),
                .fixConfiguration
            ),
            ("planted_code", .providerError(try #require(ProviderErrorCode("planted_code"))), .fixConfiguration),
        ]
        for (code, reason, action) in codes {
            let fixture = try PollingFixture()
            fixture.answer(PollingFixture.error(code))
            let login = try await fixture.begin()
            fixture.clock.advance(by: .seconds(5))
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == RelyingPartyError(reason, in: .tokenResponse) && error?.action == action, "\(code)")
            fixture.clock.advance(by: .seconds(60))
            #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
            #expect(fixture.server.calls("/token").count == 1)
        }
    }
}
