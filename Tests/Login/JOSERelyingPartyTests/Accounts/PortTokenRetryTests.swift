import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Synchronization
import Testing

@Suite("Port tokens: lost responses and concurrent logins") struct PortTokenRetryTests {
    private typealias Migration = PortTokenMigration<SteppedAccountStore>
    private static let old = AccountReference(issuer: CarrierWeb.att, subject: "mccmnc-old")
    private static let new = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-new")
    private static let stranger = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-other")

    /// A service whose user Jane has come from another carrier.
    private struct Fixture {
        let clock = TestClock()
        let steps = StoreSteps()
        let accounts: SteppedAccountStore
        let migration: Migration
        let token: String

        /// Creates a service.
        ///
        /// - Parameter isLinked: Whether the account has the reference of the port token.
        init(isLinked: Bool = true) async throws {
            let clock = clock
            accounts = SteppedAccountStore(steps: steps)
            migration = Migration(
                clientID: CarrierWeb.clientID, trust: .carriers, transport: CarrierWeb(), store: accounts,
                used: SteppedLoginStore(steps), clock: clock.wallClock, elapsed: { 0 })
            token = try CarrierWeb.token(CarrierWeb.portClaims(issued: clock.now - .seconds(60)))
            if isLinked { _ = try await accounts.link(AccountLink(old), to: "jane") }
        }

        func login(_ current: AccountReference = new) async throws -> Migration.Report {
            try await migration.resolve(current, portTokens: [token])
        }

        /// Expects that the account is Jane's by her new reference alone, and that nobody else can use the token, even if another
        /// account gets the old reference.
        func expectMoved(_ comment: Comment) async throws {
            #expect(try await accounts.account(of: new) == "jane", comment)
            #expect(try await accounts.account(of: old) == nil, comment)
            #expect(accounts.inner.changes.count == 1, comment)
            _ = try await accounts.link(AccountLink(old), to: "john")
            let replay = try await login(stranger)
            #expect(replay.outcome == .unknown, comment)
            #expect(replay.refusals == [RelyingPartyError(.replayed, in: .portToken)], comment)
            #expect(try await accounts.account(of: old) == "john", comment)
        }
    }

    @Test(
        "R29 whichever store response is lost, the next login finds the account, and nobody else can use the token"
    )
    func lostAnswers() async throws {
        for number in 1...16 {
            let fixture = try await Fixture()
            fixture.steps.arm(at: number)
            let error = try await refusal { try await fixture.login() }
            guard fixture.steps.isSpent else {
                // The positive control: no response was lost.
                fixture.steps.disarm()
                #expect(error == nil && number > 4)
                try await fixture.expectMoved("no response was lost")
                return
            }
            #expect(error == RelyingPartyError(.storeUnavailable, in: .store) && error?.action == .retry, "\(number)")
            let outcome = try await fixture.login().outcome
            #expect(outcome == .moved("jane") || outcome == .known("jane"), "\(number)")
            #expect(try await fixture.login().outcome == .known("jane"), "\(number)")
            try await fixture.expectMoved("response \(number) was lost")
        }
        Issue.record("a login calls its stores more than 16 times")
    }

