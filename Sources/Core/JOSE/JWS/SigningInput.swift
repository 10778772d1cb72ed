internal import JOSEBytes

/// What is signed (RFC 7515, 5.1, step 8; RFC 7797, 3).
enum SigningInput {
    /// The header's text, a dot, and the payload. `room`: bytes that the caller will add.
    static func bytes(header: [UInt8], payload: Span<UInt8>, isUnencoded: Bool, room: Int = 0) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(
            header.count + 1 + (isUnencoded ? payload.count : Base64URL.encodedCount(payload.count)) + room)
        input.append(contentsOf: header)
        input.append(UInt8(ascii: "."))
        if isUnencoded {
            unsafe payload.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
        } else {
            Base64URL.append(payload, to: &input)
        }
        return input
    }

    /// The same of a compact JWS, with room for its signature.
    @inline(__always)  // counted references otherwise, for each signature
    static func compact(_ header: EncodedHeader, payload: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let isUnencoded = header.header.payloadIsUnencoded
        if isUnencoded { try checkUnencoded(payload) }
        return bytes(
            header: header.segment, payload: payload, isUnencoded: isUnencoded, room: 1 + Base64URL.encodedCount(1024))
    }

    /// Makes the token of what was signed.
    @inline(__always)
    static func finish(_ token: inout [UInt8], _ signature: [UInt8]) {
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
    }

    /// RFC 7797, 5.2: between the dots of a compact JWS stand printable ASCII characters, and no dot.
    static func checkUnencoded(_ payload: Span<UInt8>) throws(JOSEError) {
        for index in payload.indices {
            let byte = payload[index]
            guard byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: ".") else {
                throw .malformed(ParseFailure(.payload, .unencoded, at: index))
            }
        }
    }
}
