internal import JOSESupport

/// The decryption of a JWE in JSON, recipient by recipient, for keys in and outside the process.
struct JSONDecryption {
    let jwe: JSONJWE
    /// The error where no recipient can be decrypted.
    private(set) var failure = JOSEError.keyNotFound
    private let limits: ParsingLimits

    init(_ text: Span<UInt8>, _ decrypter: JWEDecrypter) throws(JOSEError) {
        limits = decrypter.shared.policy.limits
        jwe = try JSONJWE(text, limits: limits)
    }

    /// Returns the ciphertext in the memory that the plaintext will replace it in.
    func plaintext() throws(JOSEError) -> SecretBytes {
        let ciphertext = jwe.ciphertext
        let count = try ParsedJWE.ciphertextCount(ciphertext.span, limits)
        var bytes = SecretBytes(capacity: count)
        try ParsedJWE.decode(ciphertext.span, count, into: &bytes)
        return bytes
    }

    func isLast(_ index: Int) -> Bool { index == jwe.entries.count - 1 }

    /// Returns one recipient, whose headers the policy allows.
    func recipient(_ index: Int, _ decrypter: JWEDecrypter) throws(JOSEError) -> ParsedJWE {
        let entry = jwe.entries[index]
        let headers = entry.headers
        let (algorithm, content) = try decrypter.allowed(headers.joint, protected: headers.protected)
        // Where the CEK is agreed on or shared there is one recipient (RFC 7516, 5.1, steps 3 and 6).
        guard jwe.entries.count == 1 || !algorithm.core.traits.encryptedKeyIsEmpty else {
            throw .malformed(ParseFailure(.token, .parts))
        }
        let parts = (entry.encryptedKey + jwe.iv + jwe.tag, entry.encryptedKey.count, jwe.iv.count)
        return ParsedJWE(headers.joint, headerCount: 0, isKnown: false, algorithm, content, parts)
    }

    /// Records the error of a recipient, or throws it where it ends the decryption. After other errors the next
    /// recipient is tried.
    mutating func fail(_ index: Int, _ error: JOSEError) throws(JOSEError) {
        // The content is the same for every recipient.
        switch error {
        case .backend, .limitExceeded(.plaintextBytes), .decompressionFailed, .overloaded, .cancelled: throw error
        default: break
        }
        // Which error is reported: a retryable one before all others, then `externalKey`, then `decryptionFailed`, then
        // that of the first recipient.
        switch (failure, error) {
        case _ where failure.isRetryable: break
        case _ where error.isRetryable: failure = error
        case (.externalKey, _): break
        case (_, .externalKey), (_, .decryptionFailed): failure = error
        default: if index == 0 { failure = error }
        }
    }

    func decrypted(_ plaintext: [UInt8], _ parsed: ParsedJWE, by key: JWK?, _ index: Int) -> DecryptedJSONJWE {
        let headers = jwe.entries[index].headers
        return DecryptedJSONJWE(
            plaintext: plaintext, header: headers.protected, unprotected: headers.unprotected[0],
            recipientHeader: headers.unprotected[1], additionalData: jwe.additionalData,
            keyManagement: parsed.algorithm, contentEncryption: parsed.content, key: key, index: index)
    }
}
