internal import JOSEBytes

extension JWEDecrypter {
    /// As `decrypt` does, and a token that finds the policy's limiter taken waits its turn, no longer than `limit` and without holding a
    /// thread. Throws `JOSEError`, and `CancellationError` where the task was cancelled while it waited.
    public func decrypt(_ jwe: [UInt8], timeout limit: Duration) async throws -> DecryptedJWE {
        do throws(JOSEError) {
            return try decrypt(jwe)
        } catch {
            guard error == .overloaded(.busy), let limiter = policy.limiter else { throw error }
            limiter.asksAgain()
            return try await limiter.withSlot(timeout: limit) {
                var plaintext = SecretBytes(capacity: 0)
                let header = try open(jwe.span, into: &plaintext, within: limiter).header
                return DecryptedJWE(header: header, plaintext: plaintext.copy())
            }
        }
    }

    /// The same of a text.
    public func decrypt(_ jwe: String, timeout limit: Duration) async throws -> DecryptedJWE {
        try await decrypt(Array(jwe.utf8), timeout: limit)
    }
}

extension DecryptionLimiter {
    /// Does it with a place, in turn: for private-key work of the caller's own that is to be counted with the rest. `limit`: how long it
    /// waits for the place; nil: as long as the limiter lets anyone. Throws `JOSEError.overloaded`, `CancellationError` where the task was
    /// cancelled while it waited, and what `body` throws.
    public func withSlot<Result: Sendable>(
        timeout limit: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(timeout: limit)
        defer { leave() }
        return try body()
    }
}
