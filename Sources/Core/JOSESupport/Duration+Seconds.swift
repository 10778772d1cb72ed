extension Duration {
    /// The duration in seconds; a `Double` resolves microseconds up to a century.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Creates a duration that a timer can wait for: negative numbers and NaN become zero, and the largest value is
    /// 10^9 seconds.
    package init(inSeconds seconds: Double) {
        let bounded = seconds > 0 ? min(seconds, 1e9) : 0
        self = .microseconds(Int64(bounded * 1e6))
    }

    /// Creates a duration of either sign, limited to 2^53 seconds; NaN becomes zero. The result is exact to the
    /// microsecond.
    package init(saturatingSeconds seconds: Double) {
        guard !seconds.isNaN else {
            self = .zero
            return
        }
        let bounded = max(-0x1p53, min(seconds, 0x1p53))
        let whole = bounded.rounded(.towardZero)
        self = .seconds(Int64(whole)) + .microseconds(Int64(((bounded - whole) * 1e6).rounded()))
    }
}
