internal import JOSESupport

/// The durations that determine when a service's own keys may be used and removed. All keys of a service share them.
public struct RotationRules: Sendable, Equatable {
    /// The longest time for which others may cache the published document: its `max-age`. It is 60 seconds to 24 hours,
    /// in whole seconds; the default is one hour.
    public var documentLifetime: Duration = .seconds(3600)
    /// The time to wait beyond `documentLifetime`, for clocks that differ and verifiers that refresh late. It is at
    /// least 60 seconds, because many clients cache a document for at least that long; the default is 5 minutes.
    public var slack: Duration = .seconds(300)
    /// The longest time from the issue of a token to its `exp`. A `TokenIssuer` that signs with the rotation issues no
    /// token with a longer lifetime. The default is one hour.
    public var tokenLifetime: Duration = .seconds(3600)
    /// The leeway that verifiers add to `exp`: 0 to 300 seconds. The default is 300 seconds.
    public var leeway: Duration = .seconds(300)
    /// The time for which a decryption key must not have been used before it may be removed. The default is 24 hours.
    public var quietTime: Duration = .seconds(86_400)

    /// Creates rules with the default values.
    public init() {}

    func check() throws(KeyRotationError) {
        let isSound =
            documentLifetime >= .seconds(60) && documentLifetime <= .seconds(86_400)
            && documentLifetime.components.attoseconds == 0
            && slack >= .seconds(60) && slack <= Self.maximum && tokenLifetime > .zero && tokenLifetime <= Self.maximum
            && leeway >= .zero && leeway <= .seconds(300) && quietTime >= .zero && quietTime <= Self.maximum
        guard isSound else { throw .rulesInvalid }
    }

    /// The longest duration of a rule, ten years: sums of durations stay exact as a `Double`.
    private static let maximum = Duration.seconds(315_360_000)

    /// The seconds from the publication of a key until no one caches a document without it.
    var lead: Double { documentLifetime.inSeconds + slack.inSeconds }
    /// The seconds from a key's last signature until its last token has expired.
    var trail: Double { tokenLifetime.inSeconds + leeway.inSeconds }
}
