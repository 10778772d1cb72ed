import JOSE
import JOSETesting
import Synchronization
import Testing

@testable import JOSERelyingParty

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

    @Test("CIBA case 14: a login that the provider does not begin is not pending") func failed() async throws {
        let fixture = try PollingFixture()
        fixture.server.state.withLock { $0.acknowledgement = PollingFixture.error("unknown_user_id") }
        let unknown = RelyingPartyError(
            .providerError(try #require(ProviderErrorCode("unknown_user_id"))), in: .pushedRequest)
        for count in 1...2 {
            #expect(try await refused(fixture, "nobody@example.com") == unknown)
            #expect(fixture.server.calls("/bc-authorize").count == count)
        }
        fixture.server.state.withLock { $0.acknowledgement = nil }
        #expect(try await refused(fixture, "nobody@example.com") == nil)
    }

    @Test("CIBA case 14: a login whose process stopped while it began is pending for as long as its beginning may take")
    func stopped() async throws {
        for (age, error) in [(44, Self.pending), (46, nil)] {
            let steps = StoreSteps()
            let store = SteppedLoginStore(steps)
            let fixture = try PollingFixture(store: store)
            // The reservation is there, and the login is not.
            let reservation = try await BackChannelReservation.reserve(
                Self.request("anna@example.com"), at: LoginFixture.issuer, handle: "a-handle", in: store,
                now: fixture.clock.now, for: .openID(issuer: LoginFixture.issuer))
            #expect(try await reservation.isCurrent())
            fixture.clock.advance(by: .seconds(age))
            #expect(try await refused(fixture, "anna@example.com") == error, "\(age)")
            #expect(try await reservation.isCurrent() == (error != nil))
        }
    }

    @Test("CIBA case 14: of twenty concurrent logins of one hint one is begun, also after one has expired") func race()
        async throws
    {
        let fixture = try PollingFixture()
        for round in 1...3 {
            let begun = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await refused(fixture, "anna@example.com") == nil } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(begun == 1 && fixture.server.calls("/bc-authorize").count == round)
            fixture.clock.advance(by: .seconds(120))
        }
    }

    @Test("CIBA case 14: of two logins that follow an expired one, whatever they do meanwhile, one is begun")
    func replacement() async throws {
        for number in 1...12 {
            let steps = StoreSteps()
            let fixture = try PollingFixture()
            let store = SteppedLoginStore(steps, clock: fixture.clock.wallClock)
            let party = try fixture.party(with: store)
            _ = try await party.beginBackChannelLogin(
                Self.request("anna@example.com"), session: PollingFixture.session)
            fixture.clock.advance(by: .seconds(120))
            let others = Mutex(0)
            steps.arm(at: number) {
                for _ in 0..<2 {
                    let login = try? await party.beginBackChannelLogin(
                        Self.request("anna@example.com"), session: PollingFixture.session)
                    if login != nil { others.withLock { $0 += 1 } }
                }
            }
            let isBegun =
                try await refusal {
                    try await party.beginBackChannelLogin(
                        Self.request("anna@example.com"), session: PollingFixture.session)
                } == nil
            guard steps.isSpent else {
                #expect(number > 6)
                return
            }
            #expect(others.withLock { $0 } + (isBegun ? 1 : 0) == 1, "\(number)")
        }
    }

    @Test("CIBA case 14: a login that took too long to begin is not stored beside the one that replaced it")
    func late() async throws {
        let fixture = try PollingFixture()
        let slow = try await BackChannelReservation.reserve(
            Self.request("anna@example.com"), at: LoginFixture.issuer, handle: "a-handle", in: fixture.fixture.store,
            now: fixture.clock.now, for: .openID(issuer: LoginFixture.issuer))
        fixture.clock.advance(by: .seconds(60))
        #expect(try await refused(fixture, "anna@example.com") == nil)
        #expect(try await !slow.isCurrent())
        // Its release leaves the later one.
        await slow.release()
        #expect(try await refused(fixture, "anna@example.com") == Self.pending)
    }

    @Test("CIBA case 14: if a response of the store is lost, a login can be begun again within a minute") func lost()
        async throws
    {
        for hasExpired in [false, true] {
            for number in 1...8 {
                let steps = StoreSteps()
                let fixture = try PollingFixture()
                let store = SteppedLoginStore(steps, clock: fixture.clock.wallClock)
                let party = try fixture.party(with: store)
                func begin() async throws -> RelyingPartyError? {
                    try await refusal {
                        try await party.beginBackChannelLogin(
                            Self.request("anna@example.com"), session: PollingFixture.session)
                    }
                }
                if hasExpired {
                    #expect(try await begin() == nil)
                    fixture.clock.advance(by: .seconds(120))
                }
                steps.arm(at: number)
                let error = try await begin()
                guard steps.isSpent else {
                    #expect(error == nil && number > (hasExpired ? 6 : 2))
                    break
                }
                steps.disarm()
                if error != nil {
                    #expect(error?.reason == .storeUnavailable, "\(number)")
                    fixture.clock.advance(by: .seconds(60))
                    #expect(try await begin() == nil, "\(hasExpired) \(number)")
                }
            }
        }
    }

    @Test("CIBA case 14: a request whose connection ended leaves no reservation") func cancelledTask() async throws {
        let fixture = try PollingFixture(store: FaultyLoginStore())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await refused(fixture, "anna@example.com")
        }
        task.cancel()
        #expect(try await task.value != nil)
        #expect(try await refused(fixture, "anna@example.com") == nil)
    }
}
