public import JOSE

/// An observer that is notified of the events of a key source.
///
/// The observer is called in order, one event at a time, from a task of its own and without a lock: it may call any
/// method of the source, and no verification and no fetch waits for it. It should hand off long work, because it
/// occupies one of the few threads that run tasks. If more than a thousand events are pending, the newest are dropped
/// and counted in ``KeySetCounters``.
public protocol KeySetObserver: Sendable {
    /// Receives an event of a key source.
    ///
    /// - Parameters:
    ///   - name: The URL or the issuer with which the source was created.
    ///   - event: The event.
    func keySet(_ name: String, _ event: KeySetEvent)
}

/// An event of a key source. An event contains no secret, and text from servers and tokens is escaped and truncated so
/// that it fits on one line of a log.
@nonexhaustive public enum KeySetEvent: Sendable, Equatable {
    /// A complete response was received and accepted. The key set may equal the previous one.
    case fetched(KeySetFetch)
    /// The server confirmed with status 304 that the key set has not changed. It is fresh for the given time.
    case notModified(freshFor: Duration)
    /// The key set in use has changed.
    case rotated(KeySetRotation)
    /// Keys were added to the key set in use.
    case added([KeyName])
    /// Keys were removed from the key set in use.
    case removed([KeyName])
    /// Alarm: known `kid` values now identify different keys, which never happens in a regular key rotation.
    case replaced([KeyName])
    /// Keys that the newest key set lacks stay in use for a grace period of at most `upTo`.
    case kept([KeyName], upTo: Duration)
    /// A key of the key set, at the given index, cannot be used, for the given reason. At most ten such keys of a key
    /// set are reported. If the set is rejected as a whole, ``refused(_:)`` follows.
    case keySkipped(KeyName, index: Int, JOSEError)
    /// Alarm: the key set has more keys than `KeySetOptions.keyLimit` allows. The keys after the first `used` are
    /// ignored.
    case tooManyKeys(total: Int, used: Int)
    /// The `Content-Type` of the response is not that of a key set. The response was read nevertheless, because the
    /// options allow it.
    case contentTypeOdd
    /// Alarm: a response was received and rejected.
    case refused(KeySetRejection)
    /// A fetch failed. The next fetch begins after `retryIn`. Of the fetches that a warm-up repeats, only the last is
    /// reported, when the warm-up has ended without keys.
    case failed(KeySetError, retryIn: Duration)
    /// Alarm: no key set has been fetched since the start, and none was restored: no token can be verified until a
    /// fetch succeeds. It is sent once, after the first fetch that fails.
    case unreached(KeySetError)
    /// The first URL failed with the given error, and the second URL is tried: that of `KeySetOptions.secondURL`, or
    /// the next location of an issuer's metadata.
    case secondSource(KeySetError)
    /// Tokens need keys that the key set lacks, and the cooldown does not allow a fetch yet. The event is sent once for
    /// each cooldown.
    case throttled
    /// Tokens with one missing `kid` arrived so often that a fetch was allowed during the cooldown.
    case bypassed(KeyName)
    /// A signature failed under a key of the key set, and a fetch begins because the issuer may have replaced the key.
    case signatureFailed(KeyName)
    /// Alarm: the keys are no longer fresh, and no newer ones could be fetched. They stay in use for at most
    /// `servedFor`.
    case stale(servedFor: Duration)
    /// Alarm: the keys are too old to be used. No token can be verified until a fetch succeeds.
    case expired
    /// A fetch succeeded after failures.
    case recovered
    /// The keys were dropped by `purge()`.
    case purged
    /// Keys that an earlier process saved were restored and are in use. They were fetched `age` ago.
    case restored(age: Duration)
    /// A snapshot of an earlier process on disk was rejected.
    case snapshotRefused(SnapshotFault)
    /// The fetched document could not be saved on disk. It is used nevertheless.
    case snapshotNotSaved(SnapshotFault)
    /// An event that concerns the issuer's metadata document instead of its key set.
    indirect case metadata(KeySetEvent)
    /// The issuer's metadata has a new `jwks_uri`, which is used from now on.
    case moved
    /// The key source was shut down. No event follows.
    case closed

    /// A Boolean value that indicates whether the event requires attention.
    public var isAlarm: Bool {
        switch self {
        case .replaced, .tooManyKeys, .refused, .unreached, .stale, .expired: true
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
    /// The number of keys that cannot be used.
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
    /// The number of keys that were removed.
    public let removed: Int
    /// The number of known `kid` values that now identify different keys.
    public let replaced: Int
    /// The number of keys in the new key set.
    public let keys: Int
}

/// The `kid` of a key in a form that is safe to show and to log: printable ASCII of at most 64 characters.
public struct KeyName: Sendable, Hashable, CustomStringConvertible {
    /// The `kid`, escaped and truncated to 64 characters, or nil if the key has none.
    public let keyID: String?

    package init(_ keyID: String?) { self.keyID = keyID.map(KeyDescription.escaped) }
    package init(bytes: [UInt8]?) { self.init(bytes.map { String(decoding: $0.prefix(256), as: UTF8.self) }) }

    public var description: String { keyID.map { "kid \"\($0)\"" } ?? "no kid" }
}
