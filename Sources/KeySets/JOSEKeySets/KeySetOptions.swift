public import JOSE

/// How a source of keys behaves. As it comes it suits an issuer whom one trusts to publish keys and not to be always there.
public struct KeySetOptions: Sendable {
    /// The least time for which a set is fresh, whatever its `Cache-Control` says.
    public var floor: Duration = .seconds(60)
    /// The longest time for which a set is fresh, and so the longest that a withdrawn key is used while the server answers.
    public var ceiling: Duration = .seconds(24 * 3600)
    /// How long a set is fresh of which the server says nothing.
    public var defaultLifetime: Duration = .seconds(600)
    /// At which part of its lifetime a set is fetched anew; where in this range, chance decides, so that a thousand
    /// services that were started together do not ask together. Never before `floor`.
    public var refreshPoint: ClosedRange<Double> = 0.75...0.9
    /// How long a set that is no longer fresh goes on serving while the server gives no new one. Afterwards nothing verifies.
    public var outageLimit: Duration = .seconds(24 * 3600)

    /// The least time from the end of one fetch to the beginning of the next, whether or not it went well.
    public var cooldown: Duration = .seconds(30)
    /// The longest wait after fetches that failed: it begins with `cooldown` and doubles. While there are no keys to serve
    /// it does not grow.
    public var backOffLimit: Duration = .seconds(300)
    /// The longest wait that a server's `Retry-After` can ask for.
    public var retryAfterLimit: Duration = .seconds(600)

    /// For one server: names, connection, request, answer, and the second try where there is one.
    public var deadline: Duration = .seconds(5)
    /// For names, connection and TLS.
    public var connectDeadline: Duration = .seconds(3)
    /// Second tries of a request that failed for a reason that may pass, within the same `deadline`.
    public var retries = 1
    /// Asked where the first fails: the same set at another address.
    public var secondURL: String?
    /// Redirects followed, to the same origin; 0: none.
    public var redirectLimit = 0
    /// Bytes of the answer, decoded.
    public var bodyLimit = 512 * 1024

    /// What an answer's `Content-Type` has to be.
    public enum ContentTypeRule: Sendable {
        /// `application/json` or `application/jwk-set+json`: all else is refused.
        case strict
        /// All else is reported and read.
        case lenient
    }
    /// What an answer's `Content-Type` has to be.
    public var contentType: ContentTypeRule = .strict

    /// Keys of one set that are read; those behind them are ignored, and an alarm raised.
    public var keyLimit = 100
    /// What is asked of each key's numbers: one that fails is left out.
    public var checks: KeyChecks = []

    /// What becomes of a set that is right in itself and still not as it should be.
    public enum AnomalyPolicy: Sendable {
        /// Taken; a new key under an old name raises an alarm.
        case take
        /// Refused: the old set stays, and an alarm is raised.
        case refuse
    }
    /// Two keys of one kind under one name. Where they are taken, both are tried.
    public var duplicateKeyIDs: AnomalyPolicy = .take
    /// Another key under a name that was there before. Where it is taken, the old key is dropped at once.
    public var replacedKeys: AnomalyPolicy = .take
    /// How long after it was last seen a key stays that a newer set lacks, since not every edge of a network of caches has
    /// the newest set.
    public var grace: Duration = .seconds(300)

    /// Names of keys that are remembered because the set lacks them.
    public var missLimit = 1_000
    /// For how long such a name causes no further fetch; it begins with the lower bound and doubles.
    public var missLifetime: ClosedRange<Duration> = .seconds(30) ... .seconds(300)
    /// How often a name must have been asked for since the last fetch to be let through in spite of the cooldown.
    public var missRepeats = 3
    /// How many fetches are let through that way in `bypassWindow`, so that a flood of made-up names does not keep out
    /// a real new key.
    public var bypasses = 2
    /// See `bypasses`.
    public var bypassWindow: Duration = .seconds(300)

    /// A folder in which what was fetched last is kept, so that a restart during an outage begins with it: read as untrusted, and
    /// never served for longer than the process before would have. It is made where it is not there. One folder does for any number of
    /// sources. Nil: nothing is kept.
    ///
    /// The folder must belong to the effective user of the process or to root, and be writable by its owner alone, unless it has the
    /// sticky bit; a snapshot must belong to the user. Anything else is reported as ``SnapshotFault/notPrivate`` and not used. The
    /// folders above it are not checked: they must not be writable by other users either.
    public var snapshotFolder: String?
    /// Whether an issuer, its metadata and its keys may be on this machine by http, for trying things out. The transport has its
    /// own say.
    public var allowsLoopbackHTTP = false

    /// The values above.
    public init() {}
}

/// What of ``KeySetOptions`` does not hold.
@nonexhaustive public enum KeySetOption: Sendable, Equatable {
    /// The member of that name is negative, zero where it may not be, or over its bound.
    case floor, ceiling, defaultLifetime, refreshPoint, outageLimit, cooldown, backOffLimit, retryAfterLimit
    /// The member of that name is negative, zero where it may not be, or over its bound.
    case deadline, connectDeadline, retries, secondURL, redirectLimit, bodyLimit, keyLimit, grace
    /// The member of that name is negative, zero where it may not be, or over its bound.
    case missLimit, missLifetime, missRepeats, bypasses, bypassWindow
    /// Empty, or not a path.
    case snapshotFolder
}

extension KeySetOptions {
    private static let year = 366.0 * 24 * 3600
    private static let day = 86_400.0

    /// Throws `optionsInvalid` of the first member that does not hold.
    package func check() throws(KeySetError) {
        let (least, pause) = (floor.inSeconds, cooldown.inSeconds)
        let seconds: [(KeySetOption, Duration, ClosedRange<Double>)] = [
            (.floor, floor, 1...Self.year), (.ceiling, ceiling, least...Swift.max(least, Self.year)),
            (.defaultLifetime, defaultLifetime, 1...Self.year), (.outageLimit, outageLimit, 0...Self.year),
            (.cooldown, cooldown, 1...Self.day),
            (.backOffLimit, backOffLimit, pause...Swift.max(pause, Self.day)),
            (.retryAfterLimit, retryAfterLimit, 0...Self.day), (.deadline, deadline, 0.01...300),
            (.connectDeadline, connectDeadline, 0.01...300), (.grace, grace, 0...Self.day),
            (.missLifetime, missLifetime.lowerBound, 1...Self.day),
            (.missLifetime, missLifetime.upperBound, 1...Self.day),
            (.bypassWindow, bypassWindow, 1...Self.day),
        ]
        for (option, value, range) in seconds where !range.contains(value.inSeconds) { throw .optionsInvalid(option) }
        let numbers: [(KeySetOption, Int, ClosedRange<Int>)] = [
            (.retries, retries, 0...3), (.redirectLimit, redirectLimit, 0...5), (.bodyLimit, bodyLimit, 1...(64 << 20)),
            (.keyLimit, keyLimit, 1...10_000), (.missLimit, missLimit, 1...100_000),
            (.missRepeats, missRepeats, 1...1_000), (.bypasses, bypasses, 0...100),
        ]
        for (option, value, range) in numbers where !range.contains(value) { throw .optionsInvalid(option) }
        guard refreshPoint.lowerBound >= 0.1, refreshPoint.upperBound <= 1 else {
            throw .optionsInvalid(.refreshPoint)
        }
        if let snapshotFolder, snapshotFolder.isEmpty || snapshotFolder.utf8.contains(0) {
            throw .optionsInvalid(.snapshotFolder)
        }
        if let secondURL, !isFetchable(secondURL) { throw .optionsInvalid(.secondURL) }
    }
}
