internal import JOSEBytes

/// The clock that decides whether a claim, a certificate, a published key or a login is valid in time.
public enum WallClock: Sendable {
    /// The system's clock, read for each decision.
    case system
    /// A clock that stands still: for tests, and to verify what was signed then.
    case fixed(NumericDate)
    /// A clock of the caller's, read for each decision, from whichever thread makes it. It must not block.
    case custom(@Sendable () -> NumericDate)

    /// The time that the clock shows.
    public var now: NumericDate {
        switch self {
        case .system: NumericDate(secondsSince1970: SystemClock.now())
        case .fixed(let now): now
        case .custom(let clock): clock()
        }
    }
}
