internal import JOSEBytes

/// A compact JWS that was read: its payload and its signature are decoded, and nothing else of it was checked.
struct CompactJWS {
    let parts: CompactParts
    /// The payload, followed by the signature: both share one allocation.
    private(set) var bytes: [UInt8]
    let payloadCount: Int

    /// Returns nil where the payload or the signature is not base64url.
    @inline(__always)
    init?(_ jws: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits) throws(JOSEError) {
        self.parts = parts
        let payload = jws.extracting(parts.range(1))
        let signature = jws.extracting(parts.range(2))
        try limits.check(encodedPayload: payload.count)
        try limits.check(encodedSignature: signature.count)
        guard let decoded = Base64URL.decode(payload, signature) else { return nil }
        bytes = decoded.bytes
        payloadCount = decoded.firstCount
    }

    /// Reads a JWS with `b64: false`, whose second part is the payload itself (RFC 7797, 5.2).
    init(unencoded jws: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits) throws(JOSEError) {
        let payload = jws.extracting(parts.range(1))
        guard payload.count <= limits.plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
        guard let signature = Base64URL.decode(jws.extracting(parts.range(2))) else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        self.parts = parts
        bytes = payload.copy() + signature
        payloadCount = payload.count
    }

    /// The range of the encoded header in the token.
    var header: Range<Int> { parts.range(0) }
    /// The range of the signed bytes in the token.
    var input: Range<Int> { 0..<parts.range(1).upperBound }
    /// The range of the signature in `bytes`.
    var signature: Range<Int> { payloadCount..<bytes.count }

    /// Cuts the signature off, once it was verified, so that `bytes` is the payload.
    @inline(__always)
    mutating func cutSignature() { bytes.removeLast(bytes.count - payloadCount) }
}
