internal import JOSESupport

/// The time at which all requests of one call must have ended, so that a slow provider does not delay the user once for
/// each request.
package struct CallDeadline: Sendable {
    private let end: Double
    private let elapsed: @Sendable () -> Double

    /// Creates a deadline.
    ///
    /// - Parameters:
    ///   - limit: The time from now to the deadline.
    ///   - elapsed: A monotonic clock, in seconds.
    package init(_ limit: Duration, elapsed: @escaping @Sendable () -> Double) {
        end = elapsed() + limit.inSeconds
        self.elapsed = elapsed
    }

    /// Returns the time that is left, at most `maximum`; nil if none is left.
    func left(atMost maximum: Duration) -> Duration? {
        let left = end - elapsed()
        return left > 0 ? min(maximum, Duration(inSeconds: left)) : nil
    }

    /// The time at which a wait for a key outside the process ends.
    package var instant: ContinuousClock.Instant { ContinuousClock.now + Duration(inSeconds: end - elapsed()) }

    /// Returns the time for which a step may wait: `maximum`, or what is left.
    ///
    /// - Throws: `unreachable` if no time is left.
    package func limit(_ maximum: Duration, _ step: LoginStep) throws(RelyingPartyError) -> Duration {
        guard let left = left(atMost: maximum) else { throw RelyingPartyError(.unreachable, in: step) }
        return left
    }
}

extension CallDeadline? {
    /// Returns the time for which a step may wait: `maximum`, or what is left until the deadline, if there is one.
    ///
    /// - Throws: `unreachable` if no time is left.
    package func limit(_ maximum: Duration, _ step: LoginStep) throws(RelyingPartyError) -> Duration {
        try self?.limit(maximum, step) ?? maximum
    }
}

extension RelyingParty {
    /// Returns the deadline of a call that begins now, by the time limit of the profile.
    package func callDeadline() -> CallDeadline { CallDeadline(profile.timeLimit, elapsed: elapsed) }
}
