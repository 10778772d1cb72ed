internal import JOSEBytes

extension Decrypter {
    /// Decrypts a JWE in the flattened or general JSON serialization (RFC 7516, 7.2): the first recipient that one of our
    /// keys opens. A token in the compact serialization is malformed here, and one in JSON where a compact one is asked for.
    public func decrypt(json: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        let jwe = try JSONJWE(json, limits: policy.limits)
        let count = try JWEPieces.ciphertextCount(jwe.ciphertext.span, policy.limits)
        var plaintext = try JWEPieces.decode(jwe.ciphertext.span, count)
        var failure = JOSEError.keyNotFound
        var rounds = 0
        for (index, entry) in jwe.entries.enumerated() {
            do throws(JOSEError) {
                let headers = entry.headers
                let (algorithm, content) = try allowed(headers.joint, protected: headers.protected)
                // Where the CEK is agreed on or shared there is one recipient (RFC 7516, 5.1, steps 3 and 6).
                guard jwe.entries.count == 1 || !algorithm.core.traits.encryptedKeyIsEmpty else {
                    throw .malformed(Malformation(.token, .parts))
                }
                try spend(algorithm, headers.joint, &rounds)
                let pieces = JWEPieces(key: entry.encryptedKey, iv: jwe.iv, tag: jwe.tag)
                let key = try open(
                    headers.joint, algorithm, content, pieces, aad: jwe.authenticated.span,
                    keepsCiphertext: index < jwe.entries.count - 1, &plaintext)
                return DecryptedJSONJWE(
                    plaintext: plaintext.copy(), header: headers.protected, unprotected: headers.unprotected[0],
                    recipientHeader: headers.unprotected[1], additionalData: jwe.additionalData,
                    keyManagement: algorithm, contentEncryption: content, key: key, index: index)
            } catch {
                // The content is the same for every recipient.
                switch error {
                case .backend, .limitExceeded(.plaintextBytes), .decompressionFailed: throw error
                default: break
                }
                // That a recipient of ours does not open says more than that another is none of ours.
                if index == 0 || error == .decryptionFailed { failure = error }
            }
        }
        throw failure
    }

    /// The same of bytes in an array.
    public func decrypt(json: [UInt8]) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.span) }
    /// The same of a text.
    public func decrypt(json: String) throws(JOSEError) -> DecryptedJSONJWE { try decrypt(json: json.utf8.span) }

    /// All recipients together may ask for as many rounds as one alone: each is tried.
    private func spend(
        _ algorithm: KeyManagementAlgorithm, _ header: Header, _ rounds: inout Int
    ) throws(JOSEError) {
        guard case .password = try WrapMembers(header, algorithm.core.traits, policy.limits) else { return }
        guard let more = header.value(.p2c)?.integer(in: header.bytes.span) else { return }
        rounds += Int(more)
        guard rounds <= policy.limits.iterationCap else { throw .limitExceeded(.iterations) }
    }
}

/// What a JWE in a JSON serialization held, and for whom. Only a `Decrypter` makes one.
public struct DecryptedJSONJWE: Sendable {
    /// Copied out of wiped memory once the tag held; from here on the caller's.
    public let plaintext: [UInt8]
    /// The protected header, which the tag holds to the ciphertext. An empty object where there is none.
    public let header: Header
    /// `unprotected`, shared by all recipients: anyone could have written that.
    public let unprotected: Header?
    /// That of the one recipient, unprotected too.
    public let recipientHeader: Header?
    /// `aad`, which the tag holds to the ciphertext.
    public let additionalData: [UInt8]?
    /// That of the recipient that was opened.
    public let keyManagement: KeyManagementAlgorithm
    /// The same for all recipients (RFC 7516, 7.2.1).
    public let contentEncryption: ContentEncryption
    /// Ours, that opened it.
    public let key: JWK
    /// The recipient's place in the token's `recipients`; 0 in the flattened form.
    public let index: Int
}
