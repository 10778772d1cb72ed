internal import JOSESupport

/// A JWS in the flattened or general JSON serialization that was parsed and not verified (RFC 7515, 7.2).
struct JSONJWS {
    struct Entry {
        let headers: JSONHeaders
        let signature: [UInt8]
    }
    /// The value of `payload`, as it is signed; nil for a detached payload.
    let payload: [UInt8]?
    /// The signatures, of which there is at least one.
    let entries: [Entry]
    /// Whether the payload is signed without base64url, which is the same for every signature (RFC 7797, 3).
    let payloadIsUnencoded: Bool

    private static let ofSignature: [StaticString] = ["protected", "header", "signature"]
    private static let ofJWE: [StaticString] = [
        "ciphertext", "recipients", "encrypted_key", "iv", "tag", "aad", "unprotected",
    ]

    init(_ text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        let token = try JSONToken(text, limits: limits)
        payload = try token.string("payload", .payload, in: text)
        var entries: [Entry] = []
        if let signatures = try token.list("signatures", maximum: limits.signatures, .signatures, in: text) {
            try token.check(known: ["payload", "signatures"], foreign: Self.ofSignature + Self.ofJWE, in: text)
            for signature in signatures {
                try signature.check(
                    known: Self.ofSignature, foreign: ["payload", "signatures"] + Self.ofJWE, in: text)
                entries.append(try Entry(signature, in: text, limits))
            }
        } else {
            try token.check(known: ["payload"] + Self.ofSignature, foreign: Self.ofJWE, in: text)
            entries.append(try Entry(token, in: text, limits))
        }
        let isUnencoded = entries[0].headers.protected.payloadIsUnencoded
        guard entries.allSatisfy({ $0.headers.protected.payloadIsUnencoded == isUnencoded }) else {
            throw .headerInvalid(.b64)
        }
        payloadIsUnencoded = isUnencoded
        self.entries = entries
    }
}

extension JSONJWS.Entry {
    fileprivate init(_ token: JSONToken, in text: Span<UInt8>, _ limits: ParsingLimits) throws(JOSEError) {
        let protected = try token.string("protected", .header, in: text)
        let unprotected = try token.object("header", in: text)
        guard let signature = try token.decoded("signature", .signature, in: text) else {
            throw .malformed(ParseFailure(.signature, .parts))
        }
        guard signature.count <= limits.signatureBytes else { throw .limitExceeded(.signatureBytes) }
        headers = try JSONHeaders(protected: protected, [unprotected], limits: limits)
        self.signature = signature
    }
}
