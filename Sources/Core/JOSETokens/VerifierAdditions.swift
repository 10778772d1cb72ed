internal import JOSE
internal import JOSESupport

/// The parts of a verifier beside the policy of one kind of token: a profile, several issuers, an observer.
final class VerifierAdditions: Sendable {
    /// The replay store of the profile, by the way in which it answers.
    private enum Replay {
        case none
        case immediate(any SynchronousReplayStore)
        case awaited(any ReplayStore)
    }
    let profile: (any TokenProfile)?
    let issuers: IssuerTable?
    private let reporter: VerificationReporter
    private let replay: Replay
    /// The clock and the leeway by which a mark in the replay store ends.
    private let claims: ClaimPolicy

    init(
        _ profile: (any TokenProfile)? = nil, issuers: IssuerTable? = nil, observer: (any VerificationObserver)?,
        claims: ClaimPolicy
    ) {
        self.profile = profile
        self.issuers = issuers
        self.claims = claims
        reporter = VerificationReporter(observer, issuer: issuers == nil ? claims.issuer.configured : nil)
        replay =
            switch profile?.replayStore {
            case nil: .none
            case let store as any SynchronousReplayStore: .immediate(store)
            case .some(let store): .awaited(store)
            }
    }

    /// Whether the replay store answers asynchronously.
    var awaitsMarks: Bool { if case .awaited = replay { true } else { false } }

    @inline(never)  // The path of a verifier without additions stays short.
    func verify(_ token: Span<UInt8>, by verifier: TokenVerifier) throws(TokenError) -> VerifiedToken {
        var process = TokenProcess()
        let begun = begin()
        do throws(TokenError) {
            let verified = try verifier.verifyLayersAndClaims(token, &process)
            try verifier.accept(verified, process.origin)
            report(nil, verified.algorithm, process.origin, begun)
            return verified
        } catch {
            report(error, nil, process.origin, begun)
            throw error
        }
    }

    /// Makes the profile's checks, and marks the token as used. A store that answers asynchronously is not asked.
    func accept(_ token: VerifiedToken) throws(TokenError) {
        guard let profile else { return }
        if case .awaited = replay { throw .awaitRequired }
        try profile.check(token)
        guard case .immediate(let store) = replay else { return }
        try store.use(try ReplayMark(token, leeway: claims.leewaySeconds), by: claims.clock)
    }

    /// Makes the profile's checks, and marks the token as used.
    func acceptAwaiting(_ token: VerifiedToken) async throws(TokenError) {
        guard let profile, case .awaited(let store) = replay else { return try accept(token) }
        try profile.check(token)
        try await store.use(try ReplayMark(token, leeway: claims.leewaySeconds), by: claims.clock)
    }

    /// Returns the time at which a verification begins, if the observer wants to know how long it takes.
    func begin() -> ContinuousClock.Instant? { reporter.begin() }

    /// Tells the observer of the outcome.
    func report(
        _ result: Result<VerifiedToken, TokenError>, _ origin: TokenOrigin, _ begun: ContinuousClock.Instant?,
        batchCount: Int? = nil
    ) {
        switch result {
        case .success(let token): report(nil, token.algorithm, origin, begun, batchCount: batchCount)
        case .failure(let error): report(error, nil, origin, begun, batchCount: batchCount)
        }
    }

    /// Tells the observer of the error, or of the algorithm of an accepted token.
    func report(
        _ error: TokenError?, _ algorithm: SignatureAlgorithm?, _ origin: TokenOrigin,
        _ begun: ContinuousClock.Instant?, batchCount: Int? = nil
    ) {
        guard reporter.isObserved else { return }
        let named = issuers.flatMap { issuers in origin.issuer.map { issuers.rows[$0].issuer } }
        reporter.report(error, algorithm, origin, issuer: named, batchCount: batchCount, begun: begun)
    }
}

extension ReplayMark {
    /// Creates the mark of a token, which expires when the token does.
    init(_ token: VerifiedToken, leeway: Double) throws(TokenError) {
        guard let tokenID = token.claims.tokenID else { throw .claim(.missing("jti")) }
        guard let expiration = token.claims.expiration else { throw .claim(.missing("exp")) }
        let end = NumericDate(secondsSince1970: expiration.secondsSince1970 + leeway)
        self.init(issuer: token.claims.issuer ?? "", tokenID: tokenID, expiration: end)
    }
}
