import JOSERelyingParty
import JOSETesting
import Synchronization
import Testing

@Suite("The app's question for its login") struct AppHandoffTests {
    private let clock = TestClock()
    private let instance = Array("an instance of the app".utf8)
    private let other = Array("another app's instance".utf8)

    private func desk(lifetime: Double = 600) -> AppHandoff {
        let clock = clock
        return AppHandoff(store: ListStore(), lifetime: lifetime, now: { clock.now })
    }

    private func failure(_ body: () async throws(RelyingPartyError) -> AppHandoff.Answer) async -> RelyingPartyFailure?
    {
        do throws(RelyingPartyError) {
            _ = try await body()
            return nil
        } catch {
            return error.failure
        }
    }

    @Test("MitID case 12: a flow that ended in the browser, without an app switch, is learnt by asking; once")
    func ended() async throws {
        let desk = desk()
        let handle = try desk.open(for: instance)
        #expect(try await desk.poll(handle, by: instance) == .pending)
        #expect(try await desk.end(handle, with: [1, 2, 3]))
        #expect(try await desk.poll(handle, by: instance) == .ended([1, 2, 3]))
        #expect(try await desk.poll(handle, by: instance) == .expired)
        #expect(try await desk.poll(handle, by: instance) == .expired)
        #expect(try await !desk.end(handle, with: [4]))
        #expect(try await desk.poll(handle, by: instance) == .expired)
    }

    @Test(
        "MitID case 11: a handle from another instance of the app is refused, and the right one still gets its answer")
    func binding() async throws {
        let desk = desk()
        let handle = try desk.open(for: instance)
        _ = try await desk.end(handle, with: [7])
        let (stranger, nobody) = (other, [UInt8]())
        #expect(
            await failure { () async throws(RelyingPartyError) in try await desk.poll(handle, by: stranger) }
                == .bindingMismatch)
        #expect(
            await failure { () async throws(RelyingPartyError) in try await desk.poll(handle, by: nobody) }
                == .bindingMismatch)
        let changed = String(handle.dropLast(2)) + (handle.hasSuffix("AA") ? "BA" : "AA")
        let mine = instance
        #expect(await failure { () async throws(RelyingPartyError) in try await desk.poll(changed, by: mine) } != nil)
        #expect(
            await failure { () async throws(RelyingPartyError) in try await desk.poll("x", by: mine) }
                == .invalidParameter("handle"))
        #expect(try await desk.poll(handle, by: instance) == .ended([7]))
    }

    @Test("MitID case 31: no callback at all: the login expires, and the app is told") func expiry() async throws {
        let desk = desk()
        let handle = try desk.open(for: instance)
        clock.advance(by: 599)
        #expect(try await desk.poll(handle, by: instance) == .pending)
        clock.advance(by: 1)
        #expect(try await desk.poll(handle, by: instance) == .expired)
        do throws(RelyingPartyError) {
            _ = try await desk.end(handle, with: [1])
            Issue.record("ended after its time")
        } catch {
            #expect(error.failure == .expired)
        }
        #expect(try await desk.poll(handle, by: instance) == .expired)
    }

    @Test("of a hundred who ask at once one gets the answer, and the answer is left once") func race() async throws {
        let desk = desk()
        let handle = try desk.open(for: instance)
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { try await desk.end(handle, with: [UInt8(number)]) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ends == 1)
        let mine = instance
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { if case .ended = try await desk.poll(handle, by: mine) { true } else { false } }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1)
    }

    @Test("a secret of an instance that could be guessed is refused where a login begins") func weak() throws {
        let desk = desk()
        #expect(throws: RelyingPartyError(.configurationError, in: .callback)) { try desk.open(for: [1, 2, 3]) }
        #expect(throws: Never.self) { try desk.open(for: [UInt8](repeating: 1, count: 16)) }
    }
}

/// A store of a test: what is inserted stays until it is taken.
final class ListStore: LoginStore {
    private let values: Mutex<[StoreKey: [UInt8]]> = Mutex([:])

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Double) async throws(StoreError) -> Bool {
        values.withLock { values in
            guard values[key] == nil else { return false }
            values[key] = value
            return true
        }
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { values.withLock { $0.removeValue(forKey: key) } }
}
