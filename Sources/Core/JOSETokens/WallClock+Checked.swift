package import JOSE

extension WallClock {
    /// The time that the clock shows, in seconds since 1970.
    package var seconds: Double { now.secondsSince1970 }

    /// Reads the clock once.
    ///
    /// - Throws: `policyInvalid(.time)` if the clock shows no valid time: in a comparison with NaN no token has expired.
    package func checkedNow() throws(TokenError) -> NumericDate {
        let now = now
        guard now.isValid else { throw .policyInvalid(.time) }
        return now
    }
}
