internal import JOSE
internal import JOSEBytes

/// Verifies tokens of concurrent requests as `TokenVerifier` does, and the signatures of those that come at the same time
/// together: for a server. Made once, shared by all requests.
///
/// A request that finds nobody else is served at once, on its own thread. Under load a token waits until eight have come, until
/// the signatures before it are done, or for the window, whichever is first. Reading, decryption and claims are each request's
/// own, and so is a signature for which lanes have nothing to offer.
public final class CoalescingVerifier: Sendable {
    private let judge: BatchJudge
    private let gate: SignatureGate

    /// `window`: how long a token waits for others at most; more than a millisecond is taken as one. Longer ones gain nothing
    /// once eight come in less.
    public init(_ verifier: TokenVerifier, window: Duration = .microseconds(50)) {
        judge = BatchJudge(verifier)
        gate = SignatureGate(window: window)
    }

    /// The same of several issuers; their tokens are verified together too.
    public init(_ verifier: MultiIssuerVerifier, window: Duration = .microseconds(50)) {
        judge = BatchJudge(verifier)
        gate = SignatureGate(window: window)
    }

    /// The claims, once every layer and every claim held; else the first thing that did not. Also in a task that was cancelled:
    /// it takes microseconds.
    public func verify(_ token: [UInt8]) async throws(TokenError) -> VerifiedToken {
        var row = 0
        let opened: VerifiedToken
        switch try read(token, &row) {
        case .opened(let token): opened = token
        case .pending(let jws, let outer):
            var (settled, holds) = await gate.settle(jws)
            opened = try VerifiedToken(&settled, holds: holds, within: outer)
        }
        try judge.check(opened, row: row)
        if judge.admits { try judge.admit(opened, row: row) }
        return opened
    }

    /// The same of a text.
    public func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        try await verify(Array(token.utf8))
    }

    private func read(_ token: [UInt8], _ row: inout Int) throws(TokenError) -> ReadToken {
        var recent = RecentHeaders(keeps: false)
        let bytes = token.span
        return try judge.read(bytes, &recent, row: &row)
    }
}
