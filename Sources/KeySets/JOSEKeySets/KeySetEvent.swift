public import JOSE

/// Hears what happens to a source of keys. It is called in order, one event at a time, by a task of its own and under no lock: it
/// may ask the source anything, and nobody who verifies or fetches waits for it. What takes long it hands on, since the thread
/// that calls it is one of the few that run tasks. Of more than a thousand events that wait the newest are dropped and counted.
public protocol KeySetObserver: Sendable {
    /// `name` is the URL or the issuer that the source was made with.
    func keySet(_ name: String, _ event: KeySetEvent)
}

/// What happened. Nothing in it is secret, and what others sent is fit for one line of a log.
@nonexhaustive public enum KeySetEvent: Sendable, Equatable {
    /// A whole answer came and was taken, new or not.
    case fetched(KeySetFetch)
    /// The server says that nothing changed. In seconds: for how long what is held is fresh.
    case notModified(freshFor: Double)
    /// The set that is served is another than before.
    case rotated(KeySetRotation)
    /// Keys under names that were not there.
    case added([KeyName])
    /// Keys that are no longer served.
    case removed([KeyName])
    /// Alarm: names that stand for other keys than before. Nobody's rotation does that.
    case replaced([KeyName])
    /// Keys that the newest set lacks and that are served a little longer. In seconds: how long at most.
    case kept([KeyName], upTo: Double)
    /// A member of the set that cannot be used, and why. Of many only the first are told.
    case keySkipped(KeyName, JOSEError)
    /// Alarm: more keys than are read. Those behind the bound are ignored.
    case tooManyKeys(total: Int, used: Int)
    /// The answer's `Content-Type` is not that of a key set; it was read all the same.
    case contentTypeOdd
    /// Alarm: an answer came that is not used.
    case refused(KeySetRejection)
    /// A fetch failed. `retryIn`: seconds until the next is tried.
    case failed(KeySetError, retryIn: Double)
    /// The first address failed for this reason, and the second is asked.
    case secondSource(KeySetError)
    /// Tokens ask for keys that are not there, and no fetch is allowed yet. Once for each cooldown.
    case throttled
    /// A name was asked for so often that a fetch was let through in spite of the cooldown.
    case bypassed(KeyName)
    /// Alarm: what is served is no longer fresh. In seconds: for how long it goes on serving.
    case stale(servedFor: Double)
    /// Alarm: what is held is too old to be served. Nothing verifies until a fetch goes well.
    case expired
    /// After failures a fetch went well.
    case recovered
    /// The keys were dropped by `purge()`.
    case purged
    /// Keys of an earlier life of the process are served. In seconds: how old they are.
    case restored(age: Double)
    /// What is on disk from an earlier life of the process is not used.
    case snapshotRefused(SnapshotFault)
    /// What is held could not be kept on disk. It goes on serving.
    case snapshotNotSaved(SnapshotFault)
    /// What happened to the issuer's metadata, by which its keys are found.
    indirect case metadata(KeySetEvent)
    /// The issuer's metadata names another address of its keys, which is asked from now on.
    case moved
    /// The source was shut down. Nothing comes after this.
    case closed

    /// Whether somebody should look at it.
    public var isAlarm: Bool {
        switch self {
        case .replaced, .tooManyKeys, .refused, .stale, .expired: true
        case .metadata(let event): event.isAlarm
        default: false
        }
    }
}

/// A set that came.
public struct KeySetFetch: Sendable, Equatable {
    /// Of the body, decoded.
    public let bytes: Int
    /// Keys that can be used.
    public let keys: Int
    /// Members that cannot.
    public let skipped: Int
    /// Seconds for which it is fresh.
    public let freshFor: Double
    /// Seconds that the request took.
    public let seconds: Double
}

/// How many keys came, went and changed.
public struct KeySetRotation: Sendable, Equatable {
    /// Under names that were not there.
    public let added: Int
    /// No longer served.
    public let removed: Int
    /// Other keys under the same names.
    public let replaced: Int
    /// In the set that is served from now on.
    public let keys: Int
}

/// A key's name as it may be shown: printable ASCII, of at most 64 characters.
public struct KeyName: Sendable, Hashable, CustomStringConvertible {
    /// `kid`, escaped and cut; nil: the key has none.
    public let keyID: String?

    package init(_ keyID: String?) { self.keyID = keyID.map(KeyDescription.escaped) }
    package init(bytes: [UInt8]?) { self.init(bytes.map { String(decoding: $0.prefix(256), as: UTF8.self) }) }

    public var description: String { keyID.map { "kid \"\($0)\"" } ?? "no kid" }
}
