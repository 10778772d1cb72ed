internal import JOSESupport

/// A JWE in the flattened or general JSON serialization that was parsed and not decrypted (RFC 7516, 7.2).
struct JSONJWE {
    struct Entry {
        let headers: JSONHeaders
        let encryptedKey: [UInt8]
    }
    /// The recipients, of which there is at least one.
    let entries: [Entry]
    let iv: [UInt8]
    let tag: [UInt8]
    /// The ciphertext in base64url. The plaintext is at most as long as the decoded ciphertext.
    let ciphertext: [UInt8]
    /// The value of `aad`, decoded.
    let additionalData: [UInt8]?
    /// The additional authenticated data of the content encryption (RFC 7516, 5.1, step 14).
    let authenticated: [UInt8]

    private static let ofRecipient: [StaticString] = ["header", "encrypted_key"]
    private static let ofMessage: [StaticString] = ["protected", "unprotected", "aad", "iv", "ciphertext", "tag"]
    private static let ofJWS: [StaticString] = ["payload", "signatures", "signature"]

    init(_ text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        let token = try JSONToken(text, limits: limits)
        guard let ciphertext = try token.string("ciphertext", .ciphertext, in: text) else {
            throw .malformed(ParseFailure(.ciphertext, .parts))
        }
        self.ciphertext = ciphertext
        iv = try token.decoded("iv", .initializationVector, in: text) ?? []
        tag = try token.decoded("tag", .tag, in: text) ?? []
        additionalData = try token.decoded("aad", .token, in: text)
        let protected = try token.string("protected", .header, in: text)
        let shared = try token.object("unprotected", in: text)
        var entries: [Entry] = []
        if let recipients = try token.list("recipients", maximum: limits.recipients, .recipients, in: text) {
            try token.check(known: ["recipients"] + Self.ofMessage, foreign: Self.ofRecipient + Self.ofJWS, in: text)
            for recipient in recipients {
                try recipient.check(
                    known: Self.ofRecipient, foreign: ["recipients"] + Self.ofMessage + Self.ofJWS, in: text)
                entries.append(try Entry(recipient, protected, shared, in: text, limits))
            }
        } else {
            try token.check(known: Self.ofMessage + Self.ofRecipient, foreign: Self.ofJWS, in: text)
            entries.append(try Entry(token, protected, shared, in: text, limits))
        }
        let encryption = entries[0].headers.joint.contentEncryptionName
        guard entries.allSatisfy({ $0.headers.joint.contentEncryptionName == encryption }) else {
            throw .headerInvalid(.contentEncryptionDiffers)
        }
        self.entries = entries
        let encoded = try token.string("aad", .token, in: text)
        authenticated = Self.authenticated(protected: protected ?? [], aad: encoded)
    }

    /// Returns the additional authenticated data of a protected header and `aad`, both in base64url.
    static func authenticated(protected: [UInt8], aad: [UInt8]?) -> [UInt8] {
        guard let aad else { return protected }
        return protected + [UInt8(ascii: ".")] + aad
    }
}

extension JSONJWE.Entry {
    fileprivate init(
        _ token: JSONToken, _ protected: [UInt8]?, _ shared: [UInt8]?, in text: Span<UInt8>, _ limits: ParsingLimits
    ) throws(JOSEError) {
        encryptedKey = try token.decoded("encrypted_key", .encryptedKey, in: text) ?? []
        headers = try JSONHeaders(
            protected: protected, [shared, token.object("header", in: text)], limits: limits)
    }
}
