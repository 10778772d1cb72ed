import JOSE
import JOSERelyingParty
import JOSETesting
import Synchronization
import Testing

@Suite("AppHandoff") struct AppHandoffTests {
    private let clock = TestClock()
    private let instance = Array("an instance of the app".utf8)
    private let other = Array("another app's instance".utf8)

    private func fixture(lifetime: Duration = .seconds(600)) -> AppHandoff {
        AppHandoff(store: ListStore(), lifetime: lifetime, clock: clock.wallClock)
    }

    private func failure(_ body: () async throws(RelyingPartyError) -> AppHandoff.Answer) async -> RelyingPartyError
        .Reason?
    {
        do throws(RelyingPartyError) {
            _ = try await body()
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("no handle is made while the clock shows no valid time") func oddClock() throws {
        for time in [Double.nan, .infinity, -.infinity] {
            let handoff = AppHandoff(store: ListStore(), clock: .fixed(NumericDate(secondsSince1970: time)))
            #expect(throws: RelyingPartyError(.configurationError, in: .callback)) { try handoff.open(for: instance) }
        }
        #expect(throws: Never.self) { try fixture().open(for: instance) }
    }

    @Test("MitID case 12: an app that polls gets the result of its login in the browser, once")
    func ended() async throws {
        let fixture = fixture()
        let handle = try fixture.open(for: instance)
        #expect(try await fixture.poll(handle, by: instance) == .pending)
        #expect(try await fixture.end(handle, with: [1, 2, 3]))
        #expect(try await fixture.poll(handle, by: instance) == .ended([1, 2, 3]))
        #expect(try await fixture.poll(handle, by: instance) == .expired)
        #expect(try await fixture.poll(handle, by: instance) == .expired)
        #expect(try await !fixture.end(handle, with: [4]))
        #expect(try await fixture.poll(handle, by: instance) == .expired)
    }

    @Test(
        "MitID case 11: a poll from another instance of the app is rejected, and the right instance still gets its result"
    )
    func binding() async throws {
        let fixture = fixture()
        let handle = try fixture.open(for: instance)
        _ = try await fixture.end(handle, with: [7])
        let (stranger, nobody) = (other, [UInt8]())
        #expect(
            await failure { () async throws(RelyingPartyError) in try await fixture.poll(handle, by: stranger) }
                == .bindingMismatch)
        #expect(
            await failure { () async throws(RelyingPartyError) in try await fixture.poll(handle, by: nobody) }
                == .bindingMismatch)
        let changed = String(handle.dropLast(2)) + (handle.hasSuffix("AA") ? "BA" : "AA")
        let mine = instance
        #expect(
            await failure { () async throws(RelyingPartyError) in try await fixture.poll(changed, by: mine) } != nil)
        #expect(
            await failure { () async throws(RelyingPartyError) in try await fixture.poll("x", by: mine) }
                == .invalidParameter("handle"))
        #expect(try await fixture.poll(handle, by: instance) == .ended([7]))
    }

    @Test("a handle with a byte too many or too few is no handle, for a poll and for the end of a login")
    func lengths() async throws {
        let fixture = fixture()
        let mine = instance
        let handle = try fixture.open(for: mine)
        let bytes = try #require(Forge.decoded(handle))
        for wrong in [bytes + [0], Array(bytes.dropLast()), []].map(Forge.encoded) {
            #expect(
                await failure { () async throws(RelyingPartyError) in try await fixture.poll(wrong, by: mine) }
                    == .invalidParameter("handle"))
            #expect(
                await failure { () async throws(RelyingPartyError) in
                    try await fixture.end(wrong, with: [1]) ? .ended([1]) : .expired
                } == .invalidParameter("handle"))
        }
        #expect(Forge.encoded(bytes) == handle)
        #expect(try await fixture.end(handle, with: [7]))
        #expect(try await fixture.poll(handle, by: mine) == .ended([7]))
    }

    @Test("MitID case 31: a login without a callback expires, and a poll reports it") func expiry() async throws {
        let fixture = fixture()
        let handle = try fixture.open(for: instance)
        clock.advance(by: .seconds(599))
        #expect(try await fixture.poll(handle, by: instance) == .pending)
        clock.advance(by: .seconds(1))
        #expect(try await fixture.poll(handle, by: instance) == .expired)
        do throws(RelyingPartyError) {
            _ = try await fixture.end(handle, with: [1])
            Issue.record("ended after its time")
        } catch {
            #expect(error.reason == .expired)
        }
        #expect(try await fixture.poll(handle, by: instance) == .expired)
    }

    @Test("MitID case 12: an app learns by polling that its login ended in the browser, without the switch it offered")
    func inBrowser() async throws {
        let fixture = try MitIDFixture()
        let handoff = AppHandoff(store: fixture.fixture.store, clock: fixture.clock.wallClock)
        let handle = try handoff.open(for: instance)
        var request = LoginRequest.mitID()
        var parameters = MitIDParameters()
        parameters.appSwitch = .init(.iOS, url: MitIDFixture.link)
        request.mitID = parameters
        let start = try await fixture.party.beginLogin(request)
        #expect(try await handoff.poll(handle, by: instance) == .pending)
        let user = try await fixture.party.completeLogin(
            callback: MitIDFixture.callback(fixture.form(start.url)), binding: start.binding)
        #expect(try await handoff.end(handle, with: Array(user.subject.utf8)))
        #expect(try await handoff.poll(handle, by: instance) == .ended(Array("user-1".utf8)))
    }

    @Test("MitID case 31: a login whose callback does not come in ten minutes is over, for the app that polls too")
    func withoutCallback() async throws {
        // The positive control is a callback one second earlier.
        for (age, isInTime) in [(599, true), (600, false)] {
            let fixture = try MitIDFixture()
            let handoff = AppHandoff(store: fixture.fixture.store, clock: fixture.clock.wallClock)
            let handle = try handoff.open(for: instance)
            let start = try await fixture.party.beginLogin(fixture.fixture.request)
            let callback = MitIDFixture.callback(fixture.form(start.url))
            fixture.clock.advance(by: .seconds(age))
            let answer = try await handoff.poll(handle, by: instance)
            #expect(answer == (isInTime ? .pending : .expired), "\(age)")
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: callback, binding: start.binding)
            }
            #expect(error == (isInTime ? nil : .callback(.stateMismatch)), "\(age)")
            #expect(fixture.provider.calls(.token) == (isInTime ? 1 : 0), "\(age)")
        }
    }

    @Test("of a hundred concurrent polls one gets the result, and a login is completed once") func race() async throws {
        let fixture = fixture()
        let handle = try fixture.open(for: instance)
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { try await fixture.end(handle, with: [UInt8(number)]) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ends == 1)
        let mine = instance
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { if case .ended = try await fixture.poll(handle, by: mine) { true } else { false } }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1)
    }

    @Test("R34 a result is returned once, whatever polls or completes the login between two store operations")
    func onceBetweenOperations() async throws {
        let mine = instance
        for number in 1...8 {
            // A poll and a second end coincide after the answer was returned.
            let steps = StoreSteps()
            let handoff = AppHandoff(store: SteppedLoginStore(steps), clock: clock.wallClock)
            let handle = try handoff.open(for: instance)
            let isEnded = Mutex<Bool?>(nil)
            #expect(try await handoff.poll(handle, by: mine) == .pending)
            #expect(try await handoff.end(handle, with: [1]))
            #expect(try await handoff.poll(handle, by: mine) == .ended([1]))
            steps.arm(at: number) {
                let outcome = try? await handoff.end(handle, with: [2])
                isEnded.withLock { $0 = outcome }
            }
            #expect(try await handoff.poll(handle, by: mine) == .expired, "\(number)")
            #expect(try await handoff.poll(handle, by: mine) == .expired, "\(number)")
            guard steps.isSpent else {
                #expect(number > 2)
                return
            }
            #expect(isEnded.withLock { $0 } == false, "\(number)")

            // Two polls coincide while the answer is in the store.
            let second = try handoff.open(for: instance)
            let inner = Mutex<AppHandoff.Answer?>(nil)
            #expect(try await handoff.end(second, with: [3]))
            steps.arm(at: number) {
                let answer = try? await handoff.poll(second, by: mine)
                inner.withLock { $0 = answer }
            }
            let answers = [try await handoff.poll(second, by: mine), inner.withLock { $0 }]
            #expect(answers.count { $0 == .ended([3]) } == 1, "\(number)")
        }
    }

    @Test("R34 if any store response is lost, completing again succeeds with the same result and fails with another")
    func lostEnds() async throws {
        let mine = instance
        for isRepeated in [false, true] {
            var isWhole = false
            for number in 1...8 where !isWhole {
                let steps = StoreSteps()
                let handoff = AppHandoff(store: SteppedLoginStore(steps), clock: clock.wallClock)
                let handle = try handoff.open(for: mine)
                // A back end that failed after an earlier call repeats it.
                if isRepeated { #expect(try await handoff.end(handle, with: [1])) }
                steps.arm(at: number)
                let error = try await refusal { try await handoff.end(handle, with: [1]) }
                isWhole = !steps.isSpent
                steps.disarm()
                if isWhole {
                    // The positive control: no response was lost.
                    #expect(error == nil && number > (isRepeated ? 2 : 1))
                } else {
                    #expect(error == RelyingPartyError(.storeUnavailable, in: .store), "\(number)")
                    #expect(error?.remedy == .retry, "\(number)")
                }
                #expect(try await handoff.end(handle, with: [1]), "\(number)")
                #expect(try await !handoff.end(handle, with: [2]), "\(number)")
                #expect(try await handoff.poll(handle, by: mine) == .ended([1]), "\(number)")
                #expect(try await handoff.poll(handle, by: mine) == .expired, "\(number)")
            }
            #expect(isWhole, "an end asks its store more than 8 times")
        }
    }

    @Test(
        "R34 if any store response is lost, polls get the result of a login at most once, and then expired"
    )
    func lostPolls() async throws {
        let mine = instance
        for number in 1...8 {
            let steps = StoreSteps()
            let handoff = AppHandoff(store: SteppedLoginStore(steps), clock: clock.wallClock)
            let handle = try handoff.open(for: mine)
            #expect(try await handoff.end(handle, with: [1]))
            steps.arm(at: number)
            var answers: [AppHandoff.Answer] = []
            let error = try await refusal { answers.append(try await handoff.poll(handle, by: mine)) }
            let isSpent = steps.isSpent
            steps.disarm()
            for _ in 0..<2 { answers.append(try await handoff.poll(handle, by: mine)) }
            guard isSpent else {
                // The positive control: no response was lost.
                let whole: [AppHandoff.Answer] = [.ended([1]), .expired, .expired]
                #expect(error == nil && answers == whole && number > 2)
                return
            }
            #expect(error == RelyingPartyError(.storeUnavailable, in: .store), "\(number)")
            #expect(error?.remedy == .retry, "\(number)")
            // The first operation reads the answer, and the second one marks it as returned. The mark is in the store although
            // its response was lost.
            let later: [AppHandoff.Answer] = [number == 1 ? .ended([1]) : .expired, .expired]
            #expect(answers == later, "\(number)")
        }
        Issue.record("a poll asks its store more than 8 times")
    }

    @Test("a secret of an app instance that is too short to be unguessable is rejected") func weak() throws {
        let fixture = fixture()
        #expect(throws: RelyingPartyError(.configurationError, in: .callback)) { try fixture.open(for: [1, 2, 3]) }
        #expect(throws: Never.self) { try fixture.open(for: [UInt8](repeating: 1, count: 16)) }
    }
}

/// A store for tests, in which values remain until they are taken.
final class ListStore: LoginStore {
    private let values: Mutex<[StoreKey: [UInt8]]> = Mutex([:])

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        values.withLock { values in
            guard values[key] == nil else { return false }
            values[key] = value
            return true
        }
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { values.withLock { $0.removeValue(forKey: key) } }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { values.withLock { $0[key] } }
}
