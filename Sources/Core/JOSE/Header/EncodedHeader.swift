internal import JOSESupport

/// A header ready to be sent: its text in base64url. It has passed the parser that a recipient uses.
struct EncodedHeader: Sendable {
    let segment: [UInt8]
    let header: JOSEHeader

    init(json: [UInt8]) throws(JOSEError) {
        let encoded = Base64URL.encode(json.span)
        header = try JOSEHeader(segment: encoded.span, limits: .standard)
        // `b64` has no meaning in a JWE (RFC 7797, 3).
        guard header.value(.enc) == nil || !header.payloadIsUnencoded else { throw .headerInvalid(.b64) }
        segment = encoded
    }

    /// Encodes the header of a signature. `key` is the public half of the signing key, which is made only if there are
    /// certificates to compare it with; nil for a symmetric one.
    init(
        _ parameters: HeaderParameters, _ algorithm: SignatureAlgorithm, _ key: @autoclosure () -> PublicKey?,
        keyID: String?
    ) throws(JOSEError) {
        try parameters.certificates?.check(key())
        try parameters.rejectRecipientMembers()
        guard !parameters.compresses else { throw .headerInvalid(.compression) }
        try self.init(
            json: parameters.write(algorithm: algorithm.core.traits.name, contentEncryption: nil, keyID: keyID))
    }
}
