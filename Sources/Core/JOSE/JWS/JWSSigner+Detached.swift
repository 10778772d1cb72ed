internal import JOSESupport

extension JWSSigner {
    /// Signs a detached payload and returns the compact serialization, whose payload part is empty (RFC 7515, appendix
    /// F). If the header has `payloadIsUnencoded`, the payload may be any bytes (RFC 7797, 5.2).
    public func sign(detached payload: Span<UInt8>) throws(JOSEError) -> String {
        let input = SigningInput.bytes(
            header: header.segment.span, payload: payload, isUnencoded: header.header.payloadIsUnencoded)
        return Self.detached(header, try signature(input.span))
    }

    /// Signs a detached payload, given as an array of bytes, as the method that takes a span does.
    public func sign(detached payload: [UInt8]) throws(JOSEError) -> String { try sign(detached: payload.span) }
    /// Signs the UTF-8 bytes of a string as a detached payload, as the method that takes a span does.
    public func sign(detached payload: String) throws(JOSEError) -> String { try sign(detached: payload.utf8.span) }

    /// Whether the header has `b64: false`.
    package var payloadIsUnencoded: Bool { header.header.payloadIsUnencoded }

    static func detached(_ header: EncodedHeader, _ signature: [UInt8]) -> String {
        var token = header.segment
        token.append(contentsOf: "..".utf8)
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}
