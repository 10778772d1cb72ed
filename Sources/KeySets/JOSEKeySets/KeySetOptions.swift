public import JOSE
internal import JOSESupport

/// The options of a key source. The defaults suit an issuer whose server may be unreachable for hours.
///
/// An option beyond its bounds is rejected with ``KeySetError/optionInvalid(_:)``, which has its name:
///
/// - `floor` and `defaultLifetime`: 1 second to 366 days; `ceiling`: `floor` to 366 days; `outageLimit`: up to 366 days.
/// - `cooldown`, `missLifetime`, `bypassWindow` and `signatureCooldown`: 1 second to a day; `backOffLimit`: `cooldown` to a
///   day; `retryAfterLimit` and `grace`: up to a day; `deadline` and `connectDeadline`: 10 milliseconds to 300 seconds.
/// - `refreshPoint`: 0.1 to 1; `retries`: 0 to 3; `redirectLimit`: 0 to 5; `bodyLimit`: 1 byte to 64 MiB; `keyLimit`: 1 to
///   10,000; `missLimit`: 1 to 100,000; `missRepeats`: 1 to 1,000; `bypasses`: 0 to 100.
/// - `secondURL` is an https URL; `snapshotFolder` is neither empty nor contains a NUL.
public struct KeySetOptions: Sendable {
    /// The shortest time for which a key set is fresh, even if its `Cache-Control` specifies less. The default is 60
    /// seconds.
    public var floor: Duration = .seconds(60)
    /// The longest time for which a key set is fresh, and so the longest time for which a withdrawn key is used while
    /// the server responds. The default is 24 hours.
    public var ceiling: Duration = .seconds(24 * 3600)
    /// The time for which a key set is fresh if the response does not specify one. The default is 10 minutes.
    public var defaultLifetime: Duration = .seconds(600)
    /// The range from which the time of a refresh is chosen at random, as a fraction of the time for which the key set
    /// is fresh. Services that were started together thus do not fetch together. No refresh is earlier than `floor`.
    /// The default is 0.75 to 0.9.
    public var refreshPoint: ClosedRange<Double> = 0.75...0.9
    /// The time for which keys that are no longer fresh stay in use while no newer ones can be fetched. After it, no
    /// token can be verified. The default is 24 hours.
    public var outageLimit: Duration = .seconds(24 * 3600)

    /// The shortest time from the end of a fetch to the beginning of the next that the schedule makes. The default is
    /// 30 seconds. After a failed fetch a token with a missing `kid` causes the next one sooner: after four seconds, or
    /// `cooldown` if that is less, which doubles with each failure up to the delay between failing fetches.
    public var cooldown: Duration = .seconds(30)
    /// The longest delay between failing fetches. The delay begins with `cooldown` and doubles with each failure, but
    /// does not grow while there are no keys to use. The default is 5 minutes.
    public var backOffLimit: Duration = .seconds(300)
    /// The longest time for which a server's `Retry-After` is honoured. The default is 10 minutes.
    public var retryAfterLimit: Duration = .seconds(600)

    /// The time limit for one URL: name resolution, connection, request, response and the retries. The default is 5
    /// seconds.
    public var deadline: Duration = .seconds(5)
    /// The time limit for name resolution, connection and TLS. The default is 3 seconds.
    public var connectDeadline: Duration = .seconds(3)
    /// The number of retries of a request that failed for a transient reason. All attempts share one `deadline`. The
    /// default is 1.
    public var retries = 1
    /// The URL that is tried if the first one fails. It must serve the same key set.
    public var secondURL: String?
    /// The number of redirects that are followed, each to the same origin. The default, 0, follows none.
    public var redirectLimit = 0
    /// The size of the largest accepted response body in bytes, after decompression. The default is 512 KiB.
    public var bodyLimit = 512 * 1024

    /// Whether a response may have another `Content-Type` than `application/json` and `application/jwk-set+json`, which
    /// is then reported. The default is false.
    public var acceptsAnyContentType = false

    /// The number of keys of a key set that are read. Further keys are ignored, and an alarm is raised. The default is
    /// 100.
    public var keyLimit = 100
    /// The additional checks of each key's parameters. A key that fails one is skipped.
    public var checks: KeyChecks = []

    /// Whether a key set with several keys of one type under one `kid` is rejected: the previous one then stays in use,
    /// and an alarm is raised. The default is false: each of the keys is tried.
    public var rejectsDuplicateKeyIDs = false
    /// Whether a key set with a different key under a known `kid` is rejected: the previous one then stays in use. The
    /// default is false: the previous key is dropped at once. An alarm is raised in either case.
    public var rejectsReplacedKeys = false
    /// The time for which a key stays in use after it was last in a fetched key set, because some caches of a content
    /// delivery network may return an older key set than others. The default is 5 minutes.
    public var grace: Duration = .seconds(300)

