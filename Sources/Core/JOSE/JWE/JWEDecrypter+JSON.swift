internal import JOSEBytes

extension JWEDecrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization (RFC 7516, 7.2): the first recipient that one of our
    /// keys opens. A token in the compact serialization is malformed here, and one in JSON where a compact one is asked for.
    public func decrypt(json: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        var reading = try JSONDecryption(json, self)
        var plaintext = try reading.plaintext()
        // All recipients together may ask for as many as one alone: each is tried.
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

    /// The same of bytes in an array.
    public func decrypt(json: [UInt8]) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.span) }
    /// The same of a text.
    public func decrypt(json: String) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.utf8.span) }
}

/// What a JWE in a JSON serialization held, and for whom. Only a `JWEDecrypter` makes one.
public struct DecryptedJSONJWE: Sendable {
    /// Copied out of wiped memory once the tag held; from here on the caller's.
    public let plaintext: [UInt8]
    /// The protected header, which the tag holds to the ciphertext. An empty object where there is none.
    public let header: JOSEHeader
    /// `unprotected`, shared by all recipients: anyone could have written that.
    public let unprotected: JOSEHeader?
    /// That of the one recipient, unprotected too.
    public let recipientHeader: JOSEHeader?
    /// `aad`, which the tag holds to the ciphertext.
    public let additionalData: [UInt8]?
    /// That of the recipient that was opened.
    public let keyManagement: KeyManagementAlgorithm
    /// The same for all recipients (RFC 7516, 7.2.1).
    public let contentEncryption: ContentEncryption
    /// Ours, that opened it: of an external key the half that is known, nil where none is.
    public let key: JWK?
    /// The recipient's place in the token's `recipients`; 0 in the flattened form.
    public let index: Int
}
