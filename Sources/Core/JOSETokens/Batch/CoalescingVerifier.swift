internal import JOSE
internal import JOSEBytes

/// Verifies the tokens of concurrent requests in a server as `TokenVerifier` does, but verifies the signatures of
/// tokens that arrive at the same time together, which is faster.
///
/// If a processor core is idle, a token is verified at once, on the calling thread. Under load a token waits until
/// eight tokens have arrived, until the signatures before it are verified, or until the window has passed, whichever is
/// first; and it waits only if enough other tokens arrived recently. Only signatures are verified together: each token
/// is parsed and decrypted, and its claims are checked, by itself. A signature that would gain nothing is also verified
/// by itself. No cache is used. A verifier is created once and shared by all requests.
public final class CoalescingVerifier: Sendable {
    /// A pending signature, and whether it is valid.
    private struct Finished: Sendable {
        var jws: PendingJWS
        var holds = false
    }
    private let evaluator: BatchEvaluator
    private let coalescer: SignatureCoalescer<PendingJWS, Finished>

    /// Creates a verifier with the policy and the keys of a `TokenVerifier`.
    ///
    /// - Parameters:
    ///   - verifier: The verifier from which the policy and the keys are taken.
    ///   - window: The longest time that a token waits for others, at most one millisecond. A longer window gains
    ///     nothing if eight tokens arrive within a shorter time.
    public convenience init(_ verifier: TokenVerifier, window: Duration = .microseconds(50)) {
        self.init(BatchEvaluator(verifier), window)
    }

    /// Creates a verifier with the policies and the keys of a `MultiIssuerVerifier`. Signatures of different issuers
    /// are verified together too.
    ///
    /// - Parameters:
    ///   - verifier: The verifier from which the policy and the keys are taken.
    ///   - window: The longest time that a token waits for others, at most one millisecond.
    public convenience init(_ verifier: MultiIssuerVerifier, window: Duration = .microseconds(50)) {
        self.init(BatchEvaluator(verifier), window)
    }

    /// Creates a verifier with another clock, which may stand still.
    convenience init(_ verifier: TokenVerifier, clock: any CoalescingClock) {
        self.init(BatchEvaluator(verifier), .microseconds(50), clock)
    }

    private init(_ evaluator: BatchEvaluator, _ window: Duration, _ clock: (any CoalescingClock)? = nil) {
        self.evaluator = evaluator
        coalescer = SignatureCoalescer(window: window, clock: clock) { Self.finished($0) }
    }

    /// Verifies the token, given as bytes, and returns its claims. Cancelling the task does not interrupt the call,
    /// which takes microseconds.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: [UInt8]) async throws(TokenError) -> VerifiedToken {
        guard evaluator.gathers || evaluator.hidesIssuers else { return try evaluator.verify(token) }
        // Decryption happens before the signature is gathered, so that other tokens do not wait for it.
        if !evaluator.decrypts, coalescer.enter() {
            defer { coalescer.leave() }
            return try evaluator.verify(token)
        }
        var row = 0
        let opened: VerifiedToken
        switch try read(token, &row) {
        case .opened(let token): opened = token
        case .pending(let jws, let outer):
            var finished = await finish(jws)
            opened = try VerifiedToken(&finished.jws, holds: finished.holds, within: outer)
        }
        try evaluator.check(opened, row: row)
        if evaluator.admits { try evaluator.admit(opened, row: row) }
        return opened
    }

    /// Verifies the token and returns its claims. Cancelling the task does not interrupt the call, which takes
    /// microseconds.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        try await verify(Array(token.utf8))
    }

    private func finish(_ jws: PendingJWS) async -> Finished {
        // This signature takes as long alone as with others.
        guard jws.gains else {
            coalescer.pass()
            return Self.finished(jws)
        }
        guard evaluator.decrypts, coalescer.enter() else { return await coalescer.finish(jws) }
        defer { coalescer.leave() }
        return Self.finished(jws)
    }

    private static func finished(_ jws: PendingJWS) -> Finished {
        finished([jws]).first ?? Finished(jws: jws)
    }

    private static func finished(_ pending: [PendingJWS]) -> [Finished] {
        var gathering = SignatureGathering()
        for jws in pending { gathering.add(jws) }
        gathering.finish()
        var all = pending.map { Finished(jws: $0) }
        while let finished = gathering.next() {
            all[finished.ticket] = Finished(jws: gathering.take(finished.ticket), holds: finished.holds)
        }
        return all
    }

    private func read(_ token: [UInt8], _ row: inout Int) throws(TokenError) -> ReadToken {
        let bytes = token.span
        var scratch = SecretBytes(capacity: 0)
        return try evaluator.read(bytes, &scratch, row: &row)
    }
}
