public import JOSE

/// An observer that is notified of the events of a key source.
///
/// The observer is called in order, one event at a time, from a task of its own and without a lock: it may call any method of the
/// source, and no verification and no fetch waits for it. It should hand long work on, because it occupies one of the few threads
/// that run tasks. If more than a thousand events are pending, the newest are dropped and counted in
/// ``KeySetCounters/eventsDropped``.
public protocol KeySetObserver: Sendable {
    /// Receives an event of a key source.
    ///
    /// - Parameters:
    ///   - name: The URL or the issuer with which the source was created.
    ///   - event: The event.
    func keySet(_ name: String, _ event: KeySetEvent)
}

/// An event of a key source. An event contains no secret, and text from others is escaped and cut so that it fits one line of a
/// log.
@nonexhaustive public enum KeySetEvent: Sendable, Equatable {
    /// A complete response was received and accepted, whether or not the key set is new.
    case fetched(KeySetFetch)
    /// The server confirmed the key set (304), which is fresh for the given time.
    case notModified(freshFor: Duration)
    /// The served key set has changed.
    case rotated(KeySetRotation)
    /// Keys were added to the served key set.
    case added([KeyName])
    /// Keys are no longer served.
    case removed([KeyName])
    /// Alarm: known `kid` values now identify different keys, which a regular rotation never causes.
    case replaced([KeyName])
    /// Keys that the newest key set lacks are served for a grace period, which lasts for `upTo` at most.
    case kept([KeyName], upTo: Duration)
    /// A member of the key set cannot be used, for the given reason. Only the first ten of a key set are reported.
    case keySkipped(KeyName, JOSEError)
    /// Alarm: the key set has more keys than are read. The keys after the first `used` are ignored.
    case tooManyKeys(total: Int, used: Int)
    /// The `Content-Type` of the response is not that of a key set. The response was read nevertheless, as the options allow it.
    case contentTypeOdd
    /// Alarm: a response was received and rejected.
    case refused(KeySetRejection)
    /// A fetch failed. The next one is tried in `retryIn`.
    case failed(KeySetError, retryIn: Duration)
    /// The first URL failed with the given error, and the second URL is tried.
    case secondSource(KeySetError)
    /// Tokens name keys that the key set lacks, and the cooldown allows no fetch yet. The event is sent once for each cooldown.
    case throttled
    /// A missing key was requested so often that a fetch was allowed during the cooldown.
    case bypassed(KeyName)
    /// Alarm: the served keys are no longer fresh. They are served for `servedFor` at most.
    case stale(servedFor: Duration)
    /// Alarm: the keys are too old to be served. No token verifies until a fetch succeeds.
    case expired
    /// A fetch succeeded after failures.
    case recovered
    /// The keys were dropped by `purge()`.
    case purged
    /// Keys of an earlier process, which are `age` old, are served.
    case restored(age: Duration)
    /// A snapshot of an earlier process on disk was rejected.
    case snapshotRefused(SnapshotFault)
    /// The fetched document could not be saved on disk. It is served nevertheless.
    case snapshotNotSaved(SnapshotFault)
    /// An event of the issuer's metadata, which names the URL of its keys.
    indirect case metadata(KeySetEvent)
    /// The issuer's metadata names another URL of its keys, which is used from now on.
    case moved
    /// The key source was shut down. No event follows.
    case closed

    /// A Boolean value that indicates whether the event requires attention.
    public var isAlarm: Bool {
        switch self {
        case .replaced, .tooManyKeys, .refused, .stale, .expired: true
        case .metadata(let event): event.isAlarm
        default: false
        }
    }
}

/// A fetched and accepted key set.
public struct KeySetFetch: Sendable, Equatable {
    /// The size of the decoded body, in bytes.
    public let bytes: Int
    /// The number of usable keys.
    public let keys: Int
    /// The number of members that cannot be used.
    public let skipped: Int
    /// The time for which the key set is fresh.
    public let freshFor: Duration
    /// The time that the request took.
    public let duration: Duration
}

/// The numbers of keys that were added, removed and replaced.
public struct KeySetRotation: Sendable, Equatable {
    /// The number of keys that were added.
    public let added: Int
    /// The number of keys that are no longer served.
    public let removed: Int
    /// The number of known `kid` values that now identify different keys.
    public let replaced: Int
    /// The number of keys in the new key set.
    public let keys: Int
}

/// The `kid` of a key in a form that is safe to show and to log: printable ASCII of at most 64 characters.
public struct KeyName: Sendable, Hashable, CustomStringConvertible {
    /// The `kid`, escaped and cut to 64 characters, or nil if the key has none.
    public let keyID: String?

    package init(_ keyID: String?) { self.keyID = keyID.map(KeyDescription.escaped) }
    package init(bytes: [UInt8]?) { self.init(bytes.map { String(decoding: $0.prefix(256), as: UTF8.self) }) }

    public var description: String { keyID.map { "kid \"\($0)\"" } ?? "no kid" }
}
