internal import JOSEBytes

extension JWSVerifier {
    /// Verifies a JWS in the flattened or general JSON serialization (RFC 7515, 7.2). `policy.requirement` says which of
    /// its signatures must hold; only those that do are in the result. A token in the compact serialization is
    /// malformed here, and one in JSON where a compact one is asked for.
    public func verify(json: Span<UInt8>) throws(JOSEError) -> VerifiedJSONJWS {
        let jws = try JSONJWS(json, limits: policy.limits)
        guard let text = jws.payload else { throw .malformed(ParseFailure(.payload, .parts)) }
        let count = jws.payloadIsUnencoded ? text.count : Base64URL.decodedCount(text.count) ?? 0
        guard count <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        var payload = text
        if !jws.payloadIsUnencoded {
            guard let decoded = Base64URL.decode(text.span) else {
                throw .malformed(ParseFailure(.payload, .base64URL))
            }
            payload = decoded
        }
        // The member's value is what was signed, encoded or not.
        let signatures = try verify(jws.entries, signed: text.span, isEncodedAlready: true)
        return VerifiedJSONJWS(payload: payload, signatures: signatures)
    }

    /// The same of a payload that came another way: there may be no `payload` member (RFC 7515, appendix F).
    public func verify(
        json: Span<UInt8>, detachedPayload payload: Span<UInt8>
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let jws = try JSONJWS(json, limits: policy.limits)
        guard jws.payload == nil else { throw .malformed(ParseFailure(.payload, .parts)) }
        guard payload.count <= policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        let signatures = try verify(jws.entries, signed: payload, isEncodedAlready: jws.payloadIsUnencoded)
        return VerifiedJSONJWS(payload: payload.copy(), signatures: signatures)
    }

    /// The same of bytes in an array.
    public func verify(json: [UInt8]) throws(JOSEError) -> VerifiedJSONJWS { try verify(json: json.span) }
    /// The same of a text.
    public func verify(json: String) throws(JOSEError) -> VerifiedJSONJWS { try verify(json: json.utf8.span) }

    /// The same of bytes in arrays.
    public func verify(json: [UInt8], detachedPayload: [UInt8]) throws(JOSEError) -> VerifiedJSONJWS {
        try verify(json: json.span, detachedPayload: detachedPayload.span)
    }

    /// The same of a text and bytes in an array.
    public func verify(json: String, detachedPayload: [UInt8]) throws(JOSEError) -> VerifiedJSONJWS {
        try verify(json: json.utf8.span, detachedPayload: detachedPayload.span)
    }

    private func verify(
        _ entries: [JSONJWS.Entry], signed payload: Span<UInt8>, isEncodedAlready: Bool
    ) throws(JOSEError) -> [VerifiedSignature] {
        var verified: [VerifiedSignature] = []
        var failure: JOSEError?
        for (index, entry) in entries.enumerated() {
            do throws(JOSEError) {
                let headers = entry.headers
                let algorithm = try allowed(
                    headers.protected,
                    algorithmIn: policy.acceptsUnprotectedAlgorithm ? headers.joint : headers.protected)
                let input = SigningInput.bytes(
                    header: headers.protectedText, payload: payload, isUnencoded: isEncodedAlready)
                let key = try verifyingKey(
                    headers.joint, algorithm, input: input.span, signature: entry.signature.span)
                verified.append(
                    VerifiedSignature(
                        header: headers.protected, unprotected: headers.unprotected[0], algorithm: algorithm, key: key,
                        index: index))
            } catch {
                if error == .backend { throw error }
                if policy.requirement.prefers(error, to: failure) { failure = error }
            }
        }
        try policy.requirement.check(verified, failure)
        return verified
    }
}

/// What a JWS in a JSON serialization held, and which of its signatures hold. Only a `JWSVerifier` makes one.
public struct VerifiedJSONJWS: Sendable {
    /// The bytes that were signed, by every signature here.
    public let payload: [UInt8]
    /// Those that hold, in the token's order; those that do not are left out.
    public let signatures: [VerifiedSignature]
}

/// One signature that holds, and by which key.
public struct VerifiedSignature: Sendable {
    /// The protected header: what was signed. An empty object where there is none.
    public let header: JOSEHeader
    /// What stands beside it: anyone could have written that.
    public let unprotected: JOSEHeader?
    /// What its header names, and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified it.
    public let key: JWK
    /// Its place in the token's `signatures`; 0 in the flattened form.
    public let index: Int
}
