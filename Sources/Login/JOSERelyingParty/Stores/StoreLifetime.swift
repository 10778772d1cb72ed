package import JOSE
internal import JOSEBytes

/// The bounds of the lifetimes of stored values, and the lifetimes of the marks of tokens that are accepted once.
package enum StoreLifetime {
    /// The time by which a mark outlives its token. A token that is checked just before it expires thus still finds the mark of
    /// its first use, even if the command reaches the store late.
    package static let grace = Duration.seconds(60)

    /// Returns a lifetime, limited to between a millisecond and 10^9 seconds.
    ///
    /// - Throws: ``StoreError/expired`` for a lifetime of zero or less.
    package static func bounded(_ lifetime: Duration) throws(StoreError) -> Duration {
        guard lifetime > .zero else { throw .expired }
        return min(max(lifetime, .milliseconds(1)), .seconds(1_000_000_000))
    }

    /// Returns the lifetime of the mark of a token that is accepted until `end`. Nil if that time has passed: the token must then
    /// be rejected, because a mark would no longer tell whether it was used before.
    ///
    /// - Parameters:
    ///   - end: The time from which the token is rejected as expired, the leeway included.
    ///   - now: The current time.
    package static func ofMark(until end: NumericDate, now: NumericDate) -> Duration? {
        end > now ? end - now + grace : nil
    }
}
