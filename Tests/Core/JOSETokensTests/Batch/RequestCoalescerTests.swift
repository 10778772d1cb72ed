import Foundation
import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

/// A clock that a test moves.
private final class HandClock: CoalescingClock {
    private struct State {
        var now = ContinuousClock.now
        var alarms: [(due: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
        var calls = 0
    }
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { state.withLock { $0.now } }
    /// The number of calls that were requested.
    var calls: Int { state.withLock { $0.calls } }

    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.calls += 1
            state.alarms.append((due, body))
        }
        return true
    }

    func advance(_ time: Duration) {
        let over = state.withLock { state in
            state.now += time
            let now = state.now
            let over = state.alarms.filter { $0.due <= now }
            state.alarms.removeAll { $0.due <= now }
            return over
        }
        for alarm in over { alarm.body() }
    }
}

/// A coalescer that doubles numbers, and a record of the sizes of its groups.
private final class CoalescerFixture: Sendable {
    let clock = HandClock()
    let coalescer: RequestCoalescer<Int, Int>
    private final class Log: Sendable { let sizes = Mutex<[Int]>([]) }
    private let log = Log()

    init(
        processors: Int = 2, fullGroup: Int = BatchSizes.signatures, isMeasured: Bool = false,
        clock other: (any CoalescingClock)? = nil
    ) {
        let log = log
        coalescer = RequestCoalescer(
            window: .microseconds(50), processors: processors, fullGroup: fullGroup, isMeasured: isMeasured,
            clock: other ?? clock
        ) { numbers in
            log.sizes.withLock { $0.append(numbers.count) }
            return numbers.map { 2 * $0 }
        }
    }

    var together: [Int] { log.sizes.withLock { $0 } }

    /// Doubles a number alone if that is allowed, or else in a group.
    func ask(_ number: Int) async -> Int {
        guard coalescer.enter() else { return await coalescer.finish(number) }
        defer { coalescer.leave() }
        return 2 * number
    }

    /// Starts a task for each number, and returns when `waiting` of them wait.
    func asking(_ numbers: Range<Int>, waiting: Int) async -> [Task<Int, Never>] {
        let tasks = numbers.map { number in Task { await self.ask(number) } }
        while coalescer.waiting != waiting { await Task.yield() }
        return tasks
    }

