internal import JOSESupport

extension JWSVerifier {
    /// Verifies a JWS in the flattened or general JSON serialization (RFC 7515, 7.2).
    ///
    /// `SignaturePolicy.requirement` decides which signatures must be valid. The result contains only valid signatures.
    /// A token in the compact serialization is rejected as `malformed`.
    ///
    /// - Throws: `JOSEError`. If the requirement is not met, it is the error of one of the signatures that failed.
    public func verify(json: borrowing some BorrowedBytes) throws(JOSEError) -> VerifiedJSONJWS {
        try json.withBytes { json throws(JOSEError) in try verify(json: json) }
    }

    package func verify(json: Span<UInt8>) throws(JOSEError) -> VerifiedJSONJWS {
        let jws = try JSONJWS(json, limits: shared.policy.limits)
        guard let text = jws.payload else { throw .malformed(ParseFailure(.payload, .parts)) }
        let count = jws.payloadIsUnencoded ? text.count : Base64URL.decodedCount(text.count) ?? 0
        guard count <= shared.policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
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

    /// Verifies a JWS in the flattened or general JSON serialization with a detached payload. The JSON text must not
    /// have a `payload` member (RFC 7515, appendix F).
    ///
    /// - Parameters:
    ///   - json: The JSON text.
    ///   - payload: The payload, at most `ParsingLimits.plaintextBytes` long.
    /// - Throws: The errors of `verify(json:)`.
    public func verify(
        json: borrowing some BorrowedBytes, detachedPayload payload: borrowing some BorrowedBytes
    ) throws(JOSEError) -> VerifiedJSONJWS {
        try json.withBytes { json throws(JOSEError) in
            try payload.withBytes { payload throws(JOSEError) in try verify(json: json, detached: payload) }
        }
    }

    private func verify(json: Span<UInt8>, detached payload: Span<UInt8>) throws(JOSEError) -> VerifiedJSONJWS {
        let jws = try JSONJWS(json, limits: shared.policy.limits)
        guard jws.payload == nil else { throw .malformed(ParseFailure(.payload, .parts)) }
        guard payload.count <= shared.policy.limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        let signatures = try verify(jws.entries, signed: payload, isEncodedAlready: jws.payloadIsUnencoded)
        return VerifiedJSONJWS(payload: payload.copy(), signatures: signatures)
    }

    private func verify(
        _ entries: [JSONJWS.Entry], signed payload: Span<UInt8>, isEncodedAlready: Bool
    ) throws(JOSEError) -> [VerifiedSignature] {
        var verified: [VerifiedSignature] = []
        var failure: JOSEError?
        var token = TokenKeys(keys)
        for (index, entry) in entries.enumerated() {
            do throws(JOSEError) {
                let headers = entry.headers
                let algorithm = try allowed(
                    headers.protected,
                    algorithmIn: shared.policy.acceptsUnprotectedAlgorithm ? headers.joint : headers.protected)
                let input = SigningInput.bytes(
                    header: headers.protectedText.span, payload: payload, isUnencoded: isEncodedAlready)
                let key = try verifyingKey(
                    headers.joint, algorithm, input: input.span, signature: entry.signature.span, &token)
                verified.append(
                    VerifiedSignature(
                        header: headers.protected, unprotected: headers.unprotected[0], algorithm: algorithm, key: key,
                        index: index))
            } catch {
                if error == .backend { throw error }
                if shared.policy.requirement.prefers(error, to: failure) { failure = error }
            }
        }
        try shared.policy.requirement.check(verified, failure)
        return verified
    }
}

/// A verified JWS in a JSON serialization: its payload and its valid signatures. Only a ``JWSVerifier`` creates one.
public struct VerifiedJSONJWS: Sendable {
    /// The payload, which every signature in ``signatures`` covers.
    public let payload: [UInt8]
    /// The valid signatures, in the token's order. Invalid ones are left out.
    public let signatures: [VerifiedSignature]
}

/// A valid signature, and the key that verified it.
public struct VerifiedSignature: Sendable {
    /// The protected header, which the signature covers. It is an empty object if the token has none.
    public let header: JOSEHeader
    /// The unprotected header. The signature does not cover it, so anyone could have changed it.
    public let unprotected: JOSEHeader?
    /// The algorithm that the header names and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified the signature.
    public let key: JWK
    /// The index in the token's `signatures`; 0 in the flattened form.
    public let index: Int
}
