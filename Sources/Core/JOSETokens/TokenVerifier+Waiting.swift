internal import JOSE

extension TokenVerifier {
    /// Verifies the token, given as bytes, and waits, if necessary, until its key is fetched and the decryption limiter
    /// has a free slot.
    ///
    /// A token whose key is available is verified at once, unless as many decryptions are running as the policy's
    /// `DecryptionLimiter` allows: then it waits in the limiter's queue. A token whose key is not available makes the
    /// key source refresh, unless that is throttled; it waits for the end of the refresh, and is verified once more.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled while it waited; the refresh continues for other
    ///   callers.
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

    /// Verifies the token and waits, if necessary, until its key is fetched and the decryption limiter has a free slot.
    ///
    /// A token whose key is available is verified at once, unless as many decryptions are running as the policy's
    /// `DecryptionLimiter` allows: then it waits in the limiter's queue. A token whose key is not available makes the
    /// key source refresh, unless that is throttled; it waits for the end of the refresh, and is verified once more.
    ///
    /// - Parameters:
    ///   - token: The compact serialization.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled while it waited; the refresh continues for other
    ///   callers.
    public func verify(_ token: String, timeout limit: Duration) async throws -> VerifiedToken {
        try await verify(Array(token.utf8), timeout: limit)
    }

    /// Verifies the token once the limiter has a free slot.
    func verifyInTurn(_ token: [UInt8], until end: ContinuousClock.Instant) async throws -> VerifiedToken {
        try await inTurn(at: policy.limiter, until: end) { limiter throws(TokenError) in
            try verify(token.span, within: limiter)
        }
    }

    /// Returns whether a refresh ended that may change the outcome after this failure.
    func hasNewKeys(after failure: TokenError, timeout limit: Duration) async throws -> Bool {
        guard case .jose(_, let layer) = failure, failure.mayChangeWithKeys(of: layer), let source = source(of: layer)
        else { return false }
        return try await source.awaitRefresh(timeout: limit)
    }
}

/// Runs the body once the limiter has a free slot, after a call was rejected as busy. It throws `TokenError` and
/// `CancellationError`.
func inTurn<Result: Sendable>(
    at limiter: DecryptionLimiter?, until end: ContinuousClock.Instant,
    _ body: (DecryptionLimiter?) throws(TokenError) -> Result
) async throws -> Result {
    limiter?.retractRejection()
    do {
        try await limiter?.enter(timeout: end - ContinuousClock.now)
    } catch let error as JOSEError {
        throw TokenError.jose(error, layer: .encryption)
    }
    defer { limiter?.leave() }
    return try body(limiter)
}

extension TokenError {
    /// Whether the limiter had no free slot, so that waiting for one may help.
    var isBusy: Bool { self == .jose(.overloaded(.busy), layer: .encryption) }
}

extension TokenPolicy {
    /// The limiter of the encryption layer.
    var limiter: DecryptionLimiter? { encryption?.limiter }
}
