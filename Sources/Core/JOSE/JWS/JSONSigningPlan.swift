internal import JOSESupport

/// The headers of a JWS in JSON, checked together once, from which each token is written.
struct JSONSigningPlan: Sendable {
    private struct Part: Sendable {
        let segment: [UInt8]
        let unprotected: [UInt8]?
    }
    private let parts: [Part]
    private let isUnencoded: Bool
    let form: JSONForm

    init(_ entries: [(header: EncodedHeader, unprotected: HeaderParameters)], form: JSONForm) throws(JOSEError) {
        guard !entries.isEmpty, form == .general || entries.count == 1 else {
            throw .malformed(ParseFailure(.token, .parts))
        }
        guard entries.count <= ParsingLimits.standard.signatures else { throw .limitExceeded(.signatures) }
        isUnencoded = entries[0].header.header.payloadIsUnencoded
        var parts: [Part] = []
        for entry in entries {
            guard entry.header.header.payloadIsUnencoded == isUnencoded else { throw .headerInvalid(.b64) }
            let unprotected = try entry.unprotected.writeUnprotected()
            _ = try JSONHeaders(protected: entry.header.segment, [unprotected], limits: .standard)
            parts.append(Part(segment: entry.header.segment, unprotected: unprotected))
        }
        self.parts = parts
        self.form = form
    }

    /// Checks that a payload which is written unencoded is UTF-8 (RFC 7797, 5.1).
    func check(_ payload: Span<UInt8>) throws(JOSEError) {
        guard !isUnencoded || isUTF8(payload) else { throw .malformed(ParseFailure(.payload, .unencoded)) }
    }

    func begin(_ payload: Span<UInt8>, isDetached: Bool) -> JSONWriter {
        var writer = JSONWriter()
        writer.beginObject()
        if !isDetached {
            if isUnencoded {
                writer.member("payload", payload)
            } else {
                writer.member("payload", base64URL: payload)
            }
        }
        if form == .general {
            writer.name("signatures")
            writer.beginArray()
        }
        return writer
    }

    /// Returns the signing input of the signature with this index.
    func input(_ index: Int, _ payload: Span<UInt8>) -> [UInt8] {
        let header = parts[index].segment
        return SigningInput.bytes(header: header.span, payload: payload, isUnencoded: isUnencoded)
    }

    func add(_ index: Int, _ signature: Span<UInt8>, to writer: inout JSONWriter) {
        if form == .general { writer.beginObject() }
        let header = parts[index].segment
        writer.member("protected", header.span)
        if let unprotected = parts[index].unprotected {
            writer.member("header", json: unprotected.span)
        }
        writer.member("signature", base64URL: signature)
        if form == .general { writer.endObject() }
    }

    func end(_ writer: inout JSONWriter) -> String {
        if form == .general { writer.endArray() }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