    /// Makes one caller busy until `leave`, so that the next one waits.
    func occupy() { #expect(coalescer.enter()) }
}

@Suite("Request coalescer") struct RequestCoalescerTests {
    @Test("a signature is verified at once without a task switch while a processor is idle", arguments: [1, 2, 16])
    func lone(processors: Int) async {
        let fixture = CoalescerFixture(processors: processors)
        for number in 0..<100 {
            let answer = await fixture.ask(number)
            #expect(answer == 2 * number)
        }
        for _ in 0..<max(1, processors - 1) { #expect(fixture.coalescer.enter()) }
        #expect(fixture.clock.calls == 0)
        #expect(fixture.together.isEmpty)
    }

    @Test("a thousand calls go alone, 256 are timed alone, and as many may wait") func measured() {
        let coalescer = CoalescerFixture(isMeasured: true).coalescer
        var decisions: [Bool] = []
        for _ in 0..<1600 { decisions.append(coalescer.goesAlone()) }
        #expect(decisions.count { $0 } == 1024 + 256 + (1600 - 1024 - 256 - 256))
        #expect(decisions.firstIndex(of: false) == 1024 + 256)
        // Where waiting is not measured, each call may wait.
        #expect(!CoalescerFixture().coalescer.goesAlone())
    }

    @Test("callers on eight threads go alone as often as one caller", arguments: 1...20) func threads(round: Int) {
        final class Counts: Sendable {
            let arrived = Atomic(0)
            let alone = Atomic(0)
            let done = DispatchSemaphore(value: 0)
        }
        let (coalescer, counts) = (CoalescerFixture(isMeasured: true).coalescer, Counts())
        for _ in 0..<8 {
            Thread.detachNewThread {
                counts.arrived.add(1, ordering: .acquiringAndReleasing)
                while counts.arrived.load(ordering: .acquiring) < 8 { sched_yield() }
                for _ in 0..<192 where coalescer.goesAlone() { counts.alone.add(1, ordering: .relaxed) }
                counts.done.signal()
            }
        }
        for _ in 0..<8 { counts.done.wait() }
        // Of 1,536 calls 1,024 come before the ways are timed, 256 are timed alone, and 256 may wait.
        #expect(counts.alone.load(ordering: .relaxed) == 1024 + 256)
    }

    @Test("a signature waits no longer than the window") func bound() async {
        let fixture = CoalescerFixture()
        fixture.occupy()
        let one = await fixture.asking(7..<8, waiting: 1)
        fixture.clock.advance(.microseconds(49))
        #expect(fixture.coalescer.waiting == 1)
        fixture.clock.advance(.microseconds(1))
        for task in one { #expect(await task.value == 14) }
        #expect(fixture.together == [1])
        fixture.coalescer.leave()
    }

    @Test("the window of a group is that of its first signature, however many join it") func joined() async {
        let fixture = CoalescerFixture()
        fixture.occupy()
        let first = await fixture.asking(0..<1, waiting: 1)
        fixture.clock.advance(.microseconds(30))
        let second = await fixture.asking(1..<2, waiting: 2)
        fixture.clock.advance(.microseconds(19))
        #expect(fixture.coalescer.waiting == 2)
        fixture.clock.advance(.microseconds(1))
        #expect(fixture.coalescer.waiting == 0)
        // The test ends even if the group waits for longer.
        fixture.clock.advance(.microseconds(50))
        for task in first + second { _ = await task.value }
        #expect(fixture.together == [2])
        fixture.coalescer.leave()
    }

    @Test("at the end of a window the waiting group is verified, and the next group has its own window")
    func window() async {
        let fixture = CoalescerFixture()
        fixture.occupy()
        let three = await fixture.asking(0..<3, waiting: 3)
        fixture.clock.advance(.microseconds(50))
        for (number, task) in three.enumerated() { #expect(await task.value == 2 * number) }
        #expect(fixture.together == [3])
        let first = await fixture.asking(3..<4, waiting: 1)
        fixture.clock.advance(.microseconds(30))
        // Who worked before is done: those that waited go though their time is not over.
        fixture.coalescer.leave()
        for task in first { #expect(await task.value == 6) }
        #expect(fixture.coalescer.enter())
        let second = await fixture.asking(4..<6, waiting: 2)
        fixture.clock.advance(.microseconds(20))
        #expect(fixture.coalescer.waiting == 2)
        fixture.clock.advance(.microseconds(29))
        #expect(fixture.coalescer.waiting == 2)
        fixture.clock.advance(.microseconds(1))
        for task in second { _ = await task.value }
        #expect(fixture.together == [3, 1, 2])
        fixture.coalescer.leave()
    }

    @Test("eight waiting signatures are verified at once, before their window ends and beside another group")
    func full() async {
        let fixture = CoalescerFixture()
        fixture.occupy()
        let seven = await fixture.asking(0..<7, waiting: 7)
        let eight = seven + [Task { await fixture.ask(7) }]
        for (number, task) in eight.enumerated() { #expect(await task.value == 2 * number) }
        #expect(fixture.together == [8])
        // That many have come that the next waits too, and goes when who works is done.
        let one = await fixture.asking(9..<10, waiting: 1)
        fixture.coalescer.leave()
        for task in one { #expect(await task.value == 18) }
        #expect(fixture.together == [8, 1])
    }

    @Test("a cancelled task that waits for a group still gets its result, and so do the others")
    func cancellation() async {
        let fixture = CoalescerFixture()
        fixture.occupy()
        let four = await fixture.asking(0..<4, waiting: 4)
        four[0].cancel()
        four[2].cancel()
        #expect(fixture.coalescer.waiting == 4)
        fixture.coalescer.leave()
        for task in four { _ = await task.value }
        let answers = await [four[0].value, four[1].value, four[2].value, four[3].value]
        #expect(answers.sorted() == [0, 2, 4, 6])
        #expect(fixture.together == [4])
    }

    @Test("coalescers with the same window share a timer, and none waits for the longer window of another")
    func clocks() async throws {
        func clock(_ window: Duration) -> CoalescingTimer? {
            RequestCoalescer<Int, Int>(window: window) { $0 }.clock as? CoalescingTimer
        }
        let quick = try #require(clock(.microseconds(333)))
        let slow = try #require(clock(.microseconds(777)))
        #expect(clock(.microseconds(333)) === quick && quick !== slow)
        // As long as may be.
        #expect(clock(.seconds(3600)) === clock(.milliseconds(1)))
        let flags = Flags()
        _ = slow.call(at: slow.now) {
            while !flags.isOver.load(ordering: .acquiring) { usleep(1000) }
        }
        _ = quick.call(at: quick.now + .microseconds(333)) { flags.rang.store(true, ordering: .releasing) }
        try await until { flags.rang.load(ordering: .acquiring) }
        let rang = flags.rang.load(ordering: .acquiring)
        flags.isOver.store(true, ordering: .releasing)
        #expect(rang)
    }

    @Test("if no timer thread can be started, no item waits") func threadless() async {
        let timer = CoalescingTimer { _ in false }
        let flags = Flags()
        let isSet = timer.call(at: timer.now + .seconds(3600)) { flags.rang.store(true, ordering: .relaxed) }
        #expect(!isSet && !flags.rang.load(ordering: .relaxed))

        let fixture = CoalescerFixture(clock: timer)
        fixture.occupy()
        #expect(await fixture.ask(4) == 8)
        #expect(fixture.together == [1])
        // With a clock, the same item waits until the window has passed.
        let timed = CoalescerFixture()
        timed.occupy()
        let tasks = await timed.asking(4..<5, waiting: 1)
        timed.clock.advance(.microseconds(50))
        #expect(await tasks[0].value == 8)
    }

    @Test("a full group of four does not wait for the busy caller, and the rest goes when that has ended") func four()
        async
    {
        let fixture = CoalescerFixture(fullGroup: 4)
        fixture.occupy()
        let tasks = await fixture.asking(0..<6, waiting: 2)
        while fixture.together.isEmpty { await Task.yield() }
        #expect(fixture.together == [4])
        fixture.coalescer.leave()
        for (number, task) in tasks.enumerated() { #expect(await task.value == 2 * number) }
        #expect(fixture.together == [4, 2])
        // Nothing is in progress any more: the next item goes alone.
        #expect(fixture.coalescer.enter())
        fixture.coalescer.leave()
    }

    private final class Flags: Sendable {
        let rang = Atomic(false)
        let isOver = Atomic(false)
    }
}
