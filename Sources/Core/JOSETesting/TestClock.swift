public import JOSE
internal import Synchronization

/// A clock that stands still until a test moves it. Every verifier and issuer created with its `wallClock` follows.
public final class TestClock: Sendable {
    private let time: Mutex<NumericDate>

    /// Creates a clock.
    ///
    /// - Parameter now: The time that the clock shows first; 14 November 2023, 22:13:20 UTC by default.
    public init(_ now: NumericDate = 1_700_000_000) { time = Mutex(now) }

    /// The time that the clock shows.
    public var now: NumericDate {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Moves the clock forward, or back by a negative duration.
    public func advance(by duration: Duration) { time.withLock { $0 += duration } }

    /// This clock for `ClaimPolicy.clock` and for every other property or parameter that takes a `WallClock`.
    public var wallClock: WallClock { .custom { self.now } }
}
