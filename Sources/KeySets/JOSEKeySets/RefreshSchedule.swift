/// When the next fetch is allowed, and when it is due. A decision without a clock of its own: every call says what time it is,
/// in seconds that only ever grow.
package struct RefreshSchedule: Sendable {
    private let cooldown: Double
    private let backOffLimit: Double
    private let retryAfterLimit: Double
    private let refreshPoint: ClosedRange<Double>
    private let floor: Double

    /// Fetches that failed since the last that went well.
    package private(set) var failures = 0
    /// No fetch before this, but for one that is forced or let through.
    package private(set) var notBefore = -Double.infinity
    /// The server asked for this, so nothing but force gets past it.
    package private(set) var askedToWaitUntil = -Double.infinity
    /// When what is held should be looked for anew; nothing is held yet: at once.
    package private(set) var refreshAt = -Double.infinity

    package init(_ options: KeySetOptions) {
        cooldown = options.cooldown.inSeconds
        backOffLimit = options.backOffLimit.inSeconds
        retryAfterLimit = options.retryAfterLimit.inSeconds
        refreshPoint = options.refreshPoint
        floor = options.floor.inSeconds
    }

    /// When the next fetch begins that nobody asks for.
    package var due: Double { max(refreshAt, notBefore) }

    /// Whether a name that is missing may cause a fetch. `letThrough`: in spite of the cooldown, not of the server's wish.
    package func allowsMiss(at now: Double, letThrough: Bool = false) -> Bool {
        now >= (letThrough ? askedToWaitUntil : notBefore)
    }

    /// A fetch went well, and what it brought is fresh for so many seconds. `chance` is of 0..<1.
    package mutating func succeeded(at now: Double, lifetime: Double, chance: Double) {
        failures = 0
        notBefore = now + cooldown
        askedToWaitUntil = -.infinity
        let part = refreshPoint.lowerBound + (refreshPoint.upperBound - refreshPoint.lowerBound) * chance
        refreshAt = now + max(floor, lifetime * part)
    }

    /// A fetch failed. `isServing`: there are keys all the same, so there is time to wait longer and longer.
    package mutating func failed(at now: Double, retryAfter: Double?, isServing: Bool, chance: Double) {
        failures = min(failures + 1, 1_000)
        let doublings = isServing ? min(failures - 1, 20) : 0
        let wait = min(cooldown * Double(1 << doublings), max(backOffLimit, cooldown))
        // Up to a quarter more, never less: the cooldown is a promise to the server.
        notBefore = now + wait * (1 + 0.25 * chance)
        askedToWaitUntil = retryAfter.map { now + min($0, retryAfterLimit) } ?? -.infinity
        notBefore = max(notBefore, askedToWaitUntil)
    }

    /// What is held is from an earlier life of the process and was to be looked for anew at `refreshAt`.
    package mutating func restored(refreshAt: Double) { self.refreshAt = refreshAt }

    /// Nothing is held any more: fetch as soon as it is allowed.
    package mutating func dropped() { refreshAt = -.infinity }
}
