package import JOSE

extension WallClock {
    /// Reads the clock once.
    ///
    /// - Throws: `policyInvalid` if the clock shows no valid time: in a comparison with NaN no token has
    ///   expired.
    package func checkedNow() throws(TokenError) -> NumericDate {
        try Self.checked(now)
    }

    /// Reads the clock as of the last tick of the system.
    ///
    /// - Throws: `policyInvalid` as `checkedNow()` does.
    func checkedCoarse() throws(TokenError) -> NumericDate { try Self.checked(coarse) }

    private static func checked(_ time: NumericDate) throws(TokenError) -> NumericDate {
        guard time.isValid else { throw .policyInvalid(.clock) }
        return time
    }
}
