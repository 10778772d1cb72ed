internal import JOSESupport

extension JWSSigner {
    /// Signs a detached payload and returns the compact serialization, whose payload part is empty (RFC 7515, appendix
    /// F). If the header has `payloadIsUnencoded`, the payload may be any bytes (RFC 7797, 5.2).
    public func sign(detached payload: borrowing some BorrowedBytes) throws(JOSEError) -> String {
        Self.detached(header, try signature(detachedInput(payload).span))
    }

    /// Returns the signing input of a detached payload.
    func detachedInput(_ payload: borrowing some BorrowedBytes) -> [UInt8] {
        payload.withBytes {
            SigningInput.bytes(header: header.segment.span, payload: $0, isUnencoded: payloadIsUnencoded)
        }
    }

    /// Whether the header has `b64: false`.
    package var payloadIsUnencoded: Bool { header.header.payloadIsUnencoded }

    static func detached(_ header: EncodedHeader, _ signature: [UInt8]) -> String {
        var token = header.segment
        token.append(contentsOf: "..".utf8)
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}
