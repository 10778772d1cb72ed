import JOSESupport
import Synchronization
import TestSupport
import Testing

@Suite("A wait with a deadline") struct WaitTests {
    @Test("the result resumes the caller, whether it comes while the wait begins or later") func result() async throws {
        let early = Wait<Int>(cancelled: -1)
        let answer = await early.value { #expect(early.end(7)) }
        #expect(answer == 7)
        let late = Wait<Int>(cancelled: -1)
        let caller = Task { await late.value {} }
        await Task.yield()
        #expect(late.end(8))
        #expect(await caller.value == 8)
        let before = Wait<Int>(cancelled: -1)
        #expect(before.end(9))
        let kept = await before.value { Issue.record("the wait is over") }
        #expect(kept == 9)
    }

    @Test("only the first end counts, and the others are told that they do not") func first() async {
        let wait = Wait<Int>(cancelled: -1)
        let value = await wait.value {
            #expect(wait.end(1))
            #expect(!wait.end(2))
        }
        #expect(value == 1)
        #expect(!wait.end(3))
        // A wait that ended with a result was not abandoned.
        wait.onAbandon { Issue.record("the wait has a result") }
    }

    @Test("a deadline ends the wait, after what it is to stop was stopped; a result in time does not") func deadline()
        async
    {
        let stopped = Counter()
        let wait = Wait<Int>(cancelled: -1)
        let value = await wait.value(within: .milliseconds(1), orElse: -2) {
            wait.onAbandon { stopped.add(1) }
        }
        #expect(value == -2 && stopped.count == 1)
        #expect(!wait.end(5))
        let zero = Wait<Int>(cancelled: -1)
        #expect(await zero.value(within: .zero, orElse: -2) {} == -2)
        let inTime = Wait<Int>(cancelled: -1)
        let result = await inTime.value(within: .seconds(3_600), orElse: -2) {
            inTime.onAbandon { stopped.add(1) }
            inTime.end(5)
        }
        #expect(result == 5 && stopped.count == 1)
        let later = Wait<Int>(cancelled: -1)
        let caller = Task { await later.value(within: .seconds(3_600), orElse: -2) {} }
        await Task.yield()
        later.end(6)
        #expect(await caller.value == 6)
    }

    @Test("a cancellation ends the wait at once; a task that was cancelled before starts nothing") func cancellation()
        async throws
    {
        let stopped = Counter()
        let started = Counter()
        let wait = Wait<Int>(cancelled: -1)
        await withTaskGroup(of: Int.self) { group in
            group.addTask {
                await wait.value(within: .seconds(3_600), orElse: -2) {
                    wait.onAbandon { stopped.add(1) }
                    started.add(1)
                }
            }
            while started.count == 0 { await Task.yield() }
            group.cancelAll()
            #expect(await group.next() == -1)
        }
        #expect(stopped.count == 1)
        #expect(!wait.end(5))
        let caller = Task {
            while !Task.isCancelled { await Task.yield() }
            let wait = Wait<Int>(cancelled: -1)
            return await wait.value { Issue.record("the task was cancelled before") }
        }
        caller.cancel()
        #expect(await caller.value == -1)
    }

    @Test("what is to be stopped is stopped also if the wait ended before that was known") func lateAbandonment() async
    {
        let stopped = Counter()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let wait = Wait<Int>(cancelled: -1)
                let value = await wait.value {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    wait.onAbandon { stopped.add(1) }
                }
                #expect(value == -1)
            }
        }
        #expect(stopped.count == 1)
    }

    @Test("of a result, a deadline and a cancellation that race exactly one resumes the caller, and nothing is leaked")
    func race() async throws {
        let alive = Counter()
        let ends = await withTaskGroup(of: Int.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let witness = Witness(alive)
                    let wait = Wait<Int>(cancelled: 2)
                    let caller = Task {
                        await wait.value(within: .microseconds(number % 50), orElse: 1) {
                            wait.onAbandon { _ = witness }
                        }
                    }
                    let ender = Task.detached { wait.end(0) }
                    if number % 2 == 0 { caller.cancel() }
                    let value = await caller.value
                    #expect(await ender.value == (value == 0))
                    return value
                }
            }
            return await group.reduce(into: [0, 0, 0]) { $0[$1] += 1 }
        }
        #expect(ends.reduce(0, +) == 500)
        // The task of an ended wait may be released a little later.
        try await until { alive.count == 0 }
    }

    private final class Counter: Sendable {
        private let number = Atomic<Int>(0)
        var count: Int { number.load(ordering: .acquiring) }
        func add(_ change: Int) { number.add(change, ordering: .releasing) }
    }

    /// An object that is counted while it lives.
    private final class Witness: Sendable {
        private let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.add(1)
        }
        deinit { counter.add(-1) }
    }
}
