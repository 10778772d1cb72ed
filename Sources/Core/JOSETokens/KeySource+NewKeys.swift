package import JOSE
internal import JOSESupport

extension KeySource {
    /// Waits for new keys after a token was rejected, and returns whether it should be verified once more. This is the
    /// rule for new keys, whoever waits for them:
    ///
    /// - A missing key is awaited until the end of the refresh in progress, or of the next one if it may begin within
    ///   the time.
    /// - A signature that failed is awaited as a missing key is, by a bound of its own, because its key may have been
    ///   replaced.
    /// - After other errors that keys cause, and for a caller that awaits no next refresh, the refresh in progress is
    ///   awaited.
    /// - Other errors are final.
    ///
    /// An error of the source other than `CancellationError` counts as a refresh that changed nothing.
    ///
    /// - Parameters:
    ///   - error: The error with which the token was rejected, by a layer whose keys are from this source.
    ///   - end: The time until which the caller waits.
    ///   - awaitsNext: Whether a refresh is awaited that has not begun.
    /// - Throws: `cancelled` if the task was cancelled. The refresh continues.
    package func awaitNewKeys(
        after error: TokenError, until end: ContinuousClock.Instant, awaitsNext: Bool = true
    ) async throws(TokenError) -> Bool {
        guard case .jose(let failure, _) = error, failure.mayChangeWithKeys else { return false }
        let limit = end - ContinuousClock.now
        do {
            switch failure {
            case .keyNotFound where awaitsNext, .keysUnavailable where awaitsNext:
                return try await awaitMissingKey(timeout: limit)
            case .signatureInvalid where awaitsNext: return try await awaitReplacedKey(timeout: limit)
            default: return try await awaitRefresh(timeout: limit)
            }
        } catch {
            if error is CancellationError { throw .cancelled }
            return false
        }
    }

    /// Waits for new keys as ``awaitNewKeys(after:until:awaitsNext:)`` does, on the thread of the caller and for
    /// several tokens together, and returns for each whether it should be verified once more. `layer` has the keys of
    /// this source.
    package func blockForNewKeys(
        after errors: [TokenError], of layer: TokenLayer, timeout limit: Duration, awaitsNext: Bool = true
    ) -> [Bool] {
        let mayChange = errors.map { $0.mayChangeWithKeys(of: layer) }
        guard mayChange.contains(true) else { return mayChange }
        let end = ContinuousClock.now + limit
        return Blocking.run {
            var answers = mayChange
            for index in errors.indices where mayChange[index] {
                answers[index] =
                    (try? await awaitNewKeys(after: errors[index], until: end, awaitsNext: awaitsNext)) ?? false
            }
            return answers
        }
    }

    /// Returns the result of `body`, and calls it once more if new keys may change the outcome, for which the thread of
    /// the caller waits.
    package func withNewKeys<Value: ~Copyable>(
        of layer: TokenLayer, timeout limit: Duration, _ body: () throws(TokenError) -> Value
    ) throws(TokenError) -> Value {
        do throws(TokenError) { return try body() } catch {
            guard blockForNewKeys(after: [error], of: layer, timeout: limit)[0] else { throw error }
        }
        return try body()
    }
}

/// The layers whose keys a verification has awaited. The keys of each are awaited once, so that a nested token is
/// accepted whose two keys arrive late, and the number of attempts is bounded.
struct AwaitedLayers {
    private var layers: [TokenLayer] = []

    /// Returns whether the keys of the layer that has this error may be awaited: the first time, and not again.
    mutating func begin(after error: TokenError) -> Bool {
        guard case .jose(_, let layer) = error, !layers.contains(layer) else { return false }
        layers.append(layer)
        return true
    }
}

/// Takes a step, and again if it fails and new keys may change the outcome, for which the keys of each layer are awaited
/// once.
///
/// - Parameters:
///   - step: The step.
///   - hasNewKeys: Waits for new keys after an error, and returns whether there are any.
/// - Returns: The result of the step.
/// - Throws: The last error of the step, and the errors of `hasNewKeys`.
func retrying<Value>(
    _ step: () async throws(TokenError) -> Value,
    ifNewKeys hasNewKeys: (TokenError) async throws(TokenError) -> Bool
) async throws(TokenError) -> Value {
    var awaited = AwaitedLayers()
    while true {
        let failure: TokenError
        do throws(TokenError) { return try await step() } catch { failure = error }
        guard awaited.begin(after: failure), try await hasNewKeys(failure) else { throw failure }
    }
}
