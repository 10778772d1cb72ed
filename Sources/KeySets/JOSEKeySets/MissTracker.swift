internal import JOSESupport

/// The `kid` values of tokens that the key set lacks, and the decision whether to fetch for them. The senders of tokens
/// choose these values, so that memory and fetches are bounded whatever they are. The tracker has no clock of its own:
/// each call passes the time in monotonic seconds.
package struct MissTracker: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// A recent fetch did not find the key. No fetch is begun.
        case known
        /// A fetch is begun if the cooldown is over.
        case fetch
        /// A fetch is begun in spite of the cooldown.
        case bypass
        /// A fetch must wait.
        case wait
    }

    private struct Absence: Sendable {
        var until: Double
        var lifetime: Double
    }

    private let lifetime: ClosedRange<Double>
    private let repeats: Int
    private let bypasses: Int
    private let bypassWindow: Double
    /// The names that were requested since the last fetch, and how often. In both tables a new name replaces one that
    /// was used only once in a round, so that repeated names survive a flood of others.
    private var asked: ExpiringMap<[UInt8]?, Int>
    /// The names that a fetched key set lacked. They stay after their `until`, which the next absence doubles.
    private var absent: ExpiringMap<[UInt8]?, Absence>
    /// The times at which fetches were allowed in spite of the cooldown.
    private var bypassTimes: [Double] = []
    /// Whether no fetch has ended since the last bypass.
    private var isBypassPending = false

    /// The length of the longest `kid` that is tracked, in bytes. All longer ones, which no issuer uses, count as one.
    package static let nameLimit = 256

    package init(_ options: KeySetOptions) {
        lifetime = options.missLifetime.lowerBound.inSeconds...options.missLifetime.upperBound.inSeconds
        repeats = options.missRepeats
        bypasses = options.bypasses
        bypassWindow = options.bypassWindow.inSeconds
        asked = ExpiringMap(countLimit: options.missLimit, eviction: .unused)
        absent = ExpiringMap(countLimit: options.missLimit, eviction: .unused)
    }

    /// Whether a name was requested since the last fetch ended.
    package var hasUnanswered: Bool { asked.count > 0 }

    package var count: Int { asked.count + absent.count }

    /// Returns whether the last fetched key set is known to lack `name`.
    package func isKnownAbsent(_ name: [UInt8]?, at now: Double) -> Bool {
        let name = name.flatMap { $0.count <= Self.nameLimit ? $0 : nil }
        return absent.value(name).map { now < $0.until } ?? false
    }

    /// Records that a token needs a missing key, and decides whether to fetch.
    ///
    /// - Parameters:
    ///   - name: The `kid`, or nil if the token has none.
    ///   - now: The time.
    ///   - isCooling: Whether no regular fetch is allowed now.
    ///   - mayBypass: Whether a fetch in spite of the cooldown is allowed.
    package mutating func note(_ name: [UInt8]?, at now: Double, isCooling: Bool, mayBypass: Bool) -> Verdict {
        let name = name.flatMap { $0.count <= Self.nameLimit ? $0 : nil }
        if isKnownAbsent(name, at: now) { return .known }
        let count = min((asked.use(name) ?? 0) + 1, 1 << 20)
        if count > 1 { asked.change(name) { $0 = count } } else { _ = asked.insert(1, for: name) }
        guard isCooling else { return .fetch }
        // Tokens without a name cannot be told from a flood.
        guard mayBypass, name != nil, count >= repeats, !isBypassPending else { return .wait }
        bypassTimes.removeAll { now - $0 >= bypassWindow }
        guard bypassTimes.count < bypasses else { return .wait }
        bypassTimes.append(now)
        isBypassPending = true
        return .bypass
    }

    /// Records that a fetch ended. If it returned a key set, each requested `kid` that the set lacks is known to be
    /// missing for a time. The first time is the lower bound of `KeySetOptions.missLifetime`; each further fetch
    /// without the `kid` doubles it, up to the upper bound.
    package mutating func fetchEnded(at now: Double, hasSet: Bool, contains: ([UInt8]) -> Bool) {
        isBypassPending = false
        if hasSet {
            for name in asked.keys {
                if let name, contains(name) {
                    absent.remove(name)
                } else if let last = absent.use(name)?.lifetime {
                    let next = min(last * 2, lifetime.upperBound)
                    absent.change(name) { $0 = Absence(until: now + next, lifetime: next) }
                } else {
                    let first = lifetime.lowerBound
                    _ = absent.insert(Absence(until: now + first, lifetime: first), for: name)
                }
            }
        }
        asked.removeAll()
    }
}
