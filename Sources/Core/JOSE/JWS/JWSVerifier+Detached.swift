internal import JOSESupport

extension JWSVerifier {
    /// Verifies a compact JWS with a detached payload (RFC 7515, appendix F).
    ///
    /// - Parameters:
    ///   - jws: The compact serialization, whose payload part must be empty.
    ///   - payload: The payload, at most `ParsingLimits.plaintextBytes` long.
    /// - Throws: The errors of `verify(_:)`.
    @inlinable public func verify(
        _ jws: borrowing some BorrowedBytes, detachedPayload payload: borrowing some BorrowedBytes
    ) throws(JOSEError) -> VerifiedJWS {
        try jws.withBytes { jws throws(JOSEError) in
            try payload.withBytes { payload throws(JOSEError) in try verify(jws, detached: payload) }
        }
    }

    @usableFromInline func verify(_ jws: Span<UInt8>, detached payload: Span<UInt8>) throws(JOSEError) -> VerifiedJWS {
        let detached = try DetachedJWS(jws, limits: shared.policy.limits)
        guard payload.count <= shared.policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        let algorithm = try allowed(detached.header)
        let input = SigningInput.bytes(
            header: jws.extracting(0..<detached.headerCount), payload: payload,
            isUnencoded: detached.header.payloadIsUnencoded)
        var token = TokenKeys(keys)
        let key = try verifyingKey(
            detached.header, algorithm, input: input.span, signature: detached.signature.span, &token)
        return VerifiedJWS(SignedHeader(detached.header, algorithm, key), payload.copy())
    }
}

/// A compact JWS without its payload.
struct DetachedJWS {
    /// The length of the encoded header, with which the JWS begins.
    let headerCount: Int
    let header: JOSEHeader
    let signature: [UInt8]

    init(_ jws: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        let parts = try CompactParts(jws, count: 3, limits: limits)
        guard parts.range(1).isEmpty else { throw .malformed(ParseFailure(.payload, .parts)) }
        try limits.check(encodedSignature: parts.range(2).count)
        guard let signature = Base64URL.decode(jws.extracting(parts.range(2))) else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        headerCount = parts.range(0).count
        header = try JOSEHeader(segment: jws.extracting(parts.range(0)), limits: limits)
        self.signature = signature
    }
}
