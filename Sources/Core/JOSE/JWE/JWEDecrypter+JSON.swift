internal import JOSESupport

extension JWEDecrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization. Of several recipients, the first for which a key
    /// succeeds is used (RFC 7516, 7.2).
    ///
    /// A token in the compact serialization is rejected as `malformed`.
    ///
    /// - Throws: `JOSEError`. If the token cannot be decrypted for any recipient, it is the error for one of them.
    public func decrypt(json: borrowing some BorrowedBytes) throws(JOSEError) -> DecryptedJSONJWE {
        try json.withBytes { json throws(JOSEError) in try decrypted(json: json) }
    }

    private func decrypted(json: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        try checkNoAwait()
        var reading = try JSONDecryption(json, self)
        var plaintext = try reading.plaintext()
        // The bound on iterations is for all recipients together, because each of them is tried.
        var rounds = shared.policy.limits.maxPBKDF2Iterations
        var token = TokenKeys(keys)
        for index in reading.jwe.entries.indices {
            do throws(JOSEError) {
                let parsed = try reading.recipient(index, self)
                let key = try decrypt(
                    parsed, aad: reading.jwe.authenticated.span, keepsCiphertext: !reading.isLast(index), &token,
                    &rounds, &plaintext)
                return reading.decrypted(plaintext.copy(), parsed, by: key, index)
            } catch {
                try reading.fail(index, error)
            }
        }
        throw reading.failure
    }
}

/// A decrypted JWE in a JSON serialization, and the recipient for which it was decrypted. Only a ``JWEDecrypter``
/// creates one.
public struct DecryptedJSONJWE: Sendable {
    /// The plaintext, whose authentication tag was verified. The library has wiped its own memory for it; wipe this
    /// copy yourself if it is secret.
    public let plaintext: [UInt8]
    /// The protected header, which the authentication tag covers. It is an empty object if the token has none.
    public let header: JOSEHeader
    /// The unprotected header that all recipients share. The authentication tag does not cover it, so anyone could have
    /// changed it.
    public let unprotected: JOSEHeader?
    /// The unprotected header of the recipient. The authentication tag does not cover it, so anyone could have changed
    /// it.
    public let recipientHeader: JOSEHeader?
    /// The value of `aad`, decoded, which the authentication tag covers.
    public let additionalData: [UInt8]?
    /// The key management algorithm of the recipient.
    public let keyManagement: KeyManagementAlgorithm
    /// The content encryption algorithm, which is the same for all recipients (RFC 7516, 7.2.1).
    public let contentEncryption: ContentEncryption
    /// The key that decrypted the token. For an external key it is the public key, or nil if the key is symmetric.
    public let key: JWK?
    /// The index of the recipient in the token's `recipients`; 0 in the flattened form.
    public let index: Int
}
