internal import JOSE

extension SDJWTVerifier {
    /// Verifies an SD-JWT, given as ASCII bytes, and returns the disclosed claims. If the issuer's key is not
    /// available, or may have been replaced, it waits for the refresh of the key source as
    /// `TokenVerifier.verify(_:timeout:client:)` does, and verifies the token once more.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - keyBinding: The requirements for the key binding JWT, which the presentation must then have. With nil, a
    ///     presentation that has one is rejected, because it could not be checked.
    ///   - limit: The longest time to wait for the key.
    /// - Returns: The verified claims and keys.
    /// - Throws: The errors of `verify(_:keyBinding:)`, and `cancelled` if the task was cancelled while it waited,
    ///   after which the refresh continues for other callers.
    public func verify(
        _ token: [UInt8], keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await awaited(until: ContinuousClock.now + limit) { origin throws(TokenError) in
            try verified(token.span, keyBinding, &origin)
        }
    }

    /// Verifies an SD-JWT, given as a string, after waiting for the issuer's key as the method that takes bytes does.
    public func verify(
        _ token: String, keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await verify(Array(token.utf8), keyBinding: keyBinding, timeout: limit)
    }

    /// Verifies an SD-JWT in a JSON serialization, given as UTF-8 bytes, as `verify(json:keyBinding:)` does, after
    /// waiting for the issuer's key as the method for the compact serialization does.
    public func verify(
        json: [UInt8], keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await awaited(until: ContinuousClock.now + limit) { _ throws(TokenError) in
            try verified(json: json.span, keyBinding)
        }
    }

    /// Verifies an SD-JWT in a JSON serialization, given as a string, after waiting for the issuer's key as the method
    /// that takes bytes does.
    public func verify(
        json: String, keyBinding: KeyBindingPolicy? = nil, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedSDJWT {
        try await verify(json: Array(json.utf8), keyBinding: keyBinding, timeout: limit)
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
