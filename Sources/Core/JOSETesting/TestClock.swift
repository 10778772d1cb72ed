public import JOSE
internal import Synchronization

/// A clock that stands still until a test moves it. Verifiers and issuers that have its `wallClock` use its time.
public final class TestClock: Sendable {
    private let time: Mutex<NumericDate>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial time, 14 November 2023, 22:13:20 UTC by default.
    public init(_ now: NumericDate = 1_700_000_000) { time = Mutex(now) }

    /// The time that the clock shows.
    public var now: NumericDate {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Moves the clock forward, or back by a negative duration.
    public func advance(by duration: Duration) { time.withLock { $0 += duration } }

    /// A `WallClock` that shows the time of this clock, for `ClaimPolicy.clock` and all others that take one.
    public var wallClock: WallClock { .custom { self.now } }
}
