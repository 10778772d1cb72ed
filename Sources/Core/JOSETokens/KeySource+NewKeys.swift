package import JOSE

extension KeySource {
    /// Waits for new keys after a token was rejected, and returns whether it should be verified once more. This is the rule for
    /// new keys, whoever waits for them:
    ///
    /// - A missing key is awaited until the end of the refresh in progress, or of the next one if it may begin within the time.
    /// - A signature that failed is awaited as a missing key is, by a bound of its own, because its key may have been replaced.
    /// - After other errors that keys cause, the refresh in progress is awaited.
    /// - Other errors are final.
    ///
    /// An error of the source other than `CancellationError` counts as a refresh that changed nothing.
    ///
    /// - Parameters:
    ///   - error: The error with which the token was rejected, by a layer whose keys are from this source.
    ///   - end: The time until which the caller waits.
    /// - Throws: `cancelled` if the task was cancelled. The refresh continues.
    package func awaitNewKeys(
        after error: TokenError, until end: ContinuousClock.Instant
    ) async throws(TokenError) -> Bool {
        guard case .jose(let failure, _) = error, failure.mayChangeWithKeys else { return false }
        let limit = end - ContinuousClock.now
        do {
            switch failure {
            case .keyNotFound, .keysUnavailable: return try await awaitMissingKey(timeout: limit)
            case .signatureInvalid: return try await awaitReplacedKey(timeout: limit)
            default: return try await awaitRefresh(timeout: limit)
            }
        } catch {
            if error is CancellationError { throw .cancelled }
            return false
        }
    }
}

/// Takes a step, and once more if it fails and new keys may change the outcome.
///
/// - Parameter hasNewKeys: Waits for new keys after an error, and returns whether there are any.
func retrying<Value>(
    _ step: () async throws(TokenError) -> Value,
    ifNewKeys hasNewKeys: (TokenError) async throws(TokenError) -> Bool
) async throws(TokenError) -> Value {
    do throws(TokenError) { return try await step() } catch {
        guard try await hasNewKeys(error) else { throw error }
    }
    return try await step()
}
