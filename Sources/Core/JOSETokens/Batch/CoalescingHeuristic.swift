/// Decides whether callers may wait for others, by measuring which is faster at present: each call alone, or calls in
/// groups.
///
/// Whether groups gain depends on the machine, the key, the number of callers, and the cost of suspending a task, so
/// that no fixed number of callers would be right. Both ways are timed one after the other, each for 32 times as many
/// calls as a full group has. Then the better one is used for a thousand calls, and for twice as many each time that it
/// proves better again.
struct CoalescingHeuristic: Sendable {
    /// The number of calls for which the better way is used at least.
    static let minimumLimit = 1024
    /// The number of groups after which timing ends if most of them had one call: their callers wait for nobody.
    private static let firstGroups = 8

    enum Decision: Equatable, Sendable {
        /// The call goes alone.
        case alone
        /// This call goes alone, and so do as many others after it, which need not ask.
        case free(Int)
        /// The call may wait for others.
        case mayWait
    }

    private enum Phase {
        case alone
        case timingAlone(since: ContinuousClock.Instant)
        case timingGroups(since: ContinuousClock.Instant, alone: Duration)
        case gathering
    }

    /// The number of calls by which each way is timed.
    let timed: Int
    /// The number of calls for which the better way is used at most.
    let maximumLimit: Int
    private var phase = Phase.alone
    /// The number of calls until the phase ends.
    private var left = minimumLimit
    private var limit = minimumLimit
    /// Whether groups were faster when both ways were timed last.
    private var gained = false
    /// The groups of this phase, and the number of calls in them.
    private var groups = 0
    private var grouped = 0
    /// The average size of a group, in eighths: of the last groups, and when groups were timed.
    private var size = 0
    private var timedSize = 0

    /// - Parameters:
    ///   - fullGroup: The size of a full group.
    ///   - maximumLimit: The number of calls for which the better way is used at most. The more there are, the less the
    ///     calls that are timed in the worse way cost, and the later a change of the load is noticed.
    init(fullGroup: Int, maximumLimit: Int) {
        timed = 32 * fullGroup
        self.maximumLimit = maximumLimit
    }

    /// Decides about the call that begins now.
    ///
    /// - Parameter now: The time, which is read at the end of a phase alone.
    mutating func begin(at now: @autoclosure () -> ContinuousClock.Instant) -> Decision {
        if left == 0 { next(at: now()) }
        left -= 1
        switch phase {
        case .alone:
            defer { left = 0 }
            return .free(left)
        case .timingAlone: return .alone
        case .timingGroups, .gathering: return .mayWait
        }
    }

    private mutating func next(at time: ContinuousClock.Instant) {
        switch phase {
        case .alone, .gathering:
            phase = .timingAlone(since: time)
            left = timed
        case .timingAlone(let since):
            phase = .timingGroups(since: time, alone: time - since)
            left = timed
            (groups, grouped, size) = (0, 0, 0)
        case .timingGroups(let since, let alone):
            timedSize = size
            // What gains less than one part in twenty may be an error of the measurement.
            choose((time - since) * 20 < alone * 19)
        }
    }

    private mutating func choose(_ gains: Bool) {
        limit = gains == gained ? min(2 * limit, maximumLimit) : Self.minimumLimit
        gained = gains
        phase = gains ? .gathering : .alone
        left = limit
    }

    /// Records that a group of `count` calls is processed now.
    mutating func recordGroup(of count: Int) {
        groups += 1
        grouped += count
        size = groups == 1 ? count * 8 : size + (count * 8 - size) / 4
        switch phase {
        case .timingGroups where groups == Self.firstGroups && grouped < 2 * Self.firstGroups: choose(false)
        // Fewer calls arrive than when groups were timed.
        case .gathering where size < max(timedSize / 2, 16): choose(false)
        default: break
        }
    }
}
