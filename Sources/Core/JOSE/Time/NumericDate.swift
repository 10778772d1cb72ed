internal import JOSESupport

/// A point in time as JOSE and OAuth represent it: the number of seconds since 1970-01-01T00:00:00Z UTC, without leap
/// seconds (RFC 7519, 2).
///
/// A value may have a fraction. A literal is a number of seconds: `let issued: NumericDate = 1_700_000_000`. The
/// Foundation extensions convert from and to `Date`.
@frozen public struct NumericDate: Hashable, Sendable {
    /// The number of seconds since 1970-01-01T00:00:00Z UTC; negative before it.
    public let secondsSince1970: Double

    /// Creates a point in time.
    ///
    /// - Parameter seconds: The number of seconds since 1970-01-01T00:00:00Z UTC. The initializer does not check it. A
    ///   number that is not finite, or whose magnitude exceeds 2^53, is rejected when it is used.
    @inlinable  // A wrapper without work of its own, on the path of each verification.
    public init(secondsSince1970 seconds: Double) { secondsSince1970 = seconds }

    /// The current time of the system's clock.
    public static var now: NumericDate { NumericDate(secondsSince1970: SystemClock.now()) }

    /// The largest magnitude, in seconds, at which a `Double` still tells one second from the next.
    package static let bound = 0x1p53
    /// The last second of the year 9999, the latest time that RFC 3339 can express, and to which RFC 7519, 2 refers. A
    /// time in milliseconds is later than it.
    package static let latestIssued = 253_402_300_799.0

    /// Whether the value is a number within the bound; a comparison with NaN never finds a token expired.
    package var isValid: Bool { abs(secondsSince1970) <= Self.bound }

    /// Returns the time that is `duration` later.
    public static func + (date: NumericDate, duration: Duration) -> NumericDate {
        NumericDate(secondsSince1970: date.secondsSince1970 + duration.inSeconds)
    }

    /// Returns the time that is `duration` earlier.
    public static func - (date: NumericDate, duration: Duration) -> NumericDate {
        NumericDate(secondsSince1970: date.secondsSince1970 - duration.inSeconds)
    }

    /// Returns the time from `start` to `end`, which is negative if `end` is earlier.
    ///
    /// The result is exact to the microsecond. It is limited to 2^53 seconds in either direction, and is zero if either
    /// date is NaN.
    public static func - (end: NumericDate, start: NumericDate) -> Duration {
        Duration(saturatingSeconds: end.secondsSince1970 - start.secondsSince1970)
    }

    /// Moves the time forward by `duration`.
    public static func += (date: inout NumericDate, duration: Duration) { date = date + duration }

    /// Moves the time back by `duration`.
    public static func -= (date: inout NumericDate, duration: Duration) { date = date - duration }
}

// All four are written out: what the standard library derives from `<` alone would find `a <= b` where one is not a
// number.
extension NumericDate: Comparable {
    /// Returns whether `left` is earlier than `right`. The result is false if either date is NaN.
    @inlinable  // A wrapper without work of its own, on the path of each verification.
    public static func < (left: NumericDate, right: NumericDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
    /// Returns whether `left` is earlier than `right` or the same time. The result is false if either date is NaN.
    @inlinable  // A wrapper without work of its own, on the path of each verification.
    public static func <= (left: NumericDate, right: NumericDate) -> Bool {
        left.secondsSince1970 <= right.secondsSince1970
    }
    /// Returns whether `left` is later than `right`. The result is false if either date is NaN.
    @inlinable  // A wrapper without work of its own, on the path of each verification.
    public static func > (left: NumericDate, right: NumericDate) -> Bool {
        left.secondsSince1970 > right.secondsSince1970
    }
    /// Returns whether `left` is later than `right` or the same time. The result is false if either date is NaN.
    @inlinable  // A wrapper without work of its own, on the path of each verification.
    public static func >= (left: NumericDate, right: NumericDate) -> Bool {
        left.secondsSince1970 >= right.secondsSince1970
    }
}

extension NumericDate: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a point in time from a literal number of seconds since 1970-01-01T00:00:00Z UTC.
    public init(integerLiteral seconds: Int64) { self.init(secondsSince1970: Double(seconds)) }
    /// Creates a point in time from a literal number of seconds since 1970-01-01T00:00:00Z UTC.
    public init(floatLiteral seconds: Double) { self.init(secondsSince1970: seconds) }
}

extension NumericDate: Described {
    /// The number of seconds since 1970-01-01T00:00:00Z UTC, without a fraction if it has none.
    package var summary: String {
        let whole = secondsSince1970.rounded(.towardZero)
        return whole == secondsSince1970 && isValid ? "\(Int64(whole))" : "\(secondsSince1970)"
    }
}
