/// How long things last that the rotation of one's own keys must wait for. The keys of one service share them.
public struct RotationRules: Sendable, Equatable {
    /// Most time for which others may hold the published set: `max-age` of its document. 60 s to 24 h, in whole seconds.
    public var documentLifetime: Duration = .seconds(3600)
    /// What is waited beyond that, for clocks that differ and verifiers that ask late: at least 60 s, for many take nothing shorter
    /// than that from a server.
    public var slack: Duration = .seconds(300)
    /// Longest time from the issue of a token to its `exp`; a `TokenIssuer` that follows the rotation issues none that is longer.
    public var tokenLifetime: Duration = .seconds(3600)
    /// What verifiers add to `exp`, 0 to 300 s.
    public var leeway: Duration = .seconds(300)
    /// For how long a decryption key must not have been used before it may go.
    public var quietTime: Duration = .seconds(86_400)

    /// One hour for documents and for tokens.
    public init() {}

    func check() throws(KeyRotationError) {
        let isSound =
            documentLifetime >= .seconds(60) && documentLifetime <= .seconds(86_400)
            && documentLifetime.components.attoseconds == 0
            && slack >= .seconds(60) && slack <= Self.most && tokenLifetime > .zero && tokenLifetime <= Self.most
            && leeway >= .zero && leeway <= .seconds(300) && quietTime >= .zero && quietTime <= Self.most
        guard isSound else { throw .rulesInvalid }
    }

    /// Ten years: sums of these stay far within what a Double tells apart.
    private static let most = Duration.seconds(315_360_000)

    /// From the publication of a key to the time when nobody holds a set without it.
    var lead: Double { documentLifetime.inSeconds + slack.inSeconds }
    /// From the last signature by a key to the end of the last token that has it.
    var trail: Double { tokenLifetime.inSeconds + leeway.inSeconds }
}

/// What time it is, in seconds since 1970: rotation outlives processes and spans machines.
public enum RotationClock: Sendable {
    /// The machine's.
    case system
    /// For tests; called for each token, from any thread.
    case custom(@Sendable () -> Double)
}
