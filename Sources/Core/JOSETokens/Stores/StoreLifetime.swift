package import JOSE
internal import JOSESupport

/// The lifetimes of entries in a ``LoginStore``, in particular of the records of tokens that are accepted only once.
package enum StoreLifetime {
    /// The time for which the record of a used token is kept after the token has expired. A second use just before the
    /// token expires is thus still detected, even if the request reaches the store late.
    package static let grace = Duration.seconds(60)

    /// Returns a lifetime, clamped to the range from one millisecond to 10^9 seconds.
    ///
    /// - Throws: ``StoreError/expired`` for a lifetime of zero or less.
    package static func bounded(_ lifetime: Duration) throws(StoreError) -> Duration {
        guard lifetime > .zero else { throw .expired }
        return min(max(lifetime, .milliseconds(1)), .seconds(1_000_000_000))
    }

    /// Returns the lifetime of the record of a used token, or nil if the token has expired. An expired token must be
    /// rejected, because the record of its first use may no longer exist.
    ///
    /// - Parameters:
    ///   - end: The time from which the token is rejected as expired, the leeway included.
    ///   - now: The current time.
    package static func ofMark(until end: NumericDate, now: NumericDate) -> Duration? {
        end > now ? end - now + grace : nil
    }
}
