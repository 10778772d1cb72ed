internal import JOSE
internal import JOSEBytes

/// The facts that become known while a token is verified.
struct TokenFacts: Sendable {
    /// The index of the issuer, as soon as it is known; nil where the verifier has no list of issuers.
    var row: Int?
    /// Whether the cache had the outcome of the layers.
    var isFromCache = false
}

/// The steps between reading a token and accepting it, of which every way to verify a token consists.
extension TokenVerifier {
    /// Verifies the layers and checks the claims under this policy, without the profile's checks. `held` is the limiter
    /// in which the caller already has a slot.
    func opened(_ token: Span<UInt8>, within held: DecryptionLimiter?) throws(TokenError) -> VerifiedToken {
        if caching != nil, let visit = visit(token) { return try opened(token, past: visit, within: held) }
        let opened = try layers.open(token, within: held)
        try check(opened)
        return opened
    }

    /// Verifies the layers and checks the claims under the policy of the token's issuer.
    func opened(
        _ token: Span<UInt8>, _ facts: inout TokenFacts, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        if let issuers = additions?.issuers { return try issuers.opened(token, &facts, within: held) }
        return try openedHere(token, &facts, within: held)
    }

    /// Verifies the layers and checks the claims under this policy, if that needs no external key.
    func openedHere(
        _ token: Span<UInt8>, _ facts: inout TokenFacts, within held: DecryptionLimiter?
    ) throws(TokenError) -> VerifiedToken {
        let visit = visit(token)
        if let visit, let known = try cached(token, visit, &facts) { return known }
        guard additions?.external == nil else { throw .awaitRequired }
        if let visit { return try open(token, toKeep: visit, within: held) }
        let opened = try layers.open(token, within: held)
        try check(opened)
        return opened
    }

    /// Checks the claims of a token whose layers were verified.
    @inline(__always)
    func check(_ opened: borrowing VerifiedToken) throws(TokenError) {
        if checker.template != nil { try checker.check(opened.key, of: opened.claims) }
        try checker.check(opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
    }

    /// Returns what the policy of the token's issuer has beside the policy.
    func additions(_ facts: TokenFacts) -> VerifierAdditions? {
        guard let issuers = additions?.issuers else { return additions }
        return facts.row.flatMap { issuers.rows[$0].verifier.additions }
    }

    /// Makes the profile's checks of a token whose claims were checked, and marks it as used.
    func admit(_ token: VerifiedToken, _ facts: TokenFacts) throws(TokenError) {
        try additions(facts)?.admit(token)
    }

    /// Makes the profile's checks, and awaits the replay store if it answers asynchronously.
    func admitAwaiting(_ token: VerifiedToken, _ facts: TokenFacts) async throws(TokenError) {
        try await additions(facts)?.admitAwaiting(token)
    }

    /// Verifies a token that was already decrypted with the same keys. The outer header is checked against this policy as well.
    func opened(
        _ plaintext: Span<UInt8>, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> VerifiedToken {
        let header = try layers.admit(token, plaintextCount: plaintext.count)
        let opened = try layers.opened(plaintext, within: header)
        try check(opened)
        return opened
    }
}
