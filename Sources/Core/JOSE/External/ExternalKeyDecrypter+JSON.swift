internal import JOSESupport

extension ExternalKeyDecrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization, given as UTF-8 bytes. Of several recipients, the
    /// first for which a key succeeds is used (RFC 7516, 7.2).
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled. A failure of an external key is thrown
    ///   only if the token cannot be decrypted for any recipient.
    public func decrypt(json: [UInt8]) async throws(JOSEError) -> DecryptedJSONJWE {
        var reading = try JSONDecryption(json.span, local)
        var plaintext = try reading.plaintext()
        var keys = TokenKeys(keys)
        var rounds = policy.limits.maxPBKDF2Iterations
        for index in reading.jwe.entries.indices {
            do throws(JOSEError) {
                let parsed = try reading.recipient(index, local)
                let key = try await decrypt(
                    parsed, aad: reading.jwe.authenticated, keepsCiphertext: !reading.isLast(index), &keys,
                    &rounds, &plaintext)
                return reading.decrypted(plaintext.copy(), parsed, by: key.jwk, index)
            } catch {
                try reading.fail(index, error)
            }
        }
        throw reading.failure
    }

    /// Decrypts a JWE in a JSON serialization, given as a string, as the method that takes bytes does.
    public func decrypt(json: String) async throws(JOSEError) -> DecryptedJSONJWE {
        try await decrypt(json: Array(json.utf8))
    }
}
