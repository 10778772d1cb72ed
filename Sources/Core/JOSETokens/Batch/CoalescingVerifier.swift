internal import JOSE
internal import JOSEBytes

/// Verifies tokens of concurrent requests as `TokenVerifier` does, and the signatures of those that come at the same time
/// together: for a server. It looks into no cache. Made once, shared by all requests.
///
/// A request that finds a processor idle is served at once, on its own thread, as `TokenVerifier` would. Under load a token waits
/// until eight have come, until the signatures before it are done, or for the window, whichever is first; and it does so only where
/// enough others came of late. Reading, decryption and claims are each request's own, and so is a signature for which lanes have
/// nothing to offer.
public final class CoalescingVerifier: Sendable {
    /// Whether a signature holds, and the token that it is of.
    private struct Settled: Sendable {
        var jws: PendingJWS
        var holds = false
    }
    private let judge: BatchEvaluator
    private let coalescer: SignatureCoalescer<PendingJWS, Settled>

    /// `window`: how long a token waits for others at most; more than a millisecond is taken as one. Longer ones gain nothing
    /// once eight come in less.
    public convenience init(_ verifier: TokenVerifier, window: Duration = .microseconds(50)) {
        self.init(BatchEvaluator(verifier), window)
    }

    /// The same of several issuers; their tokens are verified together too.
    public convenience init(_ verifier: MultiIssuerVerifier, window: Duration = .microseconds(50)) {
        self.init(BatchEvaluator(verifier), window)
    }

    /// With another clock, which may stand still.
    convenience init(_ verifier: TokenVerifier, clock: any CoalescingClock) {
        self.init(BatchEvaluator(verifier), .microseconds(50), clock)
    }

    private init(_ judge: BatchEvaluator, _ window: Duration, _ clock: (any CoalescingClock)? = nil) {
        self.judge = judge
        coalescer = SignatureCoalescer(window: window, clock: clock) { Self.settled($0) }
    }

    /// The claims, once every layer and every claim held; else the first thing that did not. Also in a task that was cancelled:
    /// it takes microseconds.
    public func verify(_ token: [UInt8]) async throws(TokenError) -> VerifiedToken {
        guard judge.gathers || judge.hidesIssuers else { return try judge.verify(token) }
        // What is decrypted first holds nobody up: others would wait for that too.
        if !judge.decrypts, coalescer.enter() {
            defer { coalescer.leave() }
            return try judge.verify(token)
        }
        var row = 0
        let opened: VerifiedToken
        switch try read(token, &row) {
        case .opened(let token): opened = token
        case .pending(let jws, let outer):
            var settled = await settle(jws)
            opened = try VerifiedToken(&settled.jws, holds: settled.holds, within: outer)
        }
        try judge.check(opened, row: row)
        if judge.admits { try judge.admit(opened, row: row) }
        return opened
    }

    /// The same of a text.
    public func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        try await verify(Array(token.utf8))
    }

    private func settle(_ jws: PendingJWS) async -> Settled {
        // Alone it takes as long as with others.
        guard jws.gains else {
            coalescer.pass()
            return Self.settled(jws)
        }
        guard judge.decrypts, coalescer.enter() else { return await coalescer.settle(jws) }
        defer { coalescer.leave() }
        return Self.settled(jws)
    }

    private static func settled(_ jws: PendingJWS) -> Settled {
        settled([jws]).first ?? Settled(jws: jws)
    }

    private static func settled(_ pending: [PendingJWS]) -> [Settled] {
        var gathering = SignatureGathering()
        for jws in pending { gathering.add(jws) }
        gathering.finish()
        var all = pending.map { Settled(jws: $0) }
        while let settled = gathering.next() {
            all[settled.ticket] = Settled(jws: gathering.take(settled.ticket), holds: settled.holds)
        }
        return all
    }

    private func read(_ token: [UInt8], _ row: inout Int) throws(TokenError) -> ReadToken {
        var recent = RecentHeaders(keeps: false)
        let bytes = token.span
        var scratch = SecretBytes(capacity: 0)
        return try judge.read(bytes, &recent, &scratch, row: &row)
    }
}
