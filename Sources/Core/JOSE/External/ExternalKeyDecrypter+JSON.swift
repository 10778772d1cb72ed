internal import JOSEBytes

extension ExternalKeyDecrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization, given as UTF-8 bytes, for the first recipient that one of
    /// the keys decrypts (RFC 7516, 7.2).
    ///
    /// - Throws: `JOSEError`, and `CancellationError` where the task was cancelled. An external key that failed for one recipient
    ///   is reported only if no recipient could be decrypted.
    public func decrypt(json: [UInt8]) async throws -> DecryptedJSONJWE {
        var reading = try JSONDecryption(json.span, local)
        var plaintext = try reading.plaintext()
        var rounds = policy.limits.maxPBKDF2Iterations
        for index in reading.jwe.entries.indices {
            do {
                let sealed = try reading.recipient(index, local)
                let key = try await open(
                    sealed, aad: reading.jwe.authenticated, keepsCiphertext: !reading.isLast(index), &rounds,
                    &plaintext)
                return reading.opened(plaintext.copy(), sealed, by: key, index)
            } catch let error as JOSEError {
                try reading.refused(index, error)
            }
        }
        throw reading.failure
    }

    /// Decrypts a JWE in the flattened or general JSON serialization for the first recipient that one of the keys decrypts (RFC
    /// 7516, 7.2).
    ///
    /// - Throws: `JOSEError`, and `CancellationError` where the task was cancelled. An external key that failed for one recipient
    ///   is reported only if no recipient could be decrypted.
    public func decrypt(json: String) async throws -> DecryptedJSONJWE { try await decrypt(json: Array(json.utf8)) }
}
