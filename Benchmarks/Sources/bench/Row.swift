/// Does an operation that many times and tells how many of them came out right.
typealias Work = (Int) -> Int

/// One line of the table.
struct Row {
    let group: String
    let name: String
    let ours: Work
    /// Where there is nothing to compare with, as for a refusal before any cryptography, nil.
    var raw: (() -> Raw)?
    var speed: SpeedTest?
    var goals: [Goal] = []
    var note: String?
    /// Of how many at once it is made, where that is not one.
    var lot = 1

    var title: String { "\(group) \(name)" }

    /// Pass the body's own state in as locals of the closure: what it captures costs a retain each time.
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
    /// Of the raw call's speed.
    case ratio(Double)
    case perSecond(Double)
    /// Nanoseconds a call.
    case nanoseconds(Double)
    /// Nanoseconds a call, besides the raw call's.
    case nanosecondsBeyond(Double)
    /// Of our own, a call.
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

    /// Nil where the machine cannot count.
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

/// What a row came to; times are nanoseconds a call.
struct Result {
    let row: Row
    var ours = 0.0
    var oursBest = 0.0
    var raw: Double?
    var rawBest: Double?
    /// Median over the rounds of raw time by our time of the same round.
    var ratio: Double?
    /// Of the fastest rounds of each.
    var bestRatio: Double?
    var allocations: Allocations?
    var rawAllocations: Allocations?
    var spread: Spread?
    /// Operations a second on all cores together.
    var allCores: Double?
    /// Operations a second by `openssl speed`.
    var speed: Double?

    /// The raw call runs over 10 % below what `openssl speed` measures: it is no floor.
    var isBadBaseline: Bool {
        guard let speed, let rawBest else { return false }
        return 1e9 / rawBest < 0.9 * speed
    }
}
