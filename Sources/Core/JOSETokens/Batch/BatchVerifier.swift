public import JOSE
internal import JOSEBytes

/// Verifies many tokens at once, several times as fast as one at a time, with the same policies and the same results, in the
/// order of the tokens.
///
/// Each token is parsed, and decrypted if it is encrypted; then the signatures of all tokens are verified together,
/// grouped by algorithm and key size, even if their keys differ; then the claims are checked. Signatures that cannot be
/// verified together, because of the algorithm or the processor, are verified one at a time. Tokens are not looked up
/// in a cache and do not wait for a decryption limiter. A verifier is created once, is immutable and can be shared
/// between tasks.
public struct BatchVerifier: Sendable {
    let evaluator: BatchEvaluator
    let workers: Int

    /// The number of tokens that a thread verifies before other work gets its turn.
    static let chunk = 128

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote
    ///     JWKS.
    ///   - decryptionKeys: The keys that decrypt: a `KeySet`, or a source that changes.
    ///   - trust: The trusted root certificates for tokens that have `x5c`; nil to ignore `x5c`.
    /// - Throws: `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.init(
            try TokenVerifier(
                policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys, trust: trust))
    }

    /// Creates a verifier with the policy and the keys of a `TokenVerifier`.
    ///
    /// - Parameters:
    ///   - verifier: The verifier from which the policy and the keys are taken.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init(_ verifier: TokenVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// Creates a verifier with the policies and the keys of a `MultiIssuerVerifier`. Signatures of different issuers
    /// are verified together too.
    ///
    /// - Parameters:
    ///   - verifier: The verifier from which the policy and the keys are taken.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init(_ verifier: MultiIssuerVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// Creates a verifier with the profile and the keys of a `ProfileVerifier`. The profile's replay store is called in
    /// the order of the tokens: if a token occurs twice, the second is rejected.
    ///
    /// - Parameters:
    ///   - verifier: The verifier from which the policy and the keys are taken.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init<Profile: TokenProfile>(_ verifier: ProfileVerifier<Profile>, workers: Int? = nil) {
        self.init(BatchEvaluator(verifier.verifier, verifier.profile), workers)
    }

    private init(_ evaluator: BatchEvaluator, _ workers: Int?) {
        self.evaluator = evaluator
        self.workers = max(1, min(workers ?? WorkerThreads.shared.count, WorkerThreads.shared.count))
    }

    /// Verifies the tokens, given as bytes, on the current thread, which is blocked meanwhile.
    ///
    /// - Parameter tokens: The compact serializations, in ASCII.
    /// - Returns: The result of each token, in the order of the tokens.
    public func verifySynchronously(_ tokens: [[UInt8]]) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(evaluator, count: tokens.count)
        for token in tokens { run.add(token.span) }
        return admitted(run.end())
    }

    /// Verifies the tokens on the current thread, which is blocked meanwhile.
    ///
    /// - Parameter tokens: The compact serializations.
    /// - Returns: The result of each token, in the order of the tokens.
    public func verifySynchronously(_ tokens: [String]) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(evaluator, count: tokens.count)
        for token in tokens { run.add(token.utf8.span) }
        return admitted(run.end())
    }

    /// Verifies the tokens in the given ranges of one span on the current thread.
    package func verifySynchronously(
        _ bytes: Span<UInt8>, _ ranges: [Range<Int>]
    ) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(evaluator, count: ranges.count)
        for range in ranges { run.add(bytes.extracting(range)) }
        return admitted(run.end())
    }

    private func admitted(_ result: consuming BatchResult) -> [Result<VerifiedToken, TokenError>] {
        evaluator.admit(&result)
        return result.tokens
    }
}

extension BatchVerifier {
    /// Verifies the tokens, given as bytes, on the worker threads.
    ///
    /// - Parameter tokens: The compact serializations, in ASCII.
    /// - Returns: The result of each token, in the order of the tokens.
    /// - Throws: `CancellationError` if the task is cancelled. Tokens whose verification has begun are completed first.
    public func verify(_ tokens: [[UInt8]]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        if tokens.isEmpty { return [] }
        return try await ArrayBatch(evaluator, tokens, workers: workers).run()
    }

    /// Verifies the tokens on the worker threads.
    ///
    /// - Parameter tokens: The compact serializations.
    /// - Returns: The result of each token, in the order of the tokens.
    /// - Throws: `CancellationError` if the task is cancelled. Tokens whose verification has begun are completed first.
    public func verify(_ tokens: [String]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        try await verify(tokens.map { Array($0.utf8) })
    }

    /// Verifies the tokens of a sequence of any length in bounded memory. The sequence is read at the pace at which the
    /// results are read.
    ///
    /// - Parameter tokens: The compact serializations, in ASCII.
    /// - Returns: The results, in the order of the tokens.
    public func results<Tokens: AsyncSequence & Sendable>(of tokens: Tokens) -> BatchResults<Tokens>
    where Tokens.Element == [UInt8] {
        BatchResults(evaluator: evaluator, workers: workers, tokens: tokens)
    }
}
