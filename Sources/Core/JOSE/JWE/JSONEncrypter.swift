internal import JOSECrypto
internal import JOSESupport

/// An encrypter of JWE in the JSON serializations for one or several recipients (RFC 7516, 7.2).
///
/// With one recipient, the whole header of its `JWEEncrypter` is protected. With several, `enc` is in the protected
/// header, while `alg`, `kid` and the other members of each `JWEEncrypter` are in the unprotected header of its
/// recipient. Create one instance and share it between tasks.
public struct JSONEncrypter: Sendable {
    private let recipients: [JWEEncrypter]
    private let protected: HeaderParameters
    private let shared: [UInt8]?
    private let compresses: Bool
    /// The serialization: `flattened` has one recipient, `general` any number.
    package let form: JSONForm

    /// Creates an encrypter.
    ///
    /// - Parameters:
    ///   - recipients: The encrypters of the recipients, with the same `enc`.
    ///   - protected: Further members of the protected header.
    ///   - shared: The members of the shared unprotected header.
    ///   - form: The serialization.
    /// - Throws: `malformed` if there are no recipients, if there are several in the flattened form, or if one of
    ///   several uses `dir` or `ECDH-ES` without key wrap; `headerInvalid` or `malformed` if a decrypter would reject
    ///   the headers; `limitExceeded`.
    public init(
        _ recipients: [JWEEncrypter], protected: HeaderParameters = HeaderParameters(),
        shared: HeaderParameters = HeaderParameters(), form: JSONForm = .general
    ) throws(JOSEError) {
        guard let first = recipients.first, form == .general || recipients.count == 1 else {
            throw .malformed(ParseFailure(.token, .parts))
        }
        guard recipients.count <= ParsingLimits.standard.recipients else { throw .limitExceeded(.recipients) }
        guard !protected.payloadIsUnencoded else { throw .headerInvalid(.b64) }
        try protected.rejectRecipientMembers()
        guard !protected.compresses || Deflate.isBuilt else { throw .headerInvalid(.compressionNotBuilt) }
        self.recipients = recipients
        compresses = protected.compresses || first.parameters.compresses
        self.protected = protected
        self.shared = try shared.writeUnprotected()
        self.form = form
        // Invalid headers are rejected here, not with the first token.
        let text = try protectedText(first.sampleMembers)
        for recipient in recipients {
            guard recipient.contentEncryption == first.contentEncryption else {
                throw .headerInvalid(.contentEncryptionDiffers)
            }
            if recipients.count > 1 {
                guard !recipient.keyManagement.core.traits.encryptedKeyIsEmpty else {
                    throw .malformed(ParseFailure(.encryptedKey, .parts))
                }
                // Members of a recipient are unprotected, and `crit` must not be.
                guard recipient.parameters.critical.isEmpty else { throw .headerInvalid(.critical) }
            }
            _ = try JSONHeaders(
                protected: text, [self.shared, recipientHeader(recipient, recipient.sampleMembers)], limits: .standard)
        }
    }

    /// Encrypts a plaintext and returns the JSON text. Each call generates a new initialization vector and, except with
    /// `dir`, a new content encryption key.
    ///
    /// - Parameters:
    ///   - plaintext: The plaintext.
    ///   - additionalData: Additional authenticated data, which is transmitted unencrypted in `aad`.
    public func encrypt(
        _ plaintext: borrowing some BorrowedBytes, additionalData: [UInt8]? = nil
    ) throws(JOSEError) -> String {
        try plaintext.withBytes { plaintext throws(JOSEError) in
            try JWEEncrypter.withContent(plaintext, compressed: compresses) { content throws(JOSEError) in
                try sealed(content, additionalData)
            }
        }
    }

    private func sealed(_ plaintext: Span<UInt8>, _ additionalData: [UInt8]?) throws(JOSEError) -> String {
        let content = recipients[0].contentEncryption.core
        return try unsafe withSecretScratch(content.keyBytes) { cek throws(JOSEError) in
            var shares: [(members: WrapMembers, key: [UInt8])] = []
            for recipient in recipients {
                shares.append(try unsafe calling(recipient.wrapped(cek, isGiven: !shares.isEmpty)))
            }
            let header = try protectedText(shares[0].members)
            let aad = additionalData.map { Base64URL.encode($0.span) }
            let authenticated = JSONJWE.authenticated(protected: header, aad: aad)
            do throws(CryptoError) {
                let iv = try Random.bytes(content.ivBytes)
                let key = unsafe UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span
                let sealed = try content.seal(cek: key, iv: iv.span, aad: authenticated.span, plaintext: plaintext)
                return try text(header, shares, aad, iv, sealed.ciphertext, sealed.tag)
            } catch {
                throw .backend
            }
        }
    }

    /// Returns the protected header in base64url. `members` are those of the only recipient.
    private func protectedText(_ members: WrapMembers) throws(JOSEError) -> [UInt8] {
        let only = recipients.count == 1 ? recipients[0] : nil
        let more = try protected.write(algorithm: nil, contentEncryption: nil, keyID: nil)
        let own =
            if let only {
                try only.headerText(members)
            } else {
                Array(#"{"enc":""#.utf8) + recipients[0].contentEncryption.name.utf8 + Array(#""}"#.utf8)
            }
        return Base64URL.encode(JSONHeaders.joined([own, more]).span)
    }

    /// Returns the header of one of several recipients; nil where there is only one, or where it is empty.
    private func recipientHeader(_ recipient: JWEEncrypter, _ members: WrapMembers) throws(JOSEError) -> [UInt8]? {
        recipients.count == 1 ? nil : try recipient.headerText(members, withContent: false)
    }

    private func text(
        _ header: [UInt8], _ shares: [(members: WrapMembers, key: [UInt8])], _ aad: [UInt8]?, _ iv: [UInt8],
        _ ciphertext: [UInt8], _ tag: [UInt8]
    ) throws(CryptoError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("protected", header.span)
        if let shared {
            writer.member("unprotected", json: shared.span)
        }
        if form == .general {
            writer.name("recipients")
            writer.beginArray()
        }
        for (recipient, share) in zip(recipients, shares) {
            if form == .general { writer.beginObject() }
            let own: [UInt8]?
            do throws(JOSEError) { own = try recipientHeader(recipient, share.members) } catch { throw .keyInvalid }
            if let own {
                writer.member("header", json: own.span)
            }
            if !share.key.isEmpty { writer.member("encrypted_key", base64URL: share.key.span) }
            if form == .general { writer.endObject() }
        }
        if form == .general { writer.endArray() }
        if let aad {
            writer.member("aad", aad.span)
        }
        writer.member("iv", base64URL: iv.span)
        writer.member("ciphertext", base64URL: ciphertext.span)
        writer.member("tag", base64URL: tag.span)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
