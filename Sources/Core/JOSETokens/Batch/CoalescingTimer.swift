internal import JOSEBytes
internal import Synchronization

/// What a coalescer knows of time.
protocol CoalescingClock: Sendable {
    var now: ContinuousClock.Instant { get }
    /// Once, at that time or as soon after as can be.
    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void)
}

/// The thread that ends the waiting at the coalescers of one window.
final class CoalescingTimer: CoalescingClock {
    private static let timers = Mutex<[Duration: CoalescingTimer]>([:])

    /// One for each length of window: what is set with one length ends in the order in which it was set, so that a thread that sleeps for
    /// one coalescer never sleeps past another's time.
    static func shared(_ window: Duration) -> CoalescingTimer {
        timers.withLock { timers in
            if let timer = timers[window] { return timer }
            let timer = CoalescingTimer()
            timers[window] = timer
            return timer
        }
    }

    private struct Alarm: Sendable {
        let due: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }
    private struct State: Sendable {
        var alarms: [Alarm] = []
        var isRunning = false
    }
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Monitor(State())

    /// `start`: what begins the thread; false where there is none to be had.
    init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = DetachedThread.start) {
        self.start = start
    }

    var now: ContinuousClock.Instant { .now }

    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let starts = state.change { state in
            state.alarms.append(Alarm(due: due, body: body))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts, !start({ [self] in work() }) else { return }
        // Without a thread nobody waits.
        let alarms = state.change { state in
            state.isRunning = false
            defer { state.alarms = [] }
            return state.alarms
        }
        for alarm in alarms { alarm.body() }
    }

    private func work() {
        while true {
            let next = state.wait { state in state.alarms.min { $0.due < $1.due }?.due }
            let left = next - now
            if left > .zero { DetachedThread.sleep(left) }
            let now = now
            let over = state.change { state in
                let over = state.alarms.filter { $0.due <= now }
                state.alarms.removeAll { $0.due <= now }
                return over
            }
            for alarm in over { alarm.body() }
        }
    }
}
