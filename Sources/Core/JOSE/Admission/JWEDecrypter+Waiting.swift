internal import JOSEBytes

extension JWEDecrypter {
    /// Decrypts a compact JWE, given as ASCII bytes. Where the policy's limiter has no free slot, the call waits for one without
    /// blocking a thread.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait for a slot.
    /// - Throws: `JOSEError`, and `CancellationError` where the task was cancelled while it waited.
    public func decrypt(_ jwe: [UInt8], timeout limit: Duration) async throws -> DecryptedJWE {
        do throws(JOSEError) {
            return try decrypt(jwe)
        } catch {
            guard error == .overloaded(.busy), let limiter = policy.limiter else { throw error }
            limiter.retractRejection()
            return try await limiter.withSlot(timeout: limit) {
                var plaintext = SecretBytes(capacity: 0)
                let header = try open(jwe.span, into: &plaintext, within: limiter).header
                return DecryptedJWE(header: header, plaintext: plaintext.copy())
            }
        }
    }

    /// Decrypts a compact JWE. Where the policy's limiter has no free slot, the call waits for one without blocking a thread.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait for a slot.
    /// - Throws: `JOSEError`, and `CancellationError` where the task was cancelled while it waited.
    public func decrypt(_ jwe: String, timeout limit: Duration) async throws -> DecryptedJWE {
        try await decrypt(Array(jwe.utf8), timeout: limit)
    }
}

extension DecryptionLimiter {
    /// Calls `body` once a slot is free, for private-key operations of the caller's own that are to be counted with the others.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a slot; nil stands for the limiter's own timeout, which applies in any case.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: `JOSEError.overloaded`, `CancellationError` where the task was cancelled while it waited, and the errors of
    ///   `body`.
    public func withSlot<Result: Sendable>(
        timeout limit: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(timeout: limit)
        defer { leave() }
        return try body()
    }
}
