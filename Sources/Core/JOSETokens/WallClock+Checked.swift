package import JOSE

extension WallClock {
    /// Reads the clock once.
    ///
    /// - Throws: `policyInvalid(.time)` if the clock shows no valid time: in a comparison with NaN no token has expired.
    package func checkedNow() throws(TokenError) -> NumericDate {
        let now = now
        guard now.isValid else { throw .policyInvalid(.time) }
        return now
    }
}
