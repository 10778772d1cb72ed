internal import JOSEBytes

extension JWEDecrypter {
    /// Decrypts a compact JWE, given as ASCII bytes. If the policy's limiter has no free slot, the call waits for one
    /// without blocking a thread.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait for a slot.
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled while it waited.
    public func decrypt(_ jwe: [UInt8], timeout limit: Duration) async throws(JOSEError) -> DecryptedJWE {
        do throws(JOSEError) {
            return try decrypt(jwe)
        } catch {
            guard error == .overloaded(.busy), let limiter = policy.limiter else { throw error }
            limiter.retractRejection()
            try await limiter.enter(timeout: limit)
            defer { limiter.leave() }
            var plaintext = SecretBytes(capacity: 0)
            let header = try decrypt(jwe.span, into: &plaintext, within: limiter).header
            return DecryptedJWE(header: header, plaintext: plaintext.copy())
        }
    }

    /// Decrypts a compact JWE. If the policy's limiter has no free slot, the call waits for one without blocking a
    /// thread.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait for a slot.
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled while it waited.
    public func decrypt(_ jwe: String, timeout limit: Duration) async throws(JOSEError) -> DecryptedJWE {
        try await decrypt(Array(jwe.utf8), timeout: limit)
    }
}

extension DecryptionLimiter {
    /// Waits for a slot and calls `body`, so that the limit includes private-key operations of your own.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a slot. The limiter's own timeout applies if this one is longer or nil.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: `JOSEError.overloaded`, `JOSEError.cancelled` if the task was cancelled while it waited, and the errors of
    ///   `body`.
    public func withSlot<Result: Sendable>(
        timeout limit: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(timeout: limit)
        defer { leave() }
        return try body()
    }
}
