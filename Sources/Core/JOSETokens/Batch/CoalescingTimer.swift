internal import JOSEBytes
internal import Synchronization

/// The clock of a coalescer.
protocol CoalescingClock: Sendable {
    var now: ContinuousClock.Instant { get }
    /// Calls the body once, at that time or as soon after it as possible.
    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void)
}

/// The thread that ends the waiting in the coalescers of one window length.
final class CoalescingTimer: CoalescingClock {
    private static let timers = Mutex<[Duration: CoalescingTimer]>([:])

    /// Returns the timer for a window length. Alarms of one length end in the order in which they were set, so that a thread that
    /// sleeps for one coalescer never sleeps past the alarm of another.
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

    /// Creates a timer.
    ///
    /// - Parameter start: Starts the thread, and returns false if there is none available.
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
        // Without a thread no token waits.
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
