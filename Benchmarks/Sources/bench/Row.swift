/// Performs an operation the given number of times, and returns how many succeeded.
typealias Work = (Int) -> Int

/// One row of the table.
struct Row {
    let group: String
    let name: String
    let ours: Work
    /// The raw call to compare with, or nil if there is none, as for a rejection before any cryptography.
    var raw: (() -> Raw)?
    var speed: SpeedTest?
    var goals: [Goal] = []
    var note: String?
    /// The number of items that a call processes.
    var lot = 1

    var title: String { "\(group) \(name)" }

    /// Creates a row. The body's own state should be local variables of the closure: each captured variable costs a retain for
    /// each call.
    init(
        _ group: String, _ name: String, _ ours: @escaping Work, raw: (() -> Raw)? = nil, speed: SpeedTest? = nil,
        goals: [Goal] = [], note: String? = nil
    ) {
        self.group = group
        self.name = name
        self.ours = ours
        self.raw = raw
        self.speed = speed
        self.goals = goals
        self.note = note
    }
}

enum Goal {
    /// The goal is a share of the raw call's speed.
    case ratio(Double)
    case perSecond(Double)
    /// The goal is a number of nanoseconds for each call.
    case nanoseconds(Double)
    /// The goal is a number of nanoseconds for each call, beyond those of the raw call.
    case nanosecondsBeyond(Double)
    /// The goal is a number of our own allocations for each call.
    case allocations(Double)

    var text: String {
        switch self {
        case .ratio(let least): "≥ \(least.formatted(places: 2))"
        case .perSecond(let least): "≥ \(Int(least / 1000)) k/s"
        case .nanoseconds(let most): "≤ \(Int(most)) ns"
        case .nanosecondsBeyond(let most): "≤ raw + \(Int(most / 1000)) µs"
        case .allocations(let most): "≤ \(Int(most)) allocations"
        }
    }

    /// Returns whether the goal is reached, or nil if the machine cannot measure it.
    func isReached(_ result: Result) -> Bool? {
        switch self {
        case .ratio(let least): result.ratio.map { $0 >= least }
        case .perSecond(let least): 1e9 / result.oursBest >= least
        case .nanoseconds(let most): result.ours <= most
        case .nanosecondsBeyond(let most): result.raw.map { result.ours - $0 <= most }
        case .allocations(let most): result.allocations.map { $0.ours <= most }
        }
    }
}

/// The result of a row. Times are in nanoseconds for each call.
struct Result {
    let row: Row
    var ours = 0.0
    var oursBest = 0.0
    var raw: Double?
    var rawBest: Double?
    /// The median over the rounds of the raw time divided by our time of the same round.
    var ratio: Double?
    /// The ratio of the fastest rounds of each.
    var bestRatio: Double?
    var allocations: Allocations?
    var rawAllocations: Allocations?
    var spread: Spread?
    /// The operations a second on all cores together.
    var allCores: Double?
    /// The operations a second of `openssl speed`.
    var speed: Double?

    /// Whether the raw call is over 10 % slower than `openssl speed`, and so not a baseline.
    var isBadBaseline: Bool {
        guard let speed, let rawBest else { return false }
        return 1e9 / rawBest < 0.9 * speed
    }
}
