internal import JOSESupport

/// The headers of one signature or recipient: the protected one and the unprotected ones (RFC 7515, 4; RFC 7516, 4).
struct JSONHeaders {
    /// The protected header as it is signed or authenticated: base64url, empty where there is none.
    let protectedText: [UInt8]
    let protected: JOSEHeader
    /// The unprotected headers in the order given: the shared one, then that of the signature or recipient.
    let unprotected: [JOSEHeader?]
    /// The members of all headers together; no name is in two of them.
    let joint: JOSEHeader

    /// Reads the headers. `others` are the texts of unprotected headers, nil for one that is absent. At least one
    /// header must be present.
    init(protected text: [UInt8]?, _ others: [[UInt8]?], limits: ParsingLimits) throws(JOSEError) {
        guard text != nil || others.contains(where: { $0 != nil }) else {
            throw .malformed(ParseFailure(.header, .parts))
        }
        var decoded = Array("{}".utf8)
        if let text {
            guard let json = Base64URL.decode(text.span) else { throw .malformed(ParseFailure(.header, .base64URL)) }
            decoded = json
        }
        let whole = others.reduce(decoded.count) { $0 + ($1?.count ?? 0) }
        guard whole <= limits.headerBytes else { throw .limitExceeded(.headerBytes) }
        protectedText = text ?? []
        protected = try JOSEHeader(json: decoded, limits: limits, isWhole: false)
        var unprotected: [JOSEHeader?] = []
        for other in others {
            guard let other else {
                unprotected.append(nil)
                continue
            }
            unprotected.append(try Self.unprotected(other, limits))
        }
        self.unprotected = unprotected
        // A name that is in two headers is a duplicate in the joint text.
        joint = try JOSEHeader(json: Self.joined([decoded] + others.compactMap(\.self)), limits: limits)
    }

    /// Returns one object with the members of all objects. Names are not compared.
    static func joined(_ objects: [[UInt8]]) -> [UInt8] {
        let members = objects.map(members).filter { !$0.isEmpty }
        return Array("{".utf8) + members.joined(separator: ",".utf8) + Array("}".utf8)
    }

    /// Reads an unprotected header. It must not have members that must be protected: `crit` (RFC 7515, 4.1.11), `b64`
    /// (RFC 7797, 3), `zip` (RFC 7516, 4.1.3).
    private static func unprotected(_ text: [UInt8], _ limits: ParsingLimits) throws(JOSEError) -> JOSEHeader {
        let header = try JOSEHeader(json: text, limits: limits, isWhole: false)
        guard header.value(.crit) == nil else { throw .headerInvalid(.critical) }
        guard header.value(.b64) == nil else { throw .headerInvalid(.b64) }
        guard header.value(.zip) == nil else { throw .headerInvalid(.compression) }
        return header
    }

    /// Returns the text between an object's braces; empty where it is white space only.
    private static func members(_ object: [UInt8]) -> [UInt8] {
        guard let first = object.firstIndex(of: UInt8(ascii: "{")), let last = object.lastIndex(of: UInt8(ascii: "}"))
        else { return [] }
        let inside = object[(first + 1)..<last]
        return inside.contains { $0 > 0x20 } ? Array(inside) : []
    }
}

extension HeaderParameters {
    /// Returns the text of an unprotected header, or nil where it has no members. Rejects members that must be
    /// protected.
    func writeUnprotected() throws(JOSEError) -> [UInt8]? {
        try rejectRecipientMembers()
        guard critical.isEmpty else { throw .headerInvalid(.critical) }
        guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        guard !compresses else { throw .headerInvalid(.compression) }
        var writer = JSONWriter()
        writer.beginObject()
        if let keyID { writer.member("kid", keyID) }
        certificates?.write(to: &writer)
        if let type { writer.member("typ", type) }
        if let contentType { writer.member("cty", contentType) }
        for (name, json) in members {
            writer.member(name, json: json.span)
        }
        writer.endObject()
        return writer.bytes.count > 2 ? writer.bytes : nil
    }
}
