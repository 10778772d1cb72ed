import JOSE
import JOSERelyingParty
import JOSETesting
import Testing

@Suite("One login of a user at a time from the back end") struct BackChannelReservationTests {
    private static func request(_ hint: String) -> LoginRequest {
        var request = LoginRequest()
        request["login_hint"] = hint
        return request
    }

    private static let pending = RelyingPartyError(.loginPending, in: .request)

    private func begin(_ fixture: PollingFixture, _ hint: String) async throws -> BackChannelLogin {
        try await fixture.party.beginBackChannelLogin(Self.request(hint), session: PollingFixture.session)
    }

    private func refused(_ fixture: PollingFixture, _ hint: String) async throws -> RelyingPartyError? {
        try await refusal { try await begin(fixture, hint) }
    }

    @Test("CIBA case 14: while a login is pending none of the same hint is begun, and no request is sent")
    func pending() async throws {
        let fixture = try PollingFixture()
        _ = try await begin(fixture, "anna@example.com")
        #expect(try await refused(fixture, "anna@example.com") == Self.pending)
        #expect(fixture.server.calls("/bc-authorize").count == 1)
        // The positive controls: another hint, and the same one once the login has expired.
        #expect(try await refused(fixture, "Anna@example.com") == nil)
        fixture.clock.advance(by: .seconds(119))
        #expect(try await refused(fixture, "anna@example.com") == Self.pending)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await refused(fixture, "anna@example.com") == nil)
        #expect(fixture.server.calls("/bc-authorize").count == 3)
    }

    @Test("CIBA case 14: after a login has ended, whatever its end was, the next one of the user is begun") func ended()
        async throws
    {
        for isApproved in [true, false] {
            let fixture = try PollingFixture()
            let login = try await begin(fixture, "anna@example.com")
            fixture.answer(isApproved ? try fixture.tokens() : PollingFixture.error("access_denied"))
            fixture.clock.advance(by: .seconds(5))
            #expect(try await refused(fixture, "anna@example.com") == Self.pending)
            #expect((try await refusal { try await fixture.poll(login) } == nil) == isApproved)
            #expect(try await refused(fixture, "anna@example.com") == nil)
        }
    }

    @Test("CIBA case 14: a login that the provider does not begin keeps nobody from the next one") func failed()
        async throws
    {
        let fixture = try PollingFixture()
        fixture.server.state.withLock { $0.acknowledgement = PollingFixture.error("unknown_user_id") }
        for _ in 0..<2 { #expect(try await refused(fixture, "nobody@example.com")?.reason != .loginPending) }
        fixture.server.state.withLock { $0.acknowledgement = nil }
        #expect(try await refused(fixture, "nobody@example.com") == nil)
    }

    @Test("CIBA case 14: of twenty concurrent logins of one hint one is begun") func race() async throws {
        let fixture = try PollingFixture()
        let begun = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await refused(fixture, "anna@example.com") == nil } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun == 1 && fixture.server.calls("/bc-authorize").count == 1)
    }
}
