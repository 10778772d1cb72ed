/// The lifetimes of stored values, in seconds: the bounds of every store, and the lifetime of a mark for a token that may be used once.
package enum StoreLifetime {
    /// The seconds by which a mark outlives its token. A token that was checked just before its end then still finds the mark of its
    /// first use, however long the command was on its way to the store.
    package static let grace = 60.0

    /// Bounds a lifetime to between a millisecond and 10^9 seconds.
    ///
    /// - Throws: `StoreError.expired` for a lifetime that is not above zero, or not a number.
    package static func bounded(_ seconds: Double) throws(StoreError) -> Double {
        guard seconds > 0 else { throw .expired }
        return min(max(seconds, 0.001), 1e9)
    }

    /// Returns the lifetime of the mark of something that may be used until `end`, or nil if that time has passed: it must then be
    /// rejected, for a mark would no longer say whether it was used before.
    ///
    /// - Parameters:
    ///   - end: The time from which on the token is rejected as expired, the leeway included, in seconds since 1970.
    ///   - now: The time in seconds since 1970.
    package static func ofMark(until end: Double, now: Double) -> Double? { end > now ? end - now + grace : nil }
}
