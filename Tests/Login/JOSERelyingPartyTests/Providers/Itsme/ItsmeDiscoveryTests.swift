import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Synchronization
import Testing

@Suite("itsme: errors of logins that the back end begins") struct ItsmeDiscoveryTests {
    private static func code(_ text: String) throws -> RelyingPartyError.Reason {
        .providerError(try #require(ProviderErrorCode(text)))
    }

    /// Returns a search whose next poll is due, and that the server answers with these responses.
    private func search(_ answers: TransportResponse...) async throws -> (ItsmeBackChannelFixture, ItsmeUserDiscovery) {
        let fixture = try ItsmeBackChannelFixture()
        fixture.answer(ItsmeBackChannelFixture.pending("AAAA"))
        let search = try await fixture.party.beginItsmeUserDiscovery()
        fixture.server.state.withLock { $0.searches = answers }
        fixture.clock.advance(by: .seconds(5))
        return (fixture, search)
    }

    private func polls(_ fixture: ItsmeBackChannelFixture) -> Int {
        fixture.server.forms(ItsmeBackChannelFixture.search).count
    }

    @Test("status 400 is an expired search, unless its error code says that the client is not accepted")
    func clientFaults() async throws {
        for (answer, reason, action) in [
            (TransportResponse(status: 400), .expired, .restart),
            (.json(#"{"error":"expired_token"}"#, status: 400), .expired, .restart),
            (.json(#"{"error":"invalid_client"}"#, status: 400), try Self.code("invalid_client"), .fixConfiguration),
            (.json(#"{"error":"invalid_client"}"#, status: 401), try Self.code("invalid_client"), .fixConfiguration),
            (
                .json(#"{"error":"unauthorized_client"}"#, status: 400), try Self.code("unauthorized_client"),
                .fixConfiguration
            ),
        ] as [(TransportResponse, RelyingPartyError.Reason, RelyingPartyError.Action)] {
            let (fixture, begun) = try await search(answer)
            var search = begun
            let error = try #require(try await refusal { try await fixture.party.poll(&search) })
            #expect(error == RelyingPartyError(reason, in: .pushedRequest) && error.action == action)
            #expect(try await refusal { try await fixture.party.poll(&search) }?.reason == .replayed)
            #expect(polls(fixture) == 1)
        }
    }

    @Test("while itsme fails the pause doubles, Retry-After is obeyed, and the search goes on") func outages()
        async throws
    {
        let wait = TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", "45")])
        let (fixture, begun) = try await search(
            TransportResponse(status: 500), TransportResponse(status: 408), wait,
            ItsmeBackChannelFixture.pending("AQID"),
            ItsmeBackChannelFixture.found())
        var search = begun
        for (number, pause) in [10, 20, 45].enumerated() {
            let error = try #require(try await refusal { try await fixture.party.poll(&search) })
            #expect(error.isRetryable && error.step == .pushedRequest)
            #expect(search.nextPoll == fixture.clock.now + .seconds(pause))
            fixture.clock.advance(by: .seconds(pause - 1))
            #expect(try await fixture.party.poll(&search) == nil && polls(fixture) == number + 1)
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(try await fixture.party.poll(&search) == nil && search.image == [1, 2, 3])
        // The pause is the interval again after a response.
        #expect(search.nextPoll == fixture.clock.now + .seconds(5))
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.party.poll(&search) != nil && polls(fixture) == 5)
    }

    @Test("a fault of the network doubles the pause, and a cancelled poll does not; the search goes on") func faults()
        async throws
    {
        for (fault, reason, pause) in [
            (.connectionLost, .unreachable, 10), (.responseInvalid, .malformed, 10), (.cancelled, .interrupted, 5),
        ] as [(TransportError, RelyingPartyError.Reason, Int)] {
            let (fixture, begun) = try await search(ItsmeBackChannelFixture.found())
            var search = begun
            fixture.server.state.withLock { $0.fault = fault }
            let error = try #require(try await refusal { try await fixture.party.poll(&search) })
            #expect(error == RelyingPartyError(reason, in: .pushedRequest) && error.isRetryable, "\(fault)")
            #expect(search.nextPoll == fixture.clock.now + .seconds(pause))
            fixture.clock.advance(by: .seconds(pause))
            #expect(try await fixture.party.poll(&search) != nil)
        }
    }

    @Test("the next poll of a search is never later than its expiry") func nextPolls() async throws {
        let late = TransportResponse(status: 429, headers: [TransportHeaderField("Retry-After", "86400")])
        let (fixture, begun) = try await search(late)
        var search = begun
        #expect(try await fixture.party.poll(&search) == nil && search.nextPoll == search.expires)
        fixture.answer(
            .json(
                #"{"user_discovery_session_id":"planted-search_1","status":"PENDING_USER_DISCOVERY","qr_code":"AAAA","#
                    + #""interval":1000000000}"#))
        let slow = try await fixture.party.beginItsmeUserDiscovery()
        #expect(slow.nextPoll == slow.expires)
        fixture.answer(ItsmeBackChannelFixture.pending("AAAA"))
        let usual = try await fixture.party.beginItsmeUserDiscovery()
        #expect(usual.nextPoll == fixture.clock.now + .seconds(5) && usual.expires > usual.nextPoll)
    }

    @Test("the error codes of CIBA have its meaning, and an unknown user is searched for again") func codes()
        async throws
    {
        let fixture = try ItsmeBackChannelFixture()
        for (code, reason, action) in [
            ("unknown_user_id", nil, .restart), ("expired_login_hint_token", nil, .restart),
            ("access_denied", .cancelled, .tellUser), ("invalid_request", nil, .fixConfiguration),
        ] as [(String, RelyingPartyError.Reason?, RelyingPartyError.Action)] {
            fixture.server.state.withLock { $0.refusal = .json(#"{"error":"\#(code)"}"#, status: 400) }
            let user = try await fixture.user("planted-user-\(code)")
            let error = try #require(try await refusal { try await fixture.begin(user) })
            #expect(error == RelyingPartyError(try reason ?? Self.code(code), in: .pushedRequest))
            #expect(error.action == action, "\(code)")
        }
        fixture.server.state.withLock { $0.refusal = nil }
        for (code, reason, action) in [
            ("access_denied", .cancelled, .tellUser), ("expired_token", .expired, .restart),
            ("invalid_grant", try Self.code("invalid_grant"), .restart),
        ] as [(String, RelyingPartyError.Reason, RelyingPartyError.Action)] {
            let login = try await fixture.begin(fixture.user("planted-user-\(code)-2"))
            fixture.server.state.withLock { $0.tokens = .json(#"{"error":"\#(code)"}"#, status: 400) }
            fixture.clock.advance(by: login.interval)
            let error = try await refusal {
                try await fixture.party.poll(login.handle, session: ItsmeBackChannelFixture.session)
            }
            #expect(error == RelyingPartyError(reason, in: .tokenResponse) && error?.action == action, "\(code)")
        }
    }
}
