public import JOSE
internal import JOSESupport

/// Verifies the tokens of concurrent requests in a server as `TokenVerifier` does, but verifies the signatures of
/// tokens that arrive at the same time together, which is faster.
///
/// A token waits for others only while that is faster. The verifier measures both ways now and then, for 256 calls
/// each, and uses the better one for the next thousand calls or more. With few concurrent requests, with an algorithm
/// that gains nothing or on a CPU without AVX-512 IFMA, a call costs at most 3 % more than `TokenVerifier.verify(_:)`
/// (`bench --coalesce`).
///
/// Where waiting gains and no processor core is idle, a token waits until eight tokens have arrived, until an earlier
/// verification has left a core idle, or until the window has passed, whichever is first. Then the task of the first of
/// them verifies the signatures of all, as soon as it is given a thread: calls of very different priority need
/// verifiers of their own. Each token is parsed and decrypted, and its claims are checked, by itself. A token in the
/// cache is not verified again.
///
/// If `EncryptionPolicy.privateKeyOperations` is `vectorized`, the content encryption keys of tokens that are encrypted
/// with RSA-OAEP are decrypted together as well, by the same rules: in groups of four, measured for 128 calls each, and
/// with a window of at most 100 microseconds. Tokens that wait for a `DecryptionLimiter` form their groups in its
/// queue.
///
/// A verifier is created once and shared by all requests.
public final class CoalescingVerifier: Sendable {
    private let evaluator: BatchEvaluator
    private let verifier: TokenVerifier
    /// Verifies one token by itself. What a closure has captured is not copied for each token, as a property would be.
    private let verifyAlone: @Sendable (Span<UInt8>) throws(TokenError) -> VerifiedToken
    private let coalescer: RequestCoalescer<SignatureJob, SignatureJob>
    /// The content encryption keys to decrypt, by the lengths of the RSA keys, since only keys of one length are used
    /// together.
    private let decryptions: [Int: RequestCoalescer<UnwrappingJob, UnwrappingOutcome>]

    /// Creates a verifier that verifies as another one does.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of single tokens, with everything that it was created with.
    ///   - window: The longest time that a token waits for others before the verification begins, at most one
    ///     millisecond; nil for 50 microseconds, and 100 for tokens that are decrypted together. A longer window gains
    ///     nothing if eight tokens arrive within a shorter time.
    ///   - processors: The number of processor cores that the process may use; nil for those of its affinity. In a
    ///     container whose quota allows fewer cores, give that number: tokens wait only while all of them are busy.
    public convenience init(_ verifier: TokenVerifier, window: Duration? = nil, processors: Int? = nil) {
        self.init(verifier, window, processors, isMeasured: true)
    }

    /// Creates a verifier with another clock, which may stand still, or one whose tokens wait whenever no core is idle.
    convenience init(
        _ verifier: TokenVerifier, isMeasured: Bool, processors: Int? = nil, clock: (any CoalescingClock)? = nil
    ) {
        self.init(verifier, nil, processors, isMeasured: isMeasured, clock)
    }

    private init(
        _ verifier: TokenVerifier, _ window: Duration?, _ processors: Int?, isMeasured: Bool,
        _ clock: (any CoalescingClock)? = nil
    ) {
        let evaluator = BatchEvaluator(verifier)
        let processors = processors ?? DetachedThread.processors
        self.evaluator = evaluator
        self.verifier = verifier
        verifyAlone = { (token) throws(TokenError) in try verifier.verify(token) }
        coalescer = RequestCoalescer(
            window: window ?? .microseconds(50), processors: processors, isMeasured: isMeasured, clock: clock
        ) { SignatureGathering.verify($0) }
        let lengths = evaluator.vectorizes ? [256, 384, 512] : []
        decryptions = Dictionary(
            uniqueKeysWithValues: lengths.map { bytes in
                (
                    bytes,
                    RequestCoalescer(
                        window: min(window ?? .microseconds(100), .microseconds(100)), processors: processors,
                        fullGroup: BatchSizes.privateOperations, maximumLimit: 16_384, isMeasured: isMeasured,
                        clock: clock
                    ) { KeyUnwrapping.run($0) }
                )
            })
    }

