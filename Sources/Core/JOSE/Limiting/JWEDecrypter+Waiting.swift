internal import JOSESupport

extension JWEDecrypter {
    /// Decrypts a compact JWE, given as ASCII bytes. If the policy's limiter has no free slot, the call waits for one
    /// without blocking a thread.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait for a slot.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled while it waited.
    public func decrypt(
        _ jwe: [UInt8], timeout limit: Duration, client: String? = nil
    ) async throws(JOSEError) -> DecryptedJWE {
        do throws(JOSEError) {
            return try decrypt(jwe)
        } catch {
            guard error == .overloaded(.busy), let limiter = policy.limiter else { throw error }
            limiter.retractRejection()
            try await limiter.enter(timeout: limit, share: LimiterShare(client: client?.hashValue))
            defer { limiter.leave() }
            var plaintext = SecretBytes(capacity: 0)
            let header = try decrypt(jwe.span, into: &plaintext, within: limiter).header
            return DecryptedJWE(header: header, plaintext: plaintext.copy())
        }
    }

    /// Decrypts a compact JWE, given as a string, and waits as the method that takes bytes does.
    public func decrypt(
        _ jwe: String, timeout limit: Duration, client: String? = nil
    ) async throws(JOSEError) -> DecryptedJWE {
        try await decrypt(Array(jwe.utf8), timeout: limit, client: client)
    }
}

extension DecryptionLimiter {
    /// Waits for a slot and calls `body`, so that the limit includes private-key operations of your own.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a slot. The limiter's own timeout applies if this one is longer or nil.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: `JOSEError.overloaded`, `JOSEError.cancelled` if the task was cancelled while it waited, and the
    ///   errors of `body`.
    public func withSlot<Result: Sendable>(
        timeout limit: Duration? = nil, client: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(timeout: limit, share: LimiterShare(client: client?.hashValue))
        defer { leave() }
        return try body()
    }
}
