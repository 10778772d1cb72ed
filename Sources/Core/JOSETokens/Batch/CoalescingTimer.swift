internal import JOSESupport
internal import Synchronization

/// The clock of a coalescer.
protocol CoalescingClock: Sendable {
    var now: ContinuousClock.Instant { get }
    /// Calls the body once, at that time or as soon after it as possible.
    ///
    /// - Returns: False if that is not possible, so that the body is not called.
    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> Bool
}

/// The thread that ends the waiting in the coalescers of one window length.
final class CoalescingTimer: CoalescingClock {
    private static let timers = Mutex<[Duration: CoalescingTimer]>([:])

    /// Returns the timer for a window length. Alarms of one length end in the order in which they were set, so that a
    /// thread that sleeps for one coalescer never sleeps past the alarm of another.
    static func shared(_ window: Duration) -> CoalescingTimer {
        timers.withLock { timers in
            if let timer = timers[window] { return timer }
            let timer = CoalescingTimer()
            timers[window] = timer
            return timer
        }
    }

    private struct Alarm: Sendable {
        let number: Int
        let due: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }
    private struct State: Sendable {
        var alarms: [Alarm] = []
        var numbers = 0
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

    func call(at due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> Bool {
        let (number, starts) = state.change { state in
            state.numbers += 1
            state.alarms.append(Alarm(number: state.numbers, due: due, body: body))
            defer { state.isRunning = true }
            return (state.numbers, !state.isRunning)
        }
        guard starts, !start({ [self] in work() }) else { return true }
        // There is no thread. Alarms that were set meanwhile are called at once, and may try again.
        let others = state.change { state in
            state.isRunning = false
            defer { state.alarms = [] }
            return state.alarms.filter { $0.number != number }
        }
        for alarm in others { alarm.body() }
        return false
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