    /// Verifies the token and returns its claims. It waits for other tokens alone, for microseconds, which cancelling
    /// the task does not interrupt.
    ///
    /// - Parameter token: The compact serialization, as text or as ASCII bytes.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed; `awaitRequired` if the verifier has external keys or an
    ///   asynchronous replay store.
    public func verify(_ token: some ByteSource) async throws(TokenError) -> VerifiedToken {
        if goesAlone() { return try token.withBytes(verifyAlone) }
        return try await verifiedWithOthers(token.array)
    }

    /// Returns whether nothing of this call is done together with other calls.
    private func goesAlone() -> Bool {
        guard evaluator.gathers || evaluator.vectorizes else { return true }
        // Where content encryption keys are decrypted together, the length of the key decides, which is not known yet.
        return !evaluator.vectorizes && coalescer.goesAlone()
    }

    @inline(never) private func verifiedWithOthers(_ token: [UInt8]) async throws(TokenError) -> VerifiedToken {
        try await verifier.complete(token, awaitsStore: false) { process throws(TokenError) in
            try await verify(token, &process)
        }
    }

    /// Verifies the token and waits as `TokenVerifier.verify(_:timeout:client:)` does.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - limit: The longest time to wait, for the key, the limiter and external keys together.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed; `cancelled` if the task was cancelled while it waited.
    public func verify(
        _ token: some ByteSource, timeout limit: Duration, client: String? = nil
    ) async throws(TokenError) -> VerifiedToken {
        try await verify(token.array, TokenWait(until: ContinuousClock.now + limit, client: client))
    }

    /// Verifies the token, and waits for what `wait` says.
    package func verify(_ token: [UInt8], _ wait: TokenWait) async throws(TokenError) -> VerifiedToken {
        // Tokens that find no free slot wait for one together, and not for each other before.
        let isLimited = verifier.policy.limiter.map { $0.running == $0.maxConcurrent } ?? false
        if isLimited || goesAlone() { return try await verifier.verify(token, wait) }
        return try await verifier.complete(token) { process throws(TokenError) in
            do throws(TokenError) { return try await verify(token, &process) } catch {
                return try await verifier.verify(token, &process, after: error, wait)
            }
        }
    }

    /// The driver of one token among others: it takes the steps of a batch, in which its jobs are done together with
    /// those of other calls.
    private func verify(_ token: [UInt8], _ process: inout TokenProcess) async throws(TokenError) -> VerifiedToken {
        // Decryption happens before the signature is gathered, so that other tokens do not wait for it.
        if !evaluator.decrypts, coalescer.enter() {
            defer { coalescer.leave() }
            return try verifier.verifyLayersAndClaims(token.span, &process)
        }
        if let verified = try verifier.begin(token, &process) { return verified }
        if let job = process.decryption {
            var outcome = UnwrappingOutcome.notCovered
            var busy: RequestCoalescer<UnwrappingJob, UnwrappingOutcome>?
            if let unwrapping = job.unwrapping, let others = decryptions[unwrapping.modulusBytes], !others.goesAlone() {
                if others.enter() { busy = others } else { outcome = await others.finish(unwrapping) }
            }
            defer { busy?.leave() }
            if let verified = try verifier.resume(job, outcome, &process) { return verified }
        }
        guard var signature = process.signature.take() else { throw .jose(.backend, layer: .signature) }
        signature = await verifySignature(signature)
        return try verifier.finish(&signature, &process)
    }

    private func verifySignature(_ job: SignatureJob) async -> SignatureJob {
        // This signature takes as long alone as with others.
        guard job.gains else {
            coalescer.recordAlone()
            return SignatureGathering.verify([job])[0]
        }
        if evaluator.vectorizes, coalescer.goesAlone() { return SignatureGathering.verify([job])[0] }
        guard evaluator.decrypts, coalescer.enter() else { return await coalescer.finish(job) }
        defer { coalescer.leave() }
        return SignatureGathering.verify([job])[0]
    }
}