    /// The maximum number of missing `kid` values that are remembered. The default is 1,000.
    public var missLimit = 1_000
    /// The range of the time for which a missing `kid` causes no further fetch. The time begins with the lower bound
    /// and doubles up to the upper one. The default is 30 seconds to 5 minutes.
    public var missLifetime: ClosedRange<Duration> = .seconds(30) ... .seconds(300)
    /// The number of tokens with one missing `kid` since the last fetch after which a fetch is allowed during the
    /// cooldown. The default is 3.
    public var missRepeats = 3
    /// The maximum number of fetches that are allowed during cooldowns within `bypassWindow`, so that a flood of
    /// invented `kid` values cannot delay the fetch of a new key for long. The default is 2.
    public var bypasses = 2
    /// The period in which at most `bypasses` fetches are allowed during the cooldown. The default is 5 minutes.
    public var bypassWindow: Duration = .seconds(300)
    /// The shortest time from the beginning of a fetch that a failed signature causes to the next such fetch. A
    /// provider may replace a key under its `kid`, which only a failed signature shows; anybody can send tokens whose
    /// signature fails. The default is 30 seconds.
    public var signatureCooldown: Duration = .seconds(30)

    /// A folder for snapshots of fetched documents, so that a process that starts during an outage has keys. If nil, no
    /// snapshot is saved.
    ///
    /// A snapshot is read as untrusted input, and is never served for longer than the process that saved it would have
    /// served it. The folder is created if it does not exist, and may be shared by any number of sources.
    ///
    /// The folder must belong to the effective user of the process or to root, and must be writable only by its owner,
    /// unless it has the sticky bit; a snapshot must belong to the user. Anything else is reported as
    /// ``SnapshotFault/notPrivate`` and not used. The parent folders are not checked: they must not be writable by
    /// other users either.
    public var snapshotFolder: String?
    /// A Boolean value that indicates whether processes that run at the same time share the snapshots: a snapshot that
    /// is fresh is not fetched again, and of several processes that need the same document one fetches it, while the
    /// others wait for `deadline` and a second at most.
    package var sharesSnapshots = false
    /// A Boolean value that indicates whether an issuer, its metadata and its keys may be at a loopback address over
    /// http, for development. The transport must allow it as well. Other URLs of http are never fetched.
    public var allowsLoopbackHTTP = false

    /// Creates options with the default values.
    public init() {}
}

extension KeySetOptions {
    private static let year = 366.0 * 24 * 3600
    private static let day = 86_400.0

    /// Validates the options.
    ///
    /// - Throws: `optionInvalid` with the first option that has an invalid value.
    package func check() throws(KeySetError) {
        let (minimum, pause) = (floor.inSeconds, cooldown.inSeconds)
        let seconds: [(String, Duration, ClosedRange<Double>)] = [
            ("floor", floor, 1...Self.year), ("ceiling", ceiling, minimum...Swift.max(minimum, Self.year)),
            ("defaultLifetime", defaultLifetime, 1...Self.year), ("outageLimit", outageLimit, 0...Self.year),
            ("cooldown", cooldown, 1...Self.day),
            ("backOffLimit", backOffLimit, pause...Swift.max(pause, Self.day)),
            ("retryAfterLimit", retryAfterLimit, 0...Self.day), ("deadline", deadline, 0.01...300),
            ("connectDeadline", connectDeadline, 0.01...300), ("grace", grace, 0...Self.day),
            ("missLifetime", missLifetime.lowerBound, 1...Self.day),
            ("missLifetime", missLifetime.upperBound, 1...Self.day),
            ("bypassWindow", bypassWindow, 1...Self.day), ("signatureCooldown", signatureCooldown, 1...Self.day),
        ]
        for (option, value, range) in seconds where !range.contains(value.inSeconds) { throw .optionInvalid(option) }
        let numbers: [(String, Int, ClosedRange<Int>)] = [
            ("retries", retries, 0...3), ("redirectLimit", redirectLimit, 0...5),
            ("bodyLimit", bodyLimit, 1...(64 << 20)),
            ("keyLimit", keyLimit, 1...10_000), ("missLimit", missLimit, 1...100_000),
            ("missRepeats", missRepeats, 1...1_000), ("bypasses", bypasses, 0...100),
        ]
        for (option, value, range) in numbers where !range.contains(value) { throw .optionInvalid(option) }
        guard refreshPoint.lowerBound >= 0.1, refreshPoint.upperBound <= 1 else {
            throw .optionInvalid("refreshPoint")
        }
        if let snapshotFolder, snapshotFolder.isEmpty || snapshotFolder.utf8.contains(0) {
            throw .optionInvalid("snapshotFolder")
        }
        if let secondURL, !isFetchable(secondURL, loopbackHTTP: allowsLoopbackHTTP) {
            throw .optionInvalid("secondURL")
        }
    }
}
