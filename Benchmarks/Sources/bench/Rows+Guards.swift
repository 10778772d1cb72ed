internal import JOSE
internal import JOSETokens

extension Fixtures {
    /// Returns rows of a cached token, and of tokens that are never repeated, compared with a verification without a cache.
    func cacheRows() throws -> [Row] {
        let signed = try [SignatureAlgorithm.rs256, .es256, .hs256].map { algorithm in
            let signed = try SignedCase(self, algorithm)
            let verifier = try TokenVerifier(
                signed.verifier.policy, verificationKeys: signed.fixture.verificationKeys, cache: TokenCache())
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
            rs256.verifier.policy, verificationKeys: rs256.fixture.verificationKeys, cache: TokenCache(bytes: 1))
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
}
