internal import JOSE

extension WallClock {
    /// The time in seconds since 1970, or negative infinity, so that no key is published and none signs, if the clock
    /// shows an invalid time.
    var rotationSeconds: Double {
        let seconds = now.secondsSince1970
        return RotationTime.isOne(seconds) ? seconds : -.infinity
    }

    /// Returns the time in seconds since 1970.
    ///
    /// - Throws: `timeInvalid` if the clock shows an invalid time.
    func checkedRotationSeconds() throws(KeyRotationError) -> Double {
        let seconds = rotationSeconds
        guard seconds > -.infinity else { throw .timeInvalid }
        return seconds
    }
}

extension NumericDate {
    /// Creates a point in time, or returns nil if `seconds` is not finite.
    init?(finiteSeconds seconds: Double) {
        guard seconds.isFinite else { return nil }
        self.init(secondsSince1970: seconds)
    }
}

/// The times of a rotation, in seconds since 1970.
enum RotationTime {
    /// Returns whether the seconds are a time. Up to this bound a `Double` tells one second from the next, and the sum
    /// of two is exact.
    static func isOne(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p52 }

    /// Returns the time rounded up to whole seconds, as states contain it: a time from which others have the key is
    /// never given too early.
    static func later(_ seconds: Double) -> Double {
        let whole = Double(Int64(seconds))
        return whole < seconds ? whole + 1 : whole
    }
    /// Returns the time rounded down to whole seconds.
    static func earlier(_ seconds: Double) -> Double {
        let whole = Double(Int64(seconds))
        return whole > seconds ? whole - 1 : whole
    }
}
