import JOSE
import Synchronization
import TestSupport
import Testing

@Suite("The queue for private-key work") struct GateQueueTests {
    private func isOverloaded(_ overload: Overload, _ body: () async throws -> some Any) async -> Bool {
        do { _ = try await body() } catch { return error as? JOSEError == .overloaded(overload) }
        return false
    }

    @Test("those who wait are served first come first served, and nobody who comes later passes them")
    func order() async throws {
        let gate = DecryptionGate(concurrent: 1, queued: 100, patience: .seconds(60))
        let crowd = Crowd()
        try gate.enter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await gate.admitted { crowd.serve(number) }
                }
                try await until { gate.waiting == number + 1 }
            }
            // With a line, a call that may not wait does not get in.
            #expect(throws: JOSEError.overloaded(.busy)) { try gate.enter() }
            gate.leave()
            try await group.waitForAll()
        }
        #expect(crowd.order == Array(0..<20))
        #expect(gate.running == 0 && gate.waiting == 0)
    }

    @Test("a queue that is full refuses at once, and one who gives up makes room for another")
    func full() async throws {
        let gate = DecryptionGate(concurrent: 1, queued: 2, patience: .seconds(60))
        try gate.enter()
        let first = Task { try await gate.admitted { 1 } }
        try await until { gate.waiting == 1 }
        let second = Task { try await gate.admitted { 2 } }
        try await until { gate.waiting == 2 }
        #expect(await isOverloaded(.queueFull) { try await gate.enter(within: nil) })
        #expect(gate.refused == 1)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(gate.waiting == 1)
        let third = Task { try await gate.admitted { 3 } }
        try await until { gate.waiting == 2 }
        gate.leave()
        #expect(try await first.value == 1)
        #expect(try await third.value == 3)
        #expect(gate.running == 0 && gate.waiting == 0)
    }

    @Test("a wait ends at the caller's bound or at the gate's, whichever comes first, and a limit of nothing asks once")
    func deadlines() async throws {
        let gate = DecryptionGate(concurrent: 1, queued: 4, patience: .seconds(60))
        let brisk = DecryptionGate(concurrent: 1, queued: 4, patience: .milliseconds(5))
        try gate.enter()
        try brisk.enter()
        #expect(await isOverloaded(.timedOut) { try await gate.enter(within: .milliseconds(5)) })
        #expect(await isOverloaded(.timedOut) { try await brisk.enter(within: .seconds(60)) })
        #expect(await isOverloaded(.timedOut) { try await gate.enter(within: .zero) })
        #expect(gate.waiting == 0 && brisk.waiting == 0)
        gate.leave()
        brisk.leave()
        try await gate.enter(within: .zero)
        try await brisk.enter(within: nil)
        #expect(gate.running == 1 && brisk.running == 1)
    }

    @Test("a task that was cancelled before it came takes no place, unless one was free")
    func cancelledBefore() async throws {
        let gate = DecryptionGate(concurrent: 1, queued: 4)
        let cancelled = {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                do { try await gate.enter(within: nil) } catch { return error is CancellationError }
                gate.leave()
                return false
            }
            task.cancel()
            return await task.value
        }
        #expect(await cancelled() == false)
        try gate.enter()
        #expect(await cancelled())
        #expect(gate.running == 1 && gate.waiting == 0)
        gate.leave()
        #expect(gate.running == 0)
    }

    @Test(
        "with hundreds that come, fail, give up and time out, never more run than may, and at the end no place is lost")
    func crowd() async throws {
        let gate = DecryptionGate(concurrent: 3, queued: 40, patience: .milliseconds(50))
        let crowd = Crowd()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        try await gate.admitted(within: .milliseconds(number % 7 == 0 ? 1 : 40)) {
                            crowd.enter()
                            defer { crowd.leave() }
                            if number % 5 == 0 { throw Crowd.Failure() }
                        }
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(crowd.most >= 1 && crowd.most <= 3 && crowd.served > 0)
        #expect(gate.running == 0 && gate.waiting == 0)
        for _ in 0..<3 { try gate.enter() }
        #expect(throws: JOSEError.overloaded(.busy)) { try gate.enter() }
    }
}

/// Counts those who are within, and notes who was served.
private final class Crowd: Sendable {
    struct Failure: Error {}
    private struct State {
        var (inside, most, served) = (0, 0, 0)
        var order: [Int] = []
    }
    private let state = Mutex(State())

    var most: Int { state.withLock { $0.most } }
    var served: Int { state.withLock { $0.served } }

    var order: [Int] { state.withLock { $0.order } }

    func serve(_ number: Int) { state.withLock { $0.order.append(number) } }

    func enter() {
        state.withLock { state in
            state.inside += 1
            state.most = max(state.most, state.inside)
        }
        // Long enough for others to come.
        for _ in 0..<100 { state.withLock { $0.served += 0 } }
    }

    func leave() {
        state.withLock { state in
            state.inside -= 1
            state.served += 1
        }
    }
}
