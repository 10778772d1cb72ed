import JOSE
import Synchronization
import TestSupport
import Testing

@Suite("Queue of the private-key limiter") struct LimiterQueueTests {
    private func isOverloaded(_ overload: OverloadReason, _ body: () async throws -> some Any) async -> Bool {
        do { _ = try await body() } catch { return error as? JOSEError == .overloaded(overload) }
        return false
    }

    @Test("waiting callers get slots in FIFO order, and no later caller overtakes them")
    func order() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 100, timeout: .ample)
        let crowd = Crowd()
        try limiter.enter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await limiter.withSlot { crowd.serve(number) }
                }
                try await until { limiter.queued == number + 1 }
            }
            // While callers wait, a synchronous call is rejected.
            #expect(throws: JOSEError.overloaded(.busy)) { try limiter.enter() }
            limiter.leave()
            try await group.waitForAll()
        }
        #expect(crowd.order == Array(0..<20))
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test("a full queue rejects a caller at once, and accepts one after another has given up")
    func full() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 2, timeout: .ample)
        try limiter.enter()
        let first = Task { try await limiter.withSlot { 1 } }
        try await until { limiter.queued == 1 }
        let second = Task { try await limiter.withSlot { 2 } }
        try await until { limiter.queued == 2 }
        #expect(await isOverloaded(.queueFull) { try await limiter.enter(timeout: nil) })
        #expect(limiter.rejected == 1)
        second.cancel()
        await #expect(throws: JOSEError.cancelled) { try await second.value }
        #expect(limiter.queued == 1)
        let third = Task { try await limiter.withSlot { 3 } }
        try await until { limiter.queued == 2 }
        limiter.leave()
        #expect(try await first.value == 1)
        #expect(try await third.value == 3)
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test(
        "a wait ends at the earlier of the caller's and the limiter's timeout; a timeout of zero does not wait")
    func deadlines() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4, timeout: .ample)
        let brisk = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4, timeout: .milliseconds(5))
        try limiter.enter()
        try brisk.enter()
        #expect(await isOverloaded(.timedOut) { try await limiter.enter(timeout: .milliseconds(5)) })
        #expect(await isOverloaded(.timedOut) { try await brisk.enter(timeout: .ample) })
        #expect(await isOverloaded(.timedOut) { try await limiter.enter(timeout: .zero) })
        #expect(limiter.queued == 0 && brisk.queued == 0)
        limiter.leave()
        brisk.leave()
        try await limiter.enter(timeout: .zero)
        try await brisk.enter(timeout: nil)
        #expect(limiter.running == 1 && brisk.running == 1)
    }

    @Test("a task that is cancelled before it waits gets a slot only if one is free")
    func cancelledBefore() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4)
        let cancelled = {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                do throws(JOSEError) { try await limiter.enter(timeout: nil) } catch { return error == .cancelled }
                limiter.leave()
                return false
            }
            task.cancel()
            return await task.value
        }
        #expect(await cancelled() == false)
        try limiter.enter()
        #expect(await cancelled())
        #expect(limiter.running == 1 && limiter.queued == 0)
        limiter.leave()
        #expect(limiter.running == 0)
    }

    /// Begins to wait for a slot, and returns once the call is in the queue.
    private func waiting(
        _ limiter: DecryptionLimiter, _ crowd: Crowd, _ number: Int, client: String? = nil
    ) async throws -> Task<Void, any Error> {
        let queued = limiter.queued
        let task = Task { try await limiter.withSlot(client: client) { crowd.serve(number) } }
        try await until { limiter.queued == queued + 1 }
        return task
    }

    @Test("T71 clients take turns, so that a client with many calls delays itself alone")
    func clients() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 100, timeout: .ample)
        let crowd = Crowd()
        try limiter.enter()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<6 { tasks.append(try await waiting(limiter, crowd, number, client: "192.0.2.1")) }
        for number in 10..<12 { tasks.append(try await waiting(limiter, crowd, number, client: "192.0.2.2")) }
        // Calls without a client have one line together.
        for number in 20..<22 { tasks.append(try await waiting(limiter, crowd, number)) }
        limiter.leave()
        for task in tasks { try await task.value }
        #expect(crowd.order == [0, 10, 20, 1, 11, 21, 2, 3, 4, 5])
        #expect(limiter.running == 0 && limiter.queued == 0 && limiter.rejected == 0)
    }

    @Test(
        "T71 in a full queue the newest call of the client with most gives its place to another client, and is rejected"
    )
    func displacement() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4, timeout: .ample)
        let crowd = Crowd()
        try limiter.enter()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<4 { tasks.append(try await waiting(limiter, crowd, number, client: "192.0.2.1")) }
        #expect(await isOverloaded(.queueFull) { try await limiter.withSlot(client: "192.0.2.1") { 5 } })
        let other = Task { try await limiter.withSlot(client: "192.0.2.2") { crowd.serve(10) } }
        #expect(await isOverloaded(.queueFull) { try await tasks[3].value })
        #expect(limiter.queued == 4 && limiter.rejected == 2)
        limiter.leave()
        for task in tasks[..<3] + [other] { try await task.value }
        #expect(crowd.order == [0, 10, 1, 2])
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test("calls of tokens that were valid before alternate with all others, and have room in a full queue")
    func known() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 3, timeout: .ample)
        let crowd = Crowd()
        func call(_ number: Int, token: Int) -> Task<Void, any Error> {
            Task {
                try await limiter.enter(timeout: nil, share: LimiterShare(token: token))
                crowd.serve(number)
                limiter.leave()
            }
        }
        limiter.remember(1)
        try limiter.enter()
        var others: [Task<Void, any Error>] = []
        for number in 0..<3 {
            others.append(call(number, token: 100 + number))
            try await until { limiter.queued == number + 1 }
        }
        // A token that is not known has the line of the others.
        #expect(await isOverloaded(.queueFull) { try await call(9, token: 2).value })
        let known = call(10, token: 1)
        #expect(await isOverloaded(.queueFull) { try await others[2].value })
        limiter.leave()
        for task in others[..<2] + [known] { try await task.value }
        #expect(crowd.order == [10, 0, 1])
    }

    @Test("a call that gives up leaves its line, and the others of its client keep their turns")
    func givingUp() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 9, timeout: .ample)
        let crowd = Crowd()
        try limiter.enter()
        let first = try await waiting(limiter, crowd, 0, client: "a")
        let second = try await waiting(limiter, crowd, 1, client: "a")
        let third = try await waiting(limiter, crowd, 2, client: "a")
        let other = try await waiting(limiter, crowd, 10, client: "b")
        #expect(
            await isOverloaded(.timedOut) {
                try await limiter.withSlot(timeout: .milliseconds(5), client: "a") { crowd.serve(3) }
            })
        second.cancel()
        await #expect(throws: JOSEError.cancelled) { try await second.value }
        #expect(limiter.queued == 3)
        limiter.leave()
        for task in [first, third, other] { try await task.value }
        #expect(crowd.order == [0, 10, 2])
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test("other bounds apply to calls that begin to wait afterwards")
    func bounds() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 1, timeout: .ample)
        let crowd = Crowd()
        try limiter.enter()
        let first = try await waiting(limiter, crowd, 0)
        #expect(await isOverloaded(.queueFull) { try await limiter.enter(timeout: nil) })
        limiter.setBounds(maxQueued: 2, timeout: .milliseconds(5))
        #expect(limiter.maxQueued == 2 && limiter.timeout == .milliseconds(5))
        #expect(await isOverloaded(.timedOut) { try await limiter.enter(timeout: nil) })
        limiter.setBounds(maxQueued: 0, timeout: .ample)
        #expect(await isOverloaded(.queueFull) { try await limiter.enter(timeout: nil) })
        #expect(limiter.queued == 1)
        limiter.leave()
        try await first.value
    }

    @Test(
        "hundreds of concurrent calls never exceed the limit, and every slot is released"
    )
    func crowd() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 3, maxQueued: 40, timeout: .milliseconds(50))
        let crowd = Crowd()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        try await limiter.withSlot(
                            timeout: .milliseconds(number % 7 == 0 ? 1 : 40),
                            client: number % 2 == 0 ? nil : "\(number % 9)"
                        ) {
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
        #expect(limiter.running == 0 && limiter.queued == 0)
        for _ in 0..<3 { try limiter.enter() }
        #expect(throws: JOSEError.overloaded(.busy)) { try limiter.enter() }
    }
}

/// Counts the calls that run at once, and records their order.
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
        // The time is long enough for other calls to begin.
        for _ in 0..<100 { state.withLock { $0.served += 0 } }
    }

    func leave() {
        state.withLock { state in
            state.inside -= 1
            state.served += 1
        }
    }
}
