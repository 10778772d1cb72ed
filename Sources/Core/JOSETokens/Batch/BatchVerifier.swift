public import JOSE
internal import JOSEBytes

/// Verifies many tokens at once, several times as fast as one by one: the same policies, the same answers, in the order of the
/// tokens.
///
/// Each token is read by itself, and decrypted if it is encrypted; then the signatures of all are verified together, by size and
/// algorithm, whosever they are; then the claims. What cannot be verified together, for its algorithm or for the machine, is
/// verified as `TokenVerifier` does it. A token is never looked for in a cache, and never waits at a limiter. Made once, immutable,
/// shared freely.
public struct BatchVerifier: Sendable {
    let judge: BatchEvaluator
    let workers: Int

    /// Tokens that one thread works on between two looks at the others.
    static let chunk = 128

    /// As `TokenVerifier` takes it all. Throws `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.init(
            try TokenVerifier(
                policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys, trust: trust))
    }

    /// With the policy and the keys of one that verifies one by one. `workers`: on how many threads at most, for the calls that
    /// are awaited; nil: one for each core.
    public init(_ verifier: TokenVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// The same of several issuers; their tokens are verified together too.
    public init(_ verifier: MultiIssuerVerifier, workers: Int? = nil) { self.init(BatchEvaluator(verifier), workers) }

    /// The same of a profile. Its replay store is asked token by token in their order: of two that are the same, the second is
    /// refused.
    public init<Profile: TokenProfile>(_ verifier: ProfileVerifier<Profile>, workers: Int? = nil) {
        self.init(BatchEvaluator(verifier.verifier, verifier.profile), workers)
    }

    private init(_ judge: BatchEvaluator, _ workers: Int?) {
        self.judge = judge
        self.workers = max(1, min(workers ?? WorkerThreads.shared.count, WorkerThreads.shared.count))
    }

    /// On this thread alone, which is busy until all are done.
    public func verifySynchronously(_ tokens: [[UInt8]]) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(judge, count: tokens.count)
        for token in tokens { run.add(token.span) }
        return admitted(run.end())
    }

    /// The same of texts.
    public func verifySynchronously(_ tokens: [String]) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(judge, count: tokens.count)
        for token in tokens { run.add(token.utf8.span) }
        return admitted(run.end())
    }

    /// The same of tokens that stand in one piece of memory.
    package func verifySynchronously(
        _ bytes: Span<UInt8>, _ ranges: [Range<Int>]
    ) -> [Result<VerifiedToken, TokenError>] {
        var run = BatchRun(judge, count: ranges.count)
        for range in ranges { run.add(bytes.extracting(range)) }
        return admitted(run.end())
    }

    private func admitted(_ result: consuming BatchResult) -> [Result<VerifiedToken, TokenError>] {
        judge.admit(&result)
        return result.tokens
    }
}

extension BatchVerifier {
    /// On the worker threads: the caller's is free meanwhile. A task that is cancelled gets `CancellationError`, once the tokens
    /// that threads are busy with are done.
    public func verify(_ tokens: [[UInt8]]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        if tokens.isEmpty { return [] }
        return try await ArrayBatch(judge, tokens, workers: workers).run()
    }

    /// The same of texts.
    public func verify(_ tokens: [String]) async throws(CancellationError) -> [Result<VerifiedToken, TokenError>] {
        try await verify(tokens.map { Array($0.utf8) })
    }

    /// Of a sequence of any length, in bounded memory: read as the results are.
    public func results<Tokens: AsyncSequence & Sendable>(of tokens: Tokens) -> BatchResults<Tokens>
    where Tokens.Element == [UInt8] {
        BatchResults(judge: judge, workers: workers, tokens: tokens)
    }
}
