internal import JOSESupport

/// The JWS signing input (RFC 7515, 5.1, step 8; RFC 7797, 3).
enum SigningInput {
    /// Returns the header's text, a dot, and the payload. `room` is the number of bytes that the caller will append.
    static func bytes(header: Span<UInt8>, payload: Span<UInt8>, isUnencoded: Bool, room: Int = 0) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(
            header.count + 1 + (isUnencoded ? payload.count : Base64URL.encodedCount(payload.count)) + room)
        unsafe header.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
        input.append(UInt8(ascii: "."))
        if isUnencoded {
            unsafe payload.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
        } else {
            Base64URL.append(payload, to: &input)
        }
        return input
    }

    /// Returns the signing input of a compact JWS, with room for its signature.
    @inline(__always)  // Otherwise references are counted for each signature.
    static func compact(_ header: EncodedHeader, payload: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let isUnencoded = header.header.payloadIsUnencoded
        if isUnencoded { try checkUnencoded(payload) }
        return bytes(
            header: header.segment.span, payload: payload, isUnencoded: isUnencoded,
            room: 1 + Base64URL.encodedCount(1024))
    }

    /// Appends the signature to the signing input, which makes the token.
    @inline(__always)
    static func finish(_ token: inout [UInt8], _ signature: [UInt8]) {
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
    }

    /// Checks that an unencoded payload is printable ASCII without a dot (RFC 7797, 5.2).
    static func checkUnencoded(_ payload: Span<UInt8>) throws(JOSEError) {
        for index in payload.indices {
            let byte = payload[index]
            guard byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: ".") else {
                throw .malformed(ParseFailure(.payload, .unencoded, at: index))
            }
        }
    }
}
