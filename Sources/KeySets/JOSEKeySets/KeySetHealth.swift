/// The state of a key source at one moment.
public struct KeySetHealth: Sendable, Equatable {
    /// Whether tokens can be verified, and how current the keys are.
    @nonexhaustive public enum Status: Sendable, Equatable {
        /// No key set was fetched yet, or it was purged. No token can be verified.
        case empty
        /// The keys are fresh.
        case fresh
        /// The keys have been stale for the given time, because a refresh that was due has not succeeded. They stay in
        /// use.
        case stale(for: Duration)
        /// The keys are older than `KeySetOptions.outageLimit` allows. No token can be verified.
        case expired
        /// The key source was shut down. No token can be verified.
        case closed
    }

    /// A failed fetch.
    public struct Failure: Sendable, Equatable {
        /// The error of the fetch.
        public let error: KeySetError
        /// The time since the failure.
        public let age: Duration
    }

    /// Whether tokens can be verified, and how current the keys are.
    public let status: Status
    /// The number of keys in use.
    public let keys: Int
    /// The time since the server last sent or confirmed the key set, or nil if it never did.
    public let age: Duration?
    /// The last failed fetch, even if a later fetch succeeded.
    public let lastFailure: Failure?
    /// The number of failed fetches since the last successful one.
    public let failures: Int
    /// A Boolean value that indicates whether a fetch is in progress.
    public let isFetching: Bool
    /// The time until the next scheduled fetch, or nil if none is scheduled.
    public let nextFetchIn: Duration?

    /// A Boolean value that indicates whether tokens can be verified.
    public var isServing: Bool {
        switch status {
        case .fresh, .stale: true
        default: false
        }
    }
}

/// The counters of a key source since it was created. They never decrease.
///
/// ``values`` has all of them with their names, for a system that collects metrics. ``fetches`` and ``failed`` are
/// properties too, because an alert compares these two.
public struct KeySetCounters: Sendable, Equatable {
    /// The number of fetches that were begun. A fetch is one request with its retries and, if these fail, the requests
    /// to the second URL.
    public package(set) var fetches = 0
    /// The number of requests that were passed to the transport.
    package var requests = 0
    /// The number of requests that were retries.
    package var retries = 0
    /// The number of times that the second URL was tried.
    package var secondSource = 0
    /// The number of key sets that were received and accepted.
    package var accepted = 0
    /// The number of responses that confirmed the key set (304).
    package var notModified = 0
    /// The number of responses whose content was rejected.
    package var refused = 0
    /// The number of fetches that ended without a key set, rejections included.
    public package(set) var failed = 0
    /// The number of changes of the key set in use.
    package var rotations = 0
    /// The number of times that a token needed a key that the key set lacks.
    package var misses = 0
    /// The number of times that a token needed a key that is known to be missing, because a recent fetch did not find
    /// it either. No fetch is begun for such a token.
    package var knownMisses = 0
    /// The number of times that a token needed a key that the key set lacks, and the fetch for it had to wait for the
    /// end of a cooldown.
    package var throttled = 0
    /// The number of fetches that were allowed during a cooldown.
    package var bypasses = 0
    /// The number of times that a signature failed under a key of the key set.
    package var failedSignatures = 0
    /// The number of fetches that failed signatures caused.
    package var signatureFetches = 0
    /// The number of times that a caller stopped waiting for a fetch before its end, because of a timeout or a
    /// cancellation.
    package var waitsEnded = 0
    /// The number of events that were dropped because the observer was too slow.
    package var eventsDropped = 0

    /// All counters with their names, such as `not_modified`, for a system that collects metrics. The article Observing
    /// key sets describes them.
    public var values: [(name: String, value: Int)] {
        [
            ("fetches", fetches), ("requests", requests), ("retries", retries),
            ("second_source", secondSource), ("accepted", accepted), ("not_modified", notModified),
            ("refused", refused), ("failed", failed), ("rotations", rotations),
            ("misses", misses), ("known_misses", knownMisses), ("throttled", throttled),
            ("bypasses", bypasses), ("failed_signatures", failedSignatures), ("signature_fetches", signatureFetches),
            ("waits_ended", waitsEnded), ("events_dropped", eventsDropped),
        ]
    }

    package init() {}
}
