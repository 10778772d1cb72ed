/// All that a ``RemoteDocument`` guards by its lock. What is decided is decided here, by the time that it is told.
struct DocumentState<Reader: DocumentReader>: Sendable {
    struct Flight: Sendable {
        let number: Int
        let startedAt: Double
        /// A transport that keeps no deadline is not waited for beyond this.
        let giveUpAt: Double
        var task: Task<Void, Never>?
    }

    struct Waiter: Sendable {
        let continuation: CheckedContinuation<WaitEnd, Never>
        let until: Double
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

    /// What is served until `lookAt`; from then on something has to be looked at first.
    var value: Reader.Value?
    private(set) var lookAt = -Double.infinity

    var memory: Reader.Memory
    /// Another number where `value` or `memory` became others.
    var generation = 0
    /// Of the body that `value` was made of.
    var digest: [UInt8] = []
    var header = StoredHeader()
    /// Where the body came from: only there its ETag means anything.
    var url = ""
    var confirmedAt = -Double.infinity
    var freshUntil = -Double.infinity
    var usableUntil = -Double.infinity

    var pace: RefreshSchedule
    var flight: Flight?
    var flights = 0
    /// When the last one ended.
    var endedAt = -Double.infinity
    private(set) var waiters: [Int: Waiter] = [:]
    /// No waiter's time ends before.
    private var firstEnd = Double.infinity
    var timer: Timer?
    var timers = 0
    var counters = KeySetCounters()
    var lastFailure: Failure?
    var purges = 0
    var hasToldStale = false
    var hasToldExpired = false
    /// From the first use on it looks after itself.
    var isUsed = false
    var isClosed = false

    init(_ reader: Reader, _ options: KeySetOptions) {
        memory = reader.blank
        pace = RefreshSchedule(options)
    }

    func isServing(at now: Double) -> Bool { !isClosed && value != nil && now < usableUntil }

    /// Whether a fetch ended so lately that whoever looked at the value may have missed what it brought.
    func hasJustEnded(at now: Double) -> Bool { now - endedAt < 1 }

    /// Where no fetch failed, the one that is due when the lifetime ends gets the time that it may take.
    func staleAt(_ options: KeySetOptions) -> Double {
        pace.failures > 0 ? freshUntil : freshUntil + 2 * options.deadline.inSeconds
    }

    mutating func enter(_ number: Int, _ waiter: Waiter) {
        waiters[number] = waiter
        firstEnd = min(firstEnd, waiter.until)
    }

    mutating func leave(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Those whose time ends within two milliseconds: ten thousand waits need no ten thousand timers.
    mutating func endWaits(at now: Double) -> [Waiter] {
        guard firstEnd <= now + 0.002 else { return [] }
        let over = waiters.filter { $0.value.until <= now + 0.002 }
        for number in over.keys { waiters[number] = nil }
        firstEnd = waiters.values.reduce(.infinity) { min($0, $1.until) }
        return Array(over.values)
    }

    mutating func endAllWaits() -> [Waiter] {
        defer {
            waiters = [:]
            firstEnd = .infinity
        }
        return Array(waiters.values)
    }

    mutating func setLookAt(_ reader: Reader) {
        guard value != nil, !isClosed else {
            lookAt = -.infinity
            return
        }
        let due = flight == nil ? pace.due : .infinity
        lookAt = min(usableUntil, due, reader.nextChange(memory) ?? .infinity)
    }

    /// When something is to be done that nobody asks for.
    func nextTime(_ reader: Reader, _ options: KeySetOptions) -> Double {
        guard !isClosed else { return .infinity }
        var next = flight?.giveUpAt ?? (isUsed ? pace.due : .infinity)
        next = min(next, firstEnd)
        if value != nil {
            if !hasToldStale { next = min(next, staleAt(options)) }
            if !hasToldExpired { next = min(next, usableUntil) }
            next = min(next, reader.nextChange(memory) ?? .infinity)
        }
        return next
    }
}

/// How a wait for a fetch ended.
enum WaitEnd: Sendable {
    /// With it; nil: it went well.
    case ended(KeySetError?)
    case timedOut
    case cancelled
    /// There was nothing to wait for.
    case nothing
}

/// What is to be done once the lock is let go.
struct Effects: Sendable {
    var events: [KeySetEvent] = []
    var resumed: [(CheckedContinuation<WaitEnd, Never>, WaitEnd)] = []
    var cancelled: [Task<Void, Never>] = []
    /// The number of a flight to begin.
    var flight: Int?
    /// The number of a timer to begin, and when it is to ring first.
    var timer: (number: Int, at: Double)?
}
