internal import JOSE

extension TokenVerifier {
    /// The same, in a server. A token whose key is there and that finds no crowd at the policy's `DecryptionLimiter` never waits. One
    /// that does find a crowd waits its turn; one whose key is not there yet waits for the refresh that it asked for, and is tried
    /// once more; for both together no longer than `limit`. Throws `TokenError`, and `CancellationError` where the task was
    /// cancelled while it waited; the refresh goes on for the others.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        var failure: TokenError
        do throws(TokenError) { return try verify(token) } catch { failure = error }
        let end = ContinuousClock.now + limit
        for attempt in 0... {
            if failure.isBusy {
                do { return try await verifyInTurn(token, until: end) } catch let error as TokenError {
                    failure = error
                }
            }
            guard attempt == 0, try await hasNewKeys(after: failure, timeout: end - ContinuousClock.now) else { break }
            do throws(TokenError) { return try verify(token) } catch { failure = error }
        }
        throw failure
    }

    /// The same of a text.
    public func verify(_ token: String, timeout limit: Duration) async throws -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// With a place at the limiter, once there is one.
    func verifyInTurn(_ token: [UInt8], until end: ContinuousClock.Instant) async throws -> VerifiedToken {
        try await inTurn(at: policy.limiter, until: end) { limiter throws(TokenError) in
            try verify(token.span, within: limiter)
        }
    }

    /// Whether a refresh ended that this failure may have waited for.
    func hasNewKeys(after failure: TokenError, timeout limit: Duration) async throws -> Bool {
        guard case .jose(_, let layer) = failure, failure.mayChangeWithKeys(of: layer), let source = source(of: layer)
        else { return false }
        return try await source.awaitRefresh(timeout: limit)
    }
}

/// After the limiter was found busy. Throws `TokenError` and `CancellationError`.
func inTurn<Result: Sendable>(
    at limiter: DecryptionLimiter?, until end: ContinuousClock.Instant, _ body: (DecryptionLimiter?) throws(TokenError) -> Result
) async throws -> Result {
    limiter?.asksAgain()
    do {
        try await limiter?.enter(timeout: end - ContinuousClock.now)
    } catch let error as JOSEError {
        throw TokenError.jose(error, layer: .encryption)
    }
    defer { limiter?.leave() }
    return try body(limiter)
}

extension TokenError {
    /// No place at a limiter was free: to ask in turn may help.
    var isBusy: Bool { self == .jose(.overloaded(.busy), layer: .encryption) }
}

extension TokenPolicy {
    /// That of its encryption layer.
    var limiter: DecryptionLimiter? { encryption?.limiter }
}
