internal import JOSESupport

/// The times at which the next fetch is allowed and due. The schedule has no clock of its own: each call passes the
/// time in monotonic seconds.
package struct RefreshSchedule: Sendable {
    /// The pause after a first failed fetch, in seconds, before a missing `kid` may cause the next one.
    private static let firstPause = 4.0

    private let cooldown: Double
    private let backOffLimit: Double
    private let retryAfterLimit: Double
    private let refreshPoint: ClosedRange<Double>
    private let floor: Double
    private let signatureCooldown: Double

    /// The number of failed fetches since the last successful one.
    package private(set) var failures = 0
    /// The number of those that no failed signature caused.
    private var otherFailures = 0
    /// The number of those that began after the delay of the one before.
    private var backOffs = 0
    /// The time before which no scheduled fetch begins.
    package private(set) var notBefore = -Double.infinity
    /// The time before which no missing `kid` causes a fetch, unless it bypasses the cooldown. After a failed fetch
    /// this is sooner than `notBefore`: the failure says nothing of the keys, and a key may have been published
    /// meanwhile.
    package private(set) var missNotBefore = -Double.infinity
    /// The time before which no failed signature causes a fetch, apart from a wait that the server asked for. These
    /// fetches have a bound of their own: they neither use up nor wait for what missing `kid` values are allowed.
    private var signatureNotBefore = -Double.infinity
    /// The time until which the server asked to wait. Only a forced fetch begins before it.
    package private(set) var askedToWaitUntil = -Double.infinity
    /// The time at which the value is refreshed. It is in the past if there is no value yet.
    package private(set) var refreshAt = -Double.infinity

    package init(_ options: KeySetOptions) {
        cooldown = options.cooldown.inSeconds
        backOffLimit = options.backOffLimit.inSeconds
        retryAfterLimit = options.retryAfterLimit.inSeconds
        refreshPoint = options.refreshPoint
        floor = options.floor.inSeconds
        signatureCooldown = options.signatureCooldown.inSeconds
    }

    /// The time at which the next scheduled fetch begins.
    package var due: Double { max(refreshAt, notBefore) }

    /// Whether a missing `kid` may cause a fetch. A `bypass` ignores the cooldown, but not the wait that the server
    /// asked for.
    package func allowsMiss(at now: Double, bypass: Bool = false) -> Bool {
        now >= (bypass ? askedToWaitUntil : missNotBefore)
    }

    /// The time at which a failed signature may cause a fetch. After a failed fetch this is no sooner than for a
    /// missing `kid`.
    package var signatureDue: Double { max(signatureNotBefore, failures > 0 ? missNotBefore : askedToWaitUntil) }

    /// Records that a failed signature causes a fetch, which begins now.
    package mutating func beganForSignature(at now: Double) { signatureNotBefore = now + signatureCooldown }

    /// Records a successful fetch, whose result is fresh for `lifetime` seconds. `chance` is a random number in 0..<1.
    /// A fetch for a failed signature (`isForSignature`) postpones no fetch for a missing `kid`.
    package mutating func succeeded(at now: Double, lifetime: Double, chance: Double, isForSignature: Bool = false) {
        failures = 0
        otherFailures = 0
        backOffs = 0
        let next = now + cooldown
        missNotBefore = isForSignature ? min(missNotBefore, next) : next
        notBefore = isForSignature ? min(notBefore, next) : next
        askedToWaitUntil = -.infinity
        let part = refreshPoint.lowerBound + (refreshPoint.upperBound - refreshPoint.lowerBound) * chance
        refreshAt = now + max(floor, lifetime * part)
    }

    /// Records a failed fetch. While there are keys to use (`isServing`), the delay grows with each failure.
    ///
    /// The pause for missing `kid` values doubles with each failure as well, from `firstPause` up to that delay, so
    /// that a flood of invented ones causes a few fetches more at first and no more than the schedule later. Fetches
    /// that such values caused early do not make the schedule's delay grow. A fetch for a failed signature
    /// (`isForSignature`) postpones nothing and makes no later pause longer, except that nothing is fetched for as long
    /// as the server asks to wait.
    package mutating func failed(
        at now: Double, retryAfter: Double?, isServing: Bool, chance: Double, isForSignature: Bool = false
    ) {
        failures = min(failures + 1, 1_000)
        if isForSignature {
            if let retryAfter { askedToWaitUntil = max(askedToWaitUntil, now + min(retryAfter, retryAfterLimit)) }
            notBefore = max(notBefore, askedToWaitUntil)
            missNotBefore = max(missNotBefore, askedToWaitUntil)
            return
        }
        otherFailures = min(otherFailures + 1, 1_000)
        let isEarly = now < notBefore
        if !isEarly { backOffs = min(backOffs + 1, 1_000) }
        let doublings = isServing ? min(max(backOffs - 1, 0), 20) : 0
        let wait = min(cooldown * Double(1 << doublings), max(backOffLimit, cooldown))
        // The jitter only adds: a pause is never shorter than documented.
        if !isEarly { notBefore = now + wait * (1 + 0.25 * chance) }
        let pause = min(Self.firstPause * Double(1 << min(otherFailures - 1, 20)), wait)
        missNotBefore = now + pause * (1 + 0.25 * chance)
        notBefore = max(notBefore, missNotBefore)
        askedToWaitUntil = retryAfter.map { now + min($0, retryAfterLimit) } ?? -.infinity
        notBefore = max(notBefore, askedToWaitUntil)
        missNotBefore = max(missNotBefore, askedToWaitUntil)
    }

    /// Records that the value was restored from an earlier process and is refreshed at `refreshAt`.
    package mutating func restored(refreshAt: Double) { self.refreshAt = refreshAt }

    /// Records that the value was dropped: a fetch begins as soon as one is allowed.
    package mutating func dropped() { refreshAt = -.infinity }
}
