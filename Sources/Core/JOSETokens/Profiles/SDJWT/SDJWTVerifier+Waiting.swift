public import JOSE

extension SDJWTVerifier {
    /// Verifies an SD-JWT and returns the disclosed claims. If the issuer's key is not available, or may have been
    /// replaced, it waits for the refresh of the key source as `TokenVerifier.verify(_:timeout:client:)` does, and
    /// verifies the token once more.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - keyBinding: The requirements for the key binding JWT, which the presentation must then have. With nil, a
    ///     presentation that has one is rejected, because it could not be checked.
    ///   - limit: The longest time to wait for the key.
    /// - Returns: The verified claims and keys.
    /// - Throws: The errors of `verify(_:keyBinding:)`, and `cancelled` if the task was cancelled while it waited,
    ///   after which the refresh continues for other callers.
    public func verify(
        _ token: some ByteSource, keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await awaited(until: ContinuousClock.now + limit) { origin throws(TokenError) in
            try token.withBytes { token throws(TokenError) in try verified(token, keyBinding, &origin) }
        }
    }

    /// Verifies an SD-JWT in a JSON serialization as `verify(json:keyBinding:)` does, after waiting for the issuer's key
    /// as the method for the compact serialization does.
    public func verify(
        json: some ByteSource, keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await awaited(until: ContinuousClock.now + limit) { _ throws(TokenError) in
            try json.withBytes { json throws(TokenError) in try verified(json: json, keyBinding) }
        }
    }

    /// Calls `verify`, and once more if new keys of the issuer may change the outcome, and tells the observer of it.
    private func awaited(
        until end: ContinuousClock.Instant, _ verify: (inout TokenOrigin) throws(TokenError) -> VerifiedSDJWT
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await reporter.observeAwaiting(Self.algorithm) { origin async throws(TokenError) in
            try await retrying { () throws(TokenError) in
                try verify(&origin)
            } ifNewKeys: { error throws(TokenError) in
                try await verifier.hasNewKeys(after: error, TokenWait(until: end))
            }
        }
    }
}
