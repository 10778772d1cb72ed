internal import JOSESupport

/// The clock against which the times in claims, certificates, published keys and logins are checked.
public enum WallClock: Sendable {
    /// The system's clock, read for each check.
    case system
    /// A clock that always shows the given time, for tests and to check validity at a time in the past.
    case fixed(NumericDate)
    /// A custom clock. The closure is called for each check, from any thread, and must not block.
    case custom(@Sendable () -> NumericDate)

    /// The time that the clock shows.
    public var now: NumericDate {
        switch self {
        case .system: NumericDate(secondsSince1970: SystemClock.now())
        case .fixed(let now): now
        case .custom(let clock): clock()
        }
    }

    /// The time that the clock shows, which for the system's clock lags by up to 10 ms. It is compared with claims
    /// alone.
    package var coarse: NumericDate {
        if case .system = self { NumericDate(secondsSince1970: SystemClock.coarse()) } else { now }
    }
}
