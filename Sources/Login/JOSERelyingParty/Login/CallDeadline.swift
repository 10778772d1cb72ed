internal import JOSEBytes
internal import JOSEKeySets

/// The time at which all requests of one call must have ended, so that a slow provider does not delay the user once for each request.
struct CallDeadline: Sendable {
    private let end: Double
    private let elapsed: @Sendable () -> Double

    /// Creates a deadline.
    ///
    /// - Parameters:
    ///   - limit: The time from now to the deadline.
    ///   - elapsed: A monotonic clock, in seconds.
    init(_ limit: Duration, elapsed: @escaping @Sendable () -> Double) {
        end = elapsed() + limit.inSeconds
        self.elapsed = elapsed
    }

    /// Returns the time that is left, at most `most`; nil if none is left.
    func left(atMost most: Duration) -> Duration? {
        let left = end - elapsed()
        return left > 0 ? min(most, Duration(inSeconds: left)) : nil
    }

    /// Returns the time for which a step may wait: `most`, or what is left.
    ///
    /// - Throws: `unreachable` if no time is left.
    func limit(_ most: Duration, _ step: LoginStep) throws(RelyingPartyError) -> Duration {
        guard let left = left(atMost: most) else { throw RelyingPartyError(.unreachable, in: step) }
        return left
    }
}

extension CallDeadline? {
    /// Returns the time for which a step may wait: `most`, or what is left until the deadline, if there is one.
    ///
    /// - Throws: `unreachable` if no time is left.
    func limit(_ most: Duration, _ step: LoginStep) throws(RelyingPartyError) -> Duration {
        try self?.limit(most, step) ?? most
    }
}

/// A transport whose requests end at the deadline of a call.
private struct TimedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let deadline: CallDeadline

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let left = deadline.left(atMost: request.deadline) else { throw .deadlineExceeded }
        var request = request
        request.deadline = left
        return try await transport.send(request)
    }
}

extension RelyingParty {
    /// Returns this relying party for one call, whose requests end by the time limit of the profile.
    func timed() -> RelyingParty {
        var party = self
        let deadline = CallDeadline(profile.timeLimit, elapsed: elapsed)
        party.deadline = deadline
        party.transport = TimedTransport(transport: transport, deadline: deadline)
        return party
    }
}
