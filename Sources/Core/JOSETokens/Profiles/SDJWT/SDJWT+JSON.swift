public import JOSE
internal import JOSESupport

extension SDJWT {
    /// The content of a JSON serialization beside the first signature, the disclosures and the key binding.
    struct OtherJSON {
        /// The other members of the first unprotected header, each with a comma before it.
        var header: [UInt8] = []
        /// The other signatures, each as the JSON object that was received.
        var signatures: [[UInt8]] = []
    }

    /// Reads an SD-JWT from the flattened or the general JSON serialization without verifying it (RFC 9901, 8). The
    /// disclosures and the key binding JWT must be in the first unprotected header and in no other.
    ///
    /// - Parameters:
    ///   - json: The JSON serialization.
    ///   - limits: The bounds for parsing.
    /// - Throws: `disclosure` errors for text that is malformed, and `jose` errors for text that exceeds the limits.
    public init(json: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(TokenError) {
        self = try json.withBytes { json throws(TokenError) in try SDJWT(json: json, limits: limits) }
    }

    init(json: Span<UInt8>, limits: ParsingLimits) throws(TokenError) {
        guard json.count <= limits.tokenBytes else { throw .jose(.limitExceeded(.tokenBytes), layer: .signature) }
        let whole: [JSONMember]
        do throws(JSONFault) {
            whole = try JSONObject(parsing: json, limits: limits.json).members
        } catch {
            throw TokenError(error, .form)
        }
        var first = whole
        var other = OtherJSON()
        if let list = whole.first("signatures", in: json) {
            guard let signatures = list.array(in: json), let members = signatures.first?.object(in: json) else {
                throw .disclosure(.form)
            }
            first = members
            for signature in signatures.dropFirst() {
                guard let members = signature.object(in: json), !Self.discloses(members, in: json) else {
                    throw .disclosure(.form)
                }
                other.signatures.append(signature.slice(in: json))
            }
        }
        var jwt: [UInt8] = []
        let parts = [
            first.first("protected", in: json), whole.first("payload", in: json), first.first("signature", in: json),
        ]
        for part in parts {
            guard let text = part?.stringBytes(in: json) else { throw .disclosure(.form) }
            jwt += text + [UInt8(ascii: ".")]
        }
        jwt.removeLast()
        var texts: [[UInt8]] = []
        var binding: [UInt8]?
        if let header = first.first("header", in: json) {
            guard let members = header.object(in: json) else { throw .disclosure(.form) }
            for member in members {
                if member.nameEquals("disclosures", in: json) {
                    texts = try Self.texts(member.value, in: json)
                } else if member.nameEquals("kb_jwt", in: json) {
                    guard let text = member.value.stringBytes(in: json) else { throw .disclosure(.form) }
                    binding = text
                } else {
                    other.header.append(UInt8(ascii: ","))
                    var writer = JSONWriter()
                    writer.string(member.name(in: json))
                    other.header += writer.bytes
                    other.header.append(UInt8(ascii: ":"))
                    other.header += member.value.slice(in: json)
                }
            }
        }
        var reader = try DisclosureReader(count: texts.count, limits)
        for text in texts { try reader.read(text) }
        self.init(jwt: jwt, disclosures: reader.disclosures, limits: limits, other: other, binding: binding)
    }

    /// Returns the JSON serialization (RFC 9901, 8).
    ///
    /// - Parameter form: The flattened or the general form.
    /// - Throws: `disclosure` for the flattened form of an SD-JWT with several signatures, which was read from
    ///   the general form. Its compact serialization, `text`, has the first signature.
    public func json(_ form: JSONForm = .flattened) throws(TokenError) -> String {
        var dots = InlineArray<5, Int>(repeating: 0)
        let bytes = jwt
        guard findDots(in: bytes.span, &dots) == 2, form == .general || other.signatures.isEmpty else {
            throw .disclosure(.form)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("payload", bytes.span.extracting((dots[0] + 1)..<dots[1]))
        if form == .general {
            writer.name("signatures")
            writer.beginArray()
            writer.beginObject()
        }
        writer.member("protected", bytes.span.extracting(0..<dots[0]))
        writer.member("header", json: unprotectedHeader.span)
        writer.member("signature", bytes.span.extracting((dots[1] + 1)..<bytes.count))
        if form == .general {
            writer.endObject()
            for signature in other.signatures { writer.raw(signature.span) }
            writer.endArray()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private var unprotectedHeader: [UInt8] {
        var writer = JSONWriter()
        writer.name("disclosures")
        writer.beginArray()
        for disclosure in disclosures { writer.string(disclosure.text.span) }
        writer.endArray()
        if let binding {
            writer.member("kb_jwt", binding.span)
        }
        return [UInt8(ascii: "{")] + writer.bytes + other.header + [UInt8(ascii: "}")]
    }

    private static func discloses(_ signature: [JSONMember], in json: Span<UInt8>) -> Bool {
        let header = signature.first("header", in: json)?.object(in: json) ?? []
        return header.first("disclosures", in: json) != nil || header.first("kb_jwt", in: json) != nil
    }

    private static func texts(_ list: JSONValue, in json: Span<UInt8>) throws(TokenError) -> [[UInt8]] {
        guard let values = list.array(in: json) else { throw .disclosure(.form) }
        let texts = values.compactMap { $0.stringBytes(in: json) }
        guard texts.count == values.count else { throw .disclosure(.form) }
        return texts
    }
}
