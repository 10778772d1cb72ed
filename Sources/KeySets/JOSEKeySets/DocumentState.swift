internal import JOSESupport

/// The state of a ``RemoteDocument`` that its lock protects. Every decision is made here, at the time that is passed
/// in.
struct DocumentState<Reader: DocumentReader>: Sendable {
    /// The reason for which a fetch begins.
    enum FetchReason: Sendable {
        /// The document was to be refreshed at this time, and nobody asked for it.
        case scheduled
        /// Somebody asked for it, or a token needs a key that the document lacks.
        case requested
        /// A signature failed under a key of the document.
        case failedSignature
    }

    struct Flight: Sendable {
        let number: Int
        let startedAt: Double
        /// The time at which the fetch is abandoned if the transport does not keep its deadline.
        let giveUpAt: Double
        let reason: FetchReason
        var task: Task<Void, Never>?
    }

    struct Timer: Sendable {
        let number: Int
        var at: Double
        var task: Task<Void, Never>?
    }

    struct Failure: Sendable {
        let error: KeySetError
        let at: Double
    }

    /// The value that is served until `lookAt`. From then on the state must be advanced first.
    var value: Reader.Value?
    private(set) var lookAt = -Double.infinity

    var memory: Reader.Memory
    /// A number that changes whenever `value` or `memory` does.
    var generation = 0
    /// The digest of the body of `value`.
    var digest: [UInt8] = []
    var header = StoredHeader()
    /// The URL of the body. Its entity tag is valid only there.
    var url = ""
    var confirmedAt = -Double.infinity
    var freshUntil = -Double.infinity
    var usableUntil = -Double.infinity

    var schedule: RefreshSchedule
    var flight: Flight?
    var flights = 0
    /// The time at which the last fetch began that brought or confirmed the value. What the value lacks, the server did
    /// not publish then.
    var confirmedFrom = -Double.infinity
    /// The time at which the last fetch ended.
    var endedAt = -Double.infinity
    /// The callers that wait for a fetch, by number, until the deadline of each, except for `signatureWaiters`.
    private(set) var waiters = ExpiringMap<Int, Wait<WaitEnd>>(countLimit: .max, eviction: .refuse)
    /// The callers that wait because a signature failed. They are counted apart, so that forged tokens do not use up
    /// the number of callers that may wait for a missing key.
    private(set) var signatureWaiters = ExpiringMap<Int, Wait<WaitEnd>>(countLimit: .max, eviction: .refuse)
    /// The number of callers that wait for a fetch.
    var waiterCount: Int { waiters.count + signatureWaiters.count }
    /// Whether callers wait for a fetch that has not begun, so that it begins as soon as the cooldown allows it.
    var isFetchExpected = false
    /// Whether a signature has failed under a key of the document since the last fetch ended.
    var hasFailedSignature = false
    /// The time at which a signature failed last under a key of the document.
    var failedSignatureAt = -Double.infinity
    /// Whether callers wait for the fetch that a failed signature may cause, so that it begins as soon as its bound
    /// allows it.
    var isSignatureFetchExpected = false
    var timer: Timer?
    var timers = 0
    var counters = KeySetCounters()
    var lastFailure: Failure?
    var purges = 0
    var hasReportedStale = false
    var hasReportedExpired = false
    var hasReportedUnreached = false
    /// The number of calls that warm up, and repeat a fetch that fails sooner than the schedule says.
    var warmUps = 0
    /// Whether a fetch has failed during a warm-up, so that no event has reported it yet.
    var hasUnreportedFailure = false
    /// Whether the document was used. From the first use on it is refreshed in the background.
    var isUsed = false
    var isClosed = false

    init(_ reader: Reader, _ options: KeySetOptions) {
        memory = reader.blank
        schedule = RefreshSchedule(options)
    }

    func isServing(at now: Double) -> Bool { !isClosed && value != nil && now < usableUntil }

    /// Returns whether a fetch ended so recently that a reader of the value may have missed its result.
    func hasJustEnded(at now: Double) -> Bool { now - endedAt < 1 }

    /// Returns the time at which the value counts as stale. If no fetch has failed, this allows for the duration of the
    /// fetch that is due when the lifetime ends.
    func staleAt(_ options: KeySetOptions) -> Double {
        schedule.failures > 0 ? freshUntil : freshUntil + 2 * options.deadline.inSeconds
    }

    mutating func enter(_ number: Int, _ waiter: Wait<WaitEnd>, until end: Double, afterSignature: Bool) {
        if afterSignature {
            _ = signatureWaiters.insert(waiter, for: number, until: end)
        } else {
            _ = waiters.insert(waiter, for: number, until: end)
        }
    }

    /// Removes a waiter that has given up, and returns whether it was still waiting.
    mutating func leave(_ number: Int) -> Bool {
        waiters.remove(number) != nil || signatureWaiters.remove(number) != nil
    }

    /// Removes and returns the waiters whose time ends within two milliseconds, so that ten thousand waits need no ten
    /// thousand timers.
    mutating func endWaits(at now: Double) -> [Wait<WaitEnd>] {
        var over: [Wait<WaitEnd>] = []
        while let waiter = waiters.removeEnded(at: now + 0.002) ?? signatureWaiters.removeEnded(at: now + 0.002) {
            over.append(waiter.value)
        }
        return over
    }

    mutating func endAllWaits() -> [Wait<WaitEnd>] {
        defer {
            waiters.removeAll()
            signatureWaiters.removeAll()
        }
        return waiters.values + signatureWaiters.values
    }

    mutating func setLookAt(_ reader: Reader) {
        guard value != nil, !isClosed else {
            lookAt = -.infinity
            return
        }
        let due = flight == nil ? schedule.due : .infinity
        lookAt = min(usableUntil, due, reader.nextChange(memory) ?? .infinity)
    }

    /// Returns the time of the next action that nobody requests.
    func nextTime(_ reader: Reader, _ options: KeySetOptions) -> Double {
        guard !isClosed else { return .infinity }
        var next = flight?.giveUpAt ?? (isUsed ? schedule.due : .infinity)
        if isFetchExpected, flight == nil { next = min(next, schedule.missNotBefore) }
        if isSignatureFetchExpected, flight == nil { next = min(next, schedule.signatureDue) }
        next = min(next, waiters.firstEnd, signatureWaiters.firstEnd)
        if value != nil {
            if !hasReportedStale { next = min(next, staleAt(options)) }
            if !hasReportedExpired { next = min(next, usableUntil) }
            next = min(next, reader.nextChange(memory) ?? .infinity)
        }
        return next
    }
}

/// The result of waiting for a fetch.
enum WaitEnd: Sendable {
    /// The fetch ended, with an error or, if nil, successfully.
    case ended(KeySetError?)
    case timedOut
    case cancelled
    /// No fetch was in progress.
    case nothing
}

/// The actions to perform after the lock is released.
struct Effects: Sendable {
    var events: [KeySetEvent] = []
    var resumed: [(Wait<WaitEnd>, WaitEnd)] = []
    var cancelled: [Task<Void, Never>] = []
    /// The number of a fetch to begin.
    var flight: Int?
    /// The number of a timer to begin, and the time at which it fires first.
    var timer: (number: Int, at: Double)?
}
