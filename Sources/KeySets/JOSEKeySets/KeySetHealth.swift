/// The state of a key source at one moment.
public struct KeySetHealth: Sendable, Equatable {
    /// Whether tokens can be verified, and how current the keys are.
    @nonexhaustive public enum Status: Sendable, Equatable {
        /// No key set was fetched yet, or it was purged. No token verifies.
        case empty
        /// The keys are fresh.
        case fresh
        /// The keys are served although no newer key set was fetched when one was due, which has been so for the given time.
        case stale(for: Duration)
        /// The keys are older than the outage limit allows. No token verifies.
        case expired
        /// The source was shut down. No token verifies.
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
    /// The number of keys that are served.
    public let keys: Int
    /// The time since the server last sent or confirmed the key set, or nil if it never did.
    public let age: Duration?
    /// The last failure, even if a later fetch succeeded.
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

/// The counters of a key source since it was created. They only grow.
public struct KeySetCounters: Sendable, Equatable {
    /// The number of fetches that were begun. A fetch consists of one request and, where needed, its retries and those to the
    /// second URL.
    public package(set) var fetches = 0
    /// The number of requests that were passed to the transport.
    public package(set) var requests = 0
    /// The number of requests that were retries.
    public package(set) var retries = 0
    /// The number of times that the second URL was tried.
    public package(set) var secondSource = 0
    /// The number of key sets that were received and accepted.
    public package(set) var accepted = 0
    /// The number of responses that confirmed the key set (304).
    public package(set) var notModified = 0
    /// The number of responses whose content was rejected.
    public package(set) var refused = 0
    /// The number of fetches that ended without a key set, rejections included.
    public package(set) var failed = 0
    /// The number of changes of the served key set.
    public package(set) var rotations = 0
    /// The number of times that a token named a key that the key set lacks.
    public package(set) var misses = 0
    /// The number of times that a token named a key that the key set lacks, where a recent fetch had already shown this. Such a
    /// miss starts no fetch.
    public package(set) var knownMisses = 0
    /// The number of times that a token named a key that the key set lacks, and the fetch for it had to wait for the end of a
    /// cooldown.
    public package(set) var throttled = 0
    /// The number of fetches that were allowed during a cooldown.
    public package(set) var bypasses = 0
    /// The number of waits for a fetch that ended before the fetch did.
    public package(set) var waitsEnded = 0
    /// The number of events that were dropped because the observer was too slow.
    public package(set) var eventsDropped = 0

    package init() {}
}
