import Foundation
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

/// Moves when the test says so.
private final class HandClock: GateClock {
    private struct State {
        var now = ContinuousClock.now
        var alarms: [(due: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
        var calls = 0
    }
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { state.withLock { $0.now } }
    /// How often somebody wanted to be called.
    var calls: Int { state.withLock { $0.calls } }

    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.calls += 1
            state.alarms.append((due, body))
        }
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

/// Numbers are doubled, and who did how many together is remembered.
private final class GateDesk: Sendable {
    let clock = HandClock()
    let gate: SignatureGate<Int, Int>
    private final class Log: Sendable { let parties = Mutex<[Int]>([]) }
    private let log = Log()

    init(processors: Int = 2) {
        let log = log
        gate = SignatureGate(window: .microseconds(50), processors: processors, clock: clock) { numbers in
            log.parties.withLock { $0.append(numbers.count) }
            return numbers.map { 2 * $0 }
        }
    }

    var together: [Int] { log.parties.withLock { $0 } }

    /// One that is let in, or else waits.
    func ask(_ number: Int) async -> Int {
        guard gate.enter() else { return await gate.settle(number) }
        defer { gate.leave() }
        return 2 * number
    }

    /// So many tasks that ask, the first `from`; all of them wait when this returns, or lead.
    func asking(_ numbers: Range<Int>, waiting: Int) async -> [Task<Int, Never>] {
        let tasks = numbers.map { number in Task { await self.ask(number) } }
        while gate.waiting != waiting { await Task.yield() }
        return tasks
    }

    /// One works until `leave`, and so many came while another did that the next one waits.
    func crowd() {
        #expect(gate.enter())
        var alone = 0
        while gate.enter() { alone += 1 }
        for _ in 0..<alone { gate.leave() }
        #expect(alone == 32)
    }
}

@Suite("Who waits at a gate of signatures") struct GateTests {
    @Test("one that finds a processor idle goes at once, and nobody has to be woken", arguments: [1, 2, 16])
    func lone(processors: Int) async {
        let desk = GateDesk(processors: processors)
        for number in 0..<100 {
            let answer = await desk.ask(number)
            #expect(answer == 2 * number)
        }
        for _ in 0..<max(1, processors - 1) { #expect(desk.gate.enter()) }
        #expect(desk.clock.calls == 0)
        #expect(desk.together.isEmpty)
    }

    @Test("while few come at once one in some dozens waits, and then ever fewer") func few() async {
        let desk = GateDesk()
        var tried: [Int] = []
        var alone = 0
        while tried.count < 24 {
            #expect(desk.gate.enter())
            if desk.gate.enter() {
                alone += 1
                desk.gate.leave()
                desk.gate.leave()
            } else {
                tried.append(alone)
                let one = await desk.asking(1..<2, waiting: 1)
                desk.gate.leave()
                for task in one { #expect(await task.value == 2) }
            }
        }
        #expect(
            tried == Array(repeating: 32, count: 8) + Array(repeating: 96, count: 8) + Array(repeating: 224, count: 8))
    }

    @Test("one that waits does so for the window and no longer") func bound() async {
        let desk = GateDesk()
        desk.crowd()
        let one = await desk.asking(7..<8, waiting: 1)
        desk.clock.advance(.microseconds(49))
        #expect(desk.gate.waiting == 1)
        desk.clock.advance(.microseconds(1))
        for task in one { #expect(await task.value == 14) }
        #expect(desk.together == [1])
        desk.gate.leave()
    }

    @Test("a window that ends sends as many as came, and the next one has a window of its own") func window() async {
        let desk = GateDesk()
        desk.crowd()
        let three = await desk.asking(0..<3, waiting: 3)
        desk.clock.advance(.microseconds(50))
        for (number, task) in three.enumerated() { #expect(await task.value == 2 * number) }
        #expect(desk.together == [3])
        let first = await desk.asking(3..<4, waiting: 1)
        desk.clock.advance(.microseconds(30))
        // Who worked before is done: those that waited go though their time is not over.
        desk.gate.leave()
        for task in first { #expect(await task.value == 6) }
        #expect(desk.gate.enter())
        let second = await desk.asking(4..<6, waiting: 2)
        desk.clock.advance(.microseconds(20))
        #expect(desk.gate.waiting == 2)
        desk.clock.advance(.microseconds(29))
        #expect(desk.gate.waiting == 2)
        desk.clock.advance(.microseconds(1))
        for task in second { _ = await task.value }
        #expect(desk.together == [3, 1, 2])
        desk.gate.leave()
    }

    @Test("eight go at once, without the time and while another still works") func full() async {
        let desk = GateDesk()
        desk.crowd()
        let seven = await desk.asking(0..<7, waiting: 7)
        let eight = seven + [Task { await desk.ask(7) }]
        for (number, task) in eight.enumerated() { #expect(await task.value == 2 * number) }
        #expect(desk.together == [8])
        // That many have come that the next waits too, and goes when who works is done.
        let one = await desk.asking(9..<10, waiting: 1)
        desk.gate.leave()
        for task in one { #expect(await task.value == 18) }
        #expect(desk.together == [8, 1])
    }

    @Test("one whose task is cancelled while it waits has its answer, and so have the others") func cancellation() async
    {
        let desk = GateDesk()
        desk.crowd()
        let four = await desk.asking(0..<4, waiting: 4)
        four[0].cancel()
        four[2].cancel()
        #expect(desk.gate.waiting == 4)
        desk.gate.leave()
        for task in four { _ = await task.value }
        let answers = await [four[0].value, four[1].value, four[2].value, four[3].value]
        #expect(answers.sorted() == [0, 2, 4, 6])
        #expect(desk.together == [4])
    }

    @Test("a window's clock sleeps for its own gates alone: no token waits for the longer window of another")
    func clocks() async throws {
        func clock(_ window: Duration) -> GateTimer? {
            SignatureGate<Int, Int>(window: window) { $0 }.clock as? GateTimer
        }
        let quick = try #require(clock(.microseconds(333)))
        let slow = try #require(clock(.microseconds(777)))
        #expect(clock(.microseconds(333)) === quick && quick !== slow)
        // As long as may be.
        #expect(clock(.seconds(3600)) === clock(.milliseconds(1)))
        let flags = Flags()
        slow.call(at: slow.now) {
            while !flags.isOver.load(ordering: .acquiring) { usleep(1000) }
        }
        quick.call(at: quick.now + .microseconds(333)) { flags.rang.store(true, ordering: .releasing) }
        try await until { flags.rang.load(ordering: .acquiring) }
        let rang = flags.rang.load(ordering: .acquiring)
        flags.isOver.store(true, ordering: .releasing)
        #expect(rang)
    }

    @Test("without a thread that could end it, no wait begins") func threadless() {
        let clock = GateTimer { _ in false }
        let flags = Flags()
        clock.call(at: clock.now + .seconds(3600)) { flags.rang.store(true, ordering: .relaxed) }
        let rang = flags.rang.load(ordering: .relaxed)
        #expect(rang)
    }

    private final class Flags: Sendable {
        let rang = Atomic(false)
        let isOver = Atomic(false)
    }
}
