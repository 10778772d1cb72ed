public import JOSE
internal import JOSEBytes

/// Verifies many tokens at once, several times as fast as one at a time, with the same policies and the same results, in the
/// order of the tokens.
///
/// Each token is read by itself, and decrypted if it is encrypted; then the signatures of all tokens are verified together,
/// grouped by algorithm and key size, even if their keys differ; then the claims are checked. Signatures that cannot be verified
/// together, because of the algorithm or the processor, are verified as `TokenVerifier` does. Tokens are not looked up in a cache
/// and do not wait for a decryption limiter. A verifier is created once, is immutable and can be shared between tasks.
public struct BatchVerifier: Sendable {
    let evaluator: BatchEvaluator
    let workers: Int

    /// The number of tokens that a thread verifies before other work gets its turn.
    static let chunk = 128

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens.
    ///   - verificationKeys: The keys that verify signatures, as for `TokenVerifier`.
    ///   - decryptionKeys: The keys that decrypt, as for `TokenVerifier`.
    ///   - trust: The trusted roots for tokens with `x5c`, as for `TokenVerifier`.
    /// - Throws: `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.init(
            try TokenVerifier(
                policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys, trust: trust))
    }

    /// Creates a verifier with the policy and the keys of another.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of single tokens.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init(_ verifier: TokenVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// Creates a verifier with the policies and the keys of a verifier of several issuers. Signatures of different issuers are
    /// verified together too.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of single tokens.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init(_ verifier: MultiIssuerVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// Creates a verifier with the profile and the keys of another. Its replay store is called token by token in their order: of
    /// two equal tokens, the second is rejected.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of single tokens.
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
    /// - Throws: `CancellationError` in a cancelled task, once the tokens that threads are verifying are done.
    public func verify(_ tokens: [[UInt8]]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        if tokens.isEmpty { return [] }
        return try await ArrayBatch(evaluator, tokens, workers: workers).run()
    }

    /// Verifies the tokens on the worker threads.
    ///
    /// - Parameter tokens: The compact serializations.
    /// - Returns: The result of each token, in the order of the tokens.
    /// - Throws: `CancellationError` in a cancelled task, once the tokens that threads are verifying are done.
    public func verify(_ tokens: [String]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        try await verify(tokens.map { Array($0.utf8) })
    }

    /// Verifies the tokens of a sequence of any length in bounded memory. The sequence is read as the results are.
    ///
    /// - Parameter tokens: The compact serializations, in ASCII.
    /// - Returns: The results, in the order of the tokens.
    public func results<Tokens: AsyncSequence & Sendable>(of tokens: Tokens) -> BatchResults<Tokens>
    where Tokens.Element == [UInt8] {
        BatchResults(evaluator: evaluator, workers: workers, tokens: tokens)
    }
}
