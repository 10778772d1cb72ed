public import JOSETokens
internal import Synchronization

/// A clock that stands still until a test moves it. Every verifier and issuer made with its `tokenClock` follows.
public final class TestClock: Sendable {
    private let seconds: Mutex<Double>

    /// Begins at 14 November 2023, 22:13:20 UTC unless told otherwise.
    public init(_ now: Double = 1_700_000_000) { seconds = Mutex(now) }

    /// In seconds since 1970.
    public var now: Double {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }

    /// A negative number turns it back.
    public func advance(by interval: Double) { seconds.withLock { $0 += interval } }

    /// For `ClaimPolicy.clock`.
    public var tokenClock: TokenClock { .custom { self.now } }
}
