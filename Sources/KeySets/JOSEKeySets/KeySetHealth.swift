/// How a source of keys is, at one moment. All times are in seconds.
public struct KeySetHealth: Sendable, Equatable {
    /// Whether tokens can be verified, and how well founded that is.
    @nonexhaustive public enum Status: Sendable, Equatable {
        /// Nothing was fetched yet, or it was purged: nothing verifies.
        case empty
        /// As the server has it.
        case fresh
        /// Served although no newer set came when one was due, for so many seconds now.
        case stale(since: Double)
        /// Older than the bound on outages: nothing verifies.
        case expired
        /// Shut down: nothing verifies.
        case closed
    }

    /// A fetch that did not go well.
    public struct Failure: Sendable, Equatable {
        /// Why.
        public let error: KeySetError
        /// How long ago.
        public let age: Double
    }

    /// Whether tokens can be verified.
    public let status: Status
    /// How many keys are served.
    public let keys: Int
    /// How long ago the server last said that this is the set; nil: it never did.
    public let age: Double?
    /// The last failure, also where a later fetch went well.
    public let lastFailure: Failure?
    /// Fetches that failed since the last that went well.
    public let failures: Int
    /// Whether a fetch is under way.
    public let isFetching: Bool
    /// Until the next fetch that nobody has to ask for; nil: none is planned.
    public let nextFetch: Double?

    /// Whether tokens can be verified.
    public var isServing: Bool {
        switch status {
        case .fresh, .stale: true
        default: false
        }
    }
}

/// What a source of keys has done since it was made.
public struct KeySetCounters: Sendable, Equatable {
    /// Fetches begun. One fetch is a request, and its second try and the second address where they are needed.
    public package(set) var fetches = 0
    /// Requests handed to the transport.
    public package(set) var requests = 0
    /// Requests that were second tries.
    public package(set) var retries = 0
    /// Requests to the second address.
    public package(set) var secondSource = 0
    /// Sets that came and were taken.
    public package(set) var accepted = 0
    /// Answers that nothing changed.
    public package(set) var notModified = 0
    /// Answers whose content was refused.
    public package(set) var refused = 0
    /// Fetches that ended without a set, refusals among them.
    public package(set) var failed = 0
    /// Times that the set that is served became another.
    public package(set) var rotations = 0
    /// Keys that the set lacked and a token asked for.
    public package(set) var misses = 0
    /// Of these, names that a recent fetch did not bring.
    public package(set) var knownMisses = 0
    /// Of these, those that came in a cooldown.
    public package(set) var throttled = 0
    /// Fetches let through in spite of the cooldown.
    public package(set) var bypasses = 0
    /// Waits for a fetch that ended before the fetch did.
    public package(set) var waitsEnded = 0
    /// Events that the observer was too slow for.
    public package(set) var eventsDropped = 0

    package init() {}
}
