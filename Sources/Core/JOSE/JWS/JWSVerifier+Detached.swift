internal import JOSEBytes

extension JWSVerifier {
    /// Verifies a compact JWS with a detached payload (RFC 7515, appendix F).
    ///
    /// - Parameters:
    ///   - jws: The compact serialization, whose payload part must be empty.
    ///   - payload: The payload, at most `ParsingLimits.plaintextBytes` long.
    /// - Throws: The errors of `verify(_:)`.
    public func verify(
        _ jws: Span<UInt8>, detachedPayload payload: Span<UInt8>
    ) throws(JOSEError) -> VerifiedJWS {
        let detached = try DetachedJWS(jws, limits: policy.limits)
        guard payload.count <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        let algorithm = try allowed(detached.header)
        let input = SigningInput.bytes(
            header: detached.headerText, payload: payload, isUnencoded: detached.header.payloadIsUnencoded)
        var token = TokenKeys(keys)
        let key = try verifyingKey(
            detached.header, algorithm, input: input.span, signature: detached.signature.span, &token)
        return VerifiedJWS(header: detached.header, payload: payload.copy(), algorithm: algorithm, key: key)
    }

    /// Verifies a compact JWS with a detached payload, both given as arrays of bytes (RFC 7515, appendix F).
    ///
    /// - Parameters:
    ///   - jws: The compact serialization, whose payload part must be empty.
    ///   - detachedPayload: The payload, at most `ParsingLimits.plaintextBytes` long.
    /// - Throws: The errors of `verify(_:)`.
    public func verify(_ jws: [UInt8], detachedPayload: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        try verify(jws.span, detachedPayload: detachedPayload.span)
    }

    /// Verifies a compact JWS, given as a string, with a detached payload (RFC 7515, appendix F).
    ///
    /// - Parameters:
    ///   - jws: The compact serialization, whose payload part must be empty.
    ///   - detachedPayload: The payload, at most `ParsingLimits.plaintextBytes` long.
    /// - Throws: The errors of `verify(_:)`.
    public func verify(_ jws: String, detachedPayload: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        try verify(jws.utf8.span, detachedPayload: detachedPayload.span)
    }

    /// Verifies a compact JWS whose payload or signature is not base64url. The payload need not be, if the header has
    /// `b64: false` (RFC 7797, 5.2).
    func verifyUndecoded(_ jws: Span<UInt8>, _ parts: CompactParts) throws(JOSEError) -> VerifiedJWS {
        guard Base64URL.decode(jws.extracting(parts.range(1))) == nil else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        let header: JOSEHeader
        do throws(JOSEError) {
            header = try JOSEHeader(segment: jws.extracting(parts.range(0)), limits: policy.limits)
        } catch {
            // An invalid `b64` is the fault to report; every other fault of a header comes after that of the payload.
            throw error == .headerInvalid(.b64) ? error : .malformed(ParseFailure(.payload, .base64URL))
        }
        guard header.payloadIsUnencoded else { throw .malformed(ParseFailure(.payload, .base64URL)) }
        return try verifyUnencoded(jws, parts, header)
    }

    /// Verifies a compact JWS with `b64: false`, whose second part is the payload itself.
    func verifyUnencoded(
        _ jws: Span<UInt8>, _ parts: CompactParts, _ header: JOSEHeader
    ) throws(JOSEError) -> VerifiedJWS {
        let payload = jws.extracting(parts.range(1))
        guard payload.count <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        guard let signature = Base64URL.decode(jws.extracting(parts.range(2))) else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        let algorithm = try allowed(header)
        try SigningInput.checkUnencoded(payload)
        var token = TokenKeys(keys)
        let key = try verifyingKey(
            header, algorithm, input: jws.extracting(0..<parts.range(1).upperBound), signature: signature.span, &token)
        return VerifiedJWS(header: header, payload: payload.copy(), algorithm: algorithm, key: key)
    }
}

/// A compact JWS without its payload.
struct DetachedJWS {
    /// The encoded header, as it was signed.
    let headerText: [UInt8]
    let header: JOSEHeader
    let signature: [UInt8]

    init(_ jws: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        let parts = try CompactParts(jws, count: 3, limits: limits)
        guard parts.range(1).isEmpty else { throw .malformed(ParseFailure(.payload, .parts)) }
        try limits.check(encodedSignature: parts.range(2).count)
        guard let signature = Base64URL.decode(jws.extracting(parts.range(2))) else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        let text = jws.extracting(parts.range(0))
        header = try JOSEHeader(segment: text, limits: limits)
        headerText = text.copy()
        self.signature = signature
    }
}