    @Test("R29 two concurrent logins of one user both find the account, in any interleaving")
    func twoLogins() async throws {
        for number in 1...16 {
            let fixture = try await Fixture()
            let second = Mutex<Migration.Outcome?>(nil)
            fixture.steps.arm(at: number) {
                let outcome = try? await fixture.login().outcome
                second.withLock { $0 = outcome }
            }
            let first = try await fixture.login().outcome
            guard fixture.steps.isSpent else {
                #expect(first == .moved("jane") && number > 4)
                return
            }
            let outcomes = [first, try #require(second.withLock { $0 })]
            #expect(outcomes.count { $0 == .moved("jane") } == 1, "\(number)")
            #expect(outcomes.count { $0 == .known("jane") } == 1, "\(number)")
            try await fixture.expectMoved("the logins interleaved at \(number)")
        }
        Issue.record("a login calls its stores more than 16 times")
    }

    @Test("R29 of two users with one port token only one gets the account, in any interleaving")
    func twoUsers() async throws {
        for number in 1...16 {
            let fixture = try await Fixture()
            let second = Mutex<Migration.Outcome?>(nil)
            fixture.steps.arm(at: number) {
                let outcome = try? await fixture.login(Self.stranger).outcome
                second.withLock { $0 = outcome }
            }
            let first = try await fixture.login().outcome
            guard fixture.steps.isSpent else {
                #expect(first == .moved("jane") && number > 4)
                return
            }
            let outcomes = [first, try #require(second.withLock { $0 })]
            #expect(outcomes.count { $0 == .moved("jane") } == 1, "\(number)")
            #expect(outcomes.count { $0 == .unknown } == 1, "\(number)")
            #expect(fixture.accounts.inner.changes.count == 1, "\(number)")
        }
        Issue.record("a login calls its stores more than 16 times")
    }

    @Test(
        "R29 a login that finds no account never releases a port token that another user has used"
    )
    func releases() async throws {
        for number in 1...16 {
            let fixture = try await Fixture(isLinked: false)
            let met = Mutex<Migration.Outcome?>(nil)
            fixture.steps.arm(at: number) {
                // After another login of this user, an account gets the old reference, and another user tries the token.
                _ = try? await fixture.login()
                _ = try? await fixture.accounts.link(AccountLink(Self.old), to: "jane")
                let outcome = try? await fixture.login(Self.stranger).outcome
                met.withLock { $0 = outcome }
            }
            let mine = try await fixture.login().outcome
            guard fixture.steps.isSpent else {
                // The positive control: no other login interleaved, and the token is free again.
                fixture.steps.disarm()
                #expect(mine == .unknown && number > 4)
                _ = try await fixture.accounts.link(AccountLink(Self.old), to: "jane")
                #expect(try await fixture.login(Self.stranger).outcome == .moved("jane"))
                return
            }
            var others = met.withLock { $0 }
            #expect([mine, others].contains(.unknown), "\(number)")
            // If neither got the account, the token is free again.
            if mine == .unknown, others == .unknown { others = try await fixture.login(Self.stranger).outcome }
            #expect([mine, others].contains(.moved("jane")), "\(number)")
            // The token remains used, even if another account gets the old reference.
            _ = try await fixture.accounts.link(AccountLink(Self.old), to: "john")
            let replay = try await mine == .unknown ? fixture.login() : fixture.login(Self.stranger)
            #expect(replay.outcome == .unknown, "\(number)")
            #expect(replay.refusals == [RelyingPartyError(.replayed, in: .portToken)], "\(number)")
            #expect(try await fixture.accounts.account(of: Self.old) == "john", "\(number)")
        }
        Issue.record("a login calls its stores more than 16 times")
    }

    @Test("port tokens of carriers that do not respond delay a login by ten seconds in all, not five for each")
    func timeLimit() async throws {
        let clock = TestClock()
        let silent = SilentCarriers(clock)
        func report(_ transport: any HTTPTransport) async throws
            -> PortTokenMigration<MemoryAccountStore<String>>.Report
        {
            let accounts = MemoryAccountStore<String>()
            _ = try await accounts.link(AccountLink(Self.old), to: "jane")
            let tokens = try (1...8).map { number in
                try CarrierWeb.token(CarrierWeb.portClaims(issued: clock.now - .seconds(60 + number)))
            }
            return try await PortTokenMigration(
                clientID: CarrierWeb.clientID, trust: .carriers, transport: transport, store: accounts,
                used: MemoryLoginStore(), clock: .fixed(1_700_000_000), elapsed: { clock.now.secondsSince1970 }
            ).resolve(Self.new, portTokens: tokens)
        }
        let began = clock.now
        let late = try await report(silent)
        #expect(late.outcome == .unknown)
        #expect(late.refusals == [RelyingPartyError?](repeating: .init(.unreachable, in: .portToken), count: 8))
        #expect(clock.now - began == Migration.timeLimit)
        #expect(silent.count == 2)
        // Carriers that respond are queried for every token.
        let good = try await report(CarrierWeb())
        #expect(good.outcome == .moved("jane"))
        #expect(good.refusals == [RelyingPartyError?](repeating: nil, count: 8))
    }
}

/// Carriers that do not respond before the deadline of each request has passed.
private final class SilentCarriers: HTTPTransport {
    private let clock: TestClock
    private let requests = Mutex(0)
    var count: Int { requests.withLock { $0 } }

    init(_ clock: TestClock) { self.clock = clock }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        requests.withLock { $0 += 1 }
        clock.advance(by: request.deadline)
        throw .deadlineExceeded
    }
}
