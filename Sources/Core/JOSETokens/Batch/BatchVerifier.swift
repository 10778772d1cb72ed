public import JOSE
internal import JOSESupport

/// Verifies many tokens at once, several times as fast as one at a time, with the results that the `TokenVerifier`
/// gives one by one, in the order of the tokens.
///
/// Each token is parsed, and decrypted if it is encrypted (the content encryption keys of four tokens at a time, if
/// `EncryptionPolicy.privateKeyOperations` is `vectorized`); then the signatures of all tokens are verified together,
/// grouped by algorithm and key size, even if their keys and issuers differ; then the claims are checked. Signatures
/// that cannot be verified together, because of the algorithm or the processor, are verified one at a time. Tokens in
/// the cache are not verified again. A profile's replay store is called in the order of the tokens: if a token occurs
/// twice, the second is rejected. A verifier is created once, is immutable and can be shared between tasks.
public struct BatchVerifier: Sendable {
    let evaluator: BatchEvaluator
    let workers: Int

    /// Creates a verifier that verifies as another one does.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of single tokens, with everything that it was created with.
    ///   - workers: The maximum number of threads for the asynchronous methods, from 1 to the number of processor
    ///     cores, to which other values are limited; nil for one per core. In a container whose quota allows fewer
    ///     cores, give that number.
    public init(_ verifier: TokenVerifier, workers: Int? = nil) {
        evaluator = BatchEvaluator(verifier)
        self.workers = max(1, min(workers ?? WorkerThreads.shared.count, WorkerThreads.shared.count))
    }

    /// Verifies the tokens on the current thread, which is busy meanwhile. It waits for nothing, as
    /// `TokenVerifier.verify(_:)` does.
    ///
    /// - Parameter tokens: The compact serializations, as text or as ASCII bytes.
    /// - Returns: The result of each token, in the order of the tokens.
    public func verifySynchronously(_ tokens: [some ByteSource]) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(evaluator, count: tokens.count)
        for token in tokens { token.withBytes { run.add($0) } }
        return accepted(run.end())
    }

    /// Verifies the tokens in the given ranges of one span on the current thread.
    package func verifySynchronously(
        _ bytes: Span<UInt8>, _ ranges: [Range<Int>]
    ) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(evaluator, count: ranges.count)
        for range in ranges { run.add(bytes.extracting(range)) }
        return accepted(run.end())
    }

    private func accepted(_ result: consuming BatchResult) -> [Result<VerifiedToken, TokenError>] {
        evaluator.accept(&result)
        return result.tokens
    }
}

extension BatchVerifier {
    /// Verifies the tokens on the worker threads.
    ///
    /// - Parameters:
    ///   - tokens: The compact serializations, as text or as ASCII bytes.
    ///   - limit: The longest time that the tokens together wait for keys to be fetched, for the decryption limiter and
    ///     for external keys. With nil they wait for external keys alone, without a limit. Asynchronous replay stores
    ///     are awaited in any case.
    /// - Returns: The result of each token, in the order of the tokens.
    /// - Throws: `CancellationError` if the task is cancelled before the first token is marked as used in a replay
    ///   store. Tokens whose verification has begun are completed first.
    public func verify(
        _ tokens: [some ByteSource], timeout limit: Duration? = nil
    ) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        try await verify(tokens as? [[UInt8]] ?? tokens.map(\.array), timeout: limit)
    }

    private func verify(
        _ tokens: [[UInt8]], timeout limit: Duration?
    ) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        if tokens.isEmpty { return [] }
        let array = ParallelArray(
            count: tokens.count, workers: workers, width: BatchSizes.signatures
        ) { [evaluator] range in
            var run = BatchRun(evaluator, count: range.count)
            for token in tokens[range] { run.add(token.span) }
            return run.end()
        }
        var parts = try await array.run()
        // All parts wait before the first token is marked as used: a batch that is cancelled has then marked none.
        let wait = TokenWait(until: limit.map { ContinuousClock.now + $0 })
        for index in parts.indices {
            let first = index * array.step
            try await evaluator.awaitOutcomes(
                &parts[index], tokens[first..<min(first + array.step, tokens.count)], wait)
        }
        try await evaluator.acceptAwaiting(&parts)
        if parts.count == 1 { return parts[0].tokens }
        var results: [Result<VerifiedToken, TokenError>] = []
        results.reserveCapacity(tokens.count)
        for part in parts { results += part.tokens }
        return results
    }

    /// Verifies the tokens of a sequence of any length in bounded memory. The sequence is read at the pace at which the
    /// results are read.
    ///
    /// - Parameters:
    ///   - tokens: The compact serializations, as text, such as the lines of a file, or as ASCII bytes.
    ///   - limit: The longest time that the tokens which are verified at once wait for keys to be fetched, for the
    ///     decryption limiter and for external keys. With nil they wait for external keys alone, without a limit.
    ///     Asynchronous replay stores are awaited in any case.
    /// - Returns: The results, in the order of the tokens.
    public func results<Tokens: AsyncSequence & Sendable>(
        of tokens: Tokens, timeout limit: Duration? = nil
    ) -> some AsyncSequence<Result<VerifiedToken, TokenError>, any Error> & Sendable
    where Tokens.Element: ByteSource {
        BatchResults(VerifyingWork(evaluator: evaluator, timeout: limit), workers: workers, tokens) { $0.array }
    }
}
