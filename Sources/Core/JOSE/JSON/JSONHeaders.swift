internal import JOSEBytes

/// The header of one signature or recipient: what is protected, and what stands beside it (RFC 7515, 4; RFC 7516, 4).
struct JSONHeaders {
    /// As it is signed or authenticated: base64url, empty where there is none.
    let protectedText: [UInt8]
    let protected: JOSEHeader
    /// In the order given: shared ones, then those of the one signature or recipient.
    let unprotected: [JOSEHeader?]
    /// All members together; no name is in two of them.
    let joint: JOSEHeader

    /// `others`: the text of unprotected headers, nil for one that is absent. One of all must be there.
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
        // A name that two of them say is one that the joint text repeats.
        joint = try JOSEHeader(json: Self.joined([decoded] + others.compactMap(\.self)), limits: limits)
    }

    /// The members of all the objects in one. Names are not compared.
    static func joined(_ objects: [[UInt8]]) -> [UInt8] {
        let members = objects.map(members).filter { !$0.isEmpty }
        return Array("{".utf8) + members.joined(separator: ",".utf8) + Array("}".utf8)
    }

    /// What must be protected may not stand here: `crit` (RFC 7515, 4.1.11), `b64` (RFC 7797, 3), `zip` (RFC 7516, 4.1.3).
    private static func unprotected(_ text: [UInt8], _ limits: ParsingLimits) throws(JOSEError) -> JOSEHeader {
        let header = try JOSEHeader(json: text, limits: limits, isWhole: false)
        guard header.value(.crit) == nil else { throw .headerInvalid(.critical) }
        guard header.value(.b64) == nil else { throw .headerInvalid(.b64) }
        guard header.value(.zip) == nil else { throw .headerInvalid(.compression) }
        return header
    }

    /// What stands between an object's braces; empty where nothing but white space does.
    private static func members(_ object: [UInt8]) -> [UInt8] {
        guard let first = object.firstIndex(of: UInt8(ascii: "{")), let last = object.lastIndex(of: UInt8(ascii: "}"))
        else { return [] }
        let inside = object[(first + 1)..<last]
        return inside.contains { $0 > 0x20 } ? Array(inside) : []
    }
}

extension HeaderParameters {
    /// The text of an unprotected header; nil where it says nothing. Refuses what must be protected.
    func writeUnprotected() throws(JOSEError) -> [UInt8]? {
        guard critical.isEmpty else { throw .headerInvalid(.critical) }
        guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        guard passwordIterations == nil else { throw .headerInvalid(.password) }
        guard !compresses else { throw .headerInvalid(.compression) }
        var writer = JSONWriter()
        writer.beginObject()
        if let keyID { writer.member("kid", keyID) }
        certificates?.write(to: &writer)
        if let type { writer.member("typ", type) }
        if let contentType { writer.member("cty", contentType) }
        if let agreementPartyU { writer.member("apu", base64URL: agreementPartyU.span) }
        if let agreementPartyV { writer.member("apv", base64URL: agreementPartyV.span) }
        for (name, json) in members {
            writer.name(name)
            writer.raw(json.span)
        }
        writer.endObject()
        return writer.bytes.count > 2 ? writer.bytes : nil
    }
}
