internal import JOSEBytes

extension RotationClock {
    /// Infinite, so that nothing has been published and nothing signs, where the clock gives no time.
    var now: Double {
        let now =
            switch self {
            case .system: SystemClock.now()
            case .custom(let clock): clock()
            }
        return RotationTime.isOne(now) ? now : -.infinity
    }

    func checkedNow() throws(KeyRotationError) -> Double {
        let now = now
        guard now > -.infinity else { throw .timeInvalid }
        return now
    }
}

enum RotationTime {
    /// Up to here a Double tells one second from the next, and sums of two stay integers.
    static func isOne(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p52 }

    /// To whole seconds, as they are written to a state: what others have seen since is said to begin later, never earlier.
    static func later(_ seconds: Double) -> Double {
        let whole = Double(Int64(seconds))
        return whole < seconds ? whole + 1 : whole
    }
    static func earlier(_ seconds: Double) -> Double {
        let whole = Double(Int64(seconds))
        return whole > seconds ? whole - 1 : whole
    }
}
