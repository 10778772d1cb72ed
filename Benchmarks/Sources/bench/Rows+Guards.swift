internal import JOSE
internal import JOSETokens
internal import Synchronization

extension Fixtures {
    /// Returns rows of a cached token, and of tokens that are never repeated, compared with a verification without a cache.
    func cacheRows() throws -> [Row] {
        let signed = try [SignatureAlgorithm.rs256, .es256, .hs256].map { algorithm in
            let signed = try SignedCase(self, algorithm)
            let verifier = try TokenVerifier(
                signed.verifier.policies[0], verificationKeys: signed.fixture.verificationKeys, cache: TokenCache())
            return Row(
                "cache", "hit \(algorithm.name)", verifying(verifier, signed.token),
                raw: { Raw(verifying(signed.verifier, signed.token)) }, note: "raw: our own verification")
        }
        let nested = try nestedCases()[0]
        let knowing = try nested.verifier(TokenCache())
        let hit = Row(
            "cache", "hit \(nested.name)", verifying(knowing, nested.token),
            raw: { Raw(verifying(nested.verifier, nested.token)) }, note: "raw: our own verification")
        let rs256 = try SignedCase(self, .rs256)
        // The cache is too small for a token, so none is ever found.
        let forgetful = try TokenVerifier(
            rs256.verifier.policies[0], verificationKeys: rs256.fixture.verificationKeys, cache: TokenCache(bytes: 1))
        let miss = Row(
            "cache", "miss RS256", verifying(forgetful, rs256.token),
            raw: { Raw(verifying(rs256.verifier, rs256.token)) }, note: "raw: our own verification")
        return signed + [hit, miss]
    }

    /// Returns the row of a limiter below its limit.
    func gateRows() throws -> [Row] {
        let plain = try NestedCase(self, recipients()[0], .a256gcm, .rs256)
        let gated = try NestedCase(
            self, recipients()[0], .a256gcm, .rs256, limiter: DecryptionLimiter(maxConcurrent: 4, maxQueued: 16))
        return [
            Row(
                "limiter", "open \(gated.name)", verifying(gated.verifier, gated.token),
                raw: { Raw(verifying(plain.verifier, plain.token)) }, note: "raw: the same without a limiter")
        ]
    }

    /// Returns rows of a verifier without an observer, which must cost what it costs anyway, and with one that counts.
    func observerRows() throws -> [Row] {
        let signed = try SignedCase(self, .hs256)
        return try
            ([("no observer HS256", nil), ("observer HS256", CountingObserver())] as [(String, CountingObserver?)]).map
        { name, observer in
            let verifier = try TokenVerifier(
                signed.verifier.policies[0], verificationKeys: signed.fixture.verificationKeys, observer: observer)
            return Row(
                "observer", name, verifying(verifier, signed.token),
                raw: { Raw(verifying(signed.verifier, signed.token)) }, note: "raw: our own verification")
        }
    }
}

/// An observer with two counters, the least that one for metrics has.
private final class CountingObserver: VerificationObserver {
    private let accepted = Atomic(0)
    private let rejected = Atomic(0)

    func didVerify(_ verification: Verification) {
        if verification.isAccepted {
            accepted.add(1, ordering: .relaxed)
        } else {
            rejected.add(1, ordering: .relaxed)
        }
    }
}
