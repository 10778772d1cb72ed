internal import JOSEBytes

extension Decrypter {
    /// As `decrypt` does, and a token that finds the policy's gate taken waits its turn, no longer than `limit` and without holding a
    /// thread. Throws `JOSEError`, and `CancellationError` where the task was cancelled while it waited.
    public func decrypt(_ jwe: [UInt8], waiting limit: Duration) async throws -> DecryptedJWE {
        do throws(JOSEError) {
            return try decrypt(jwe)
        } catch {
            guard error == .overloaded(.busy), let gate = policy.gate else { throw error }
            gate.asksAgain()
            return try await gate.admitted(within: limit) {
                var plaintext = SecretBytes(capacity: 0)
                let header = try open(jwe.span, into: &plaintext, within: gate).header
                return DecryptedJWE(header: header, plaintext: plaintext.copy())
            }
        }
    }

    /// The same of a text.
    public func decrypt(_ jwe: String, waiting limit: Duration) async throws -> DecryptedJWE {
        try await decrypt(Array(jwe.utf8), waiting: limit)
    }
}

extension DecryptionGate {
    /// Does it with a place, in turn: for private-key work of the caller's own that is to be counted with the rest. `limit`: how long it
    /// waits for the place; nil: as long as the gate lets anyone. Throws `JOSEError.overloaded`, `CancellationError` where the task was
    /// cancelled while it waited, and what `body` throws.
    public func admitted<Result: Sendable>(
        within limit: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(within: limit)
        defer { leave() }
        return try body()
    }
}
