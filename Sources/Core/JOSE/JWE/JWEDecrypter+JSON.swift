internal import JOSEBytes

extension JWEDecrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization, given as UTF-8 bytes, for the first recipient that one of
    /// the keys decrypts (RFC 7516, 7.2).
    ///
    /// A token in the compact serialization is `malformed`.
    ///
    /// - Throws: `JOSEError`. Where no recipient can be decrypted, the error of one of them.
    public func decrypt(json: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        var reading = try JSONDecryption(json, self)
        var plaintext = try reading.plaintext()
        // The bound on iterations is for all recipients together, because each of them is tried.
        var rounds = policy.limits.maxPBKDF2Iterations
        for index in reading.jwe.entries.indices {
            do throws(JOSEError) {
                let sealed = try reading.recipient(index, self)
                let key = try open(
                    sealed, aad: reading.jwe.authenticated.span, keepsCiphertext: !reading.isLast(index), &rounds,
                    &plaintext)
                return reading.opened(plaintext.copy(), sealed, by: key, index)
            } catch {
                try reading.refused(index, error)
            }
        }
        throw reading.failure
    }

    /// Decrypts a JWE in the flattened or general JSON serialization, given as an array of UTF-8 bytes, for the first recipient
    /// that one of the keys decrypts (RFC 7516, 7.2).
    ///
    /// A token in the compact serialization is `malformed`.
    ///
    /// - Throws: `JOSEError`. Where no recipient can be decrypted, the error of one of them.
    public func decrypt(json: [UInt8]) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.span) }
    /// Decrypts a JWE in the flattened or general JSON serialization for the first recipient that one of the keys decrypts (RFC
    /// 7516, 7.2).
    ///
    /// A token in the compact serialization is `malformed`.
    ///
    /// - Throws: `JOSEError`. Where no recipient can be decrypted, the error of one of them.
    public func decrypt(json: String) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.utf8.span) }
}

/// A decrypted JWE in a JSON serialization, and the recipient that it was decrypted for. A ``JWEDecrypter`` or an
/// ``ExternalKeyDecrypter`` creates one.
public struct DecryptedJSONJWE: Sendable {
    /// The plaintext. It was copied out of memory that is wiped, after its authentication tag was verified; the caller wipes this
    /// copy if that is required.
    public let plaintext: [UInt8]
    /// The protected header, which the authentication tag covers; an empty object where there is none.
    public let header: JOSEHeader
    /// The unprotected header that all recipients share. The authentication tag does not cover it: anyone could have written it.
    public let unprotected: JOSEHeader?
    /// The unprotected header of the recipient. The authentication tag does not cover it.
    public let recipientHeader: JOSEHeader?
    /// The value of `aad`, decoded, which the authentication tag covers.
    public let additionalData: [UInt8]?
    /// The key management algorithm of the recipient.
    public let keyManagement: KeyManagementAlgorithm
    /// The content encryption algorithm, which is the same for all recipients (RFC 7516, 7.2.1).
    public let contentEncryption: ContentEncryption
    /// The key that decrypted the token. For an external key it is the public half, and nil where there is none.
    public let key: JWK?
    /// The index of the recipient in the token's `recipients`; 0 in the flattened form.
    public let index: Int
}
