internal import JOSEBytes

extension Header {
    /// Of the first part of a token. Refuses what is not one strict JSON object, and registered members of a wrong kind;
    /// what `crit` says is checked here as far as it needs no policy (RFC 7515, 4.1.11).
    package init(segment: Span<UInt8>, limits: Limits) throws(JOSEError) {
        guard let count = Base64URL.decodedCount(segment.count) else {
            throw .malformed(Malformation(.header, .base64URL))
        }
        guard count <= limits.headerBytes else { throw .limitExceeded(.headerBytes) }
        guard let decoded = Base64URL.decode(segment) else { throw .malformed(Malformation(.header, .base64URL)) }
        try self.init(json: decoded, limits: limits)
    }

    /// Of JSON text. `isWhole` false: a part of a header that other members join, so that what `crit` names may be
    /// elsewhere.
    init(json decoded: [UInt8], limits: Limits, isWhole: Bool = true) throws(JOSEError) {
        bytes = decoded
        do throws(JSONFault) {
            object = try JSONObject(parsing: decoded.span, limits: limits.json)
        } catch {
            throw JOSEError(error, in: .header)
        }
        places = try Self.registered(object, in: decoded.span)
        if isWhole { try checkCritical() }
    }

    private static func registered(
        _ object: JSONObject, in bytes: Span<UInt8>
    ) throws(JOSEError) -> InlineArray<24, Int16> {
        var places = InlineArray<24, Int16>(repeating: -1)
        for (index, member) in object.members.enumerated() {
            let found: HeaderName?
            if member.nameEscaped {
                let name = member.name(in: bytes)
                found = HeaderName(name.utf8.span)
            } else {
                found = HeaderName(bytes.extracting(Int(member.nameStart)..<Int(member.nameEnd)))
            }
            guard let found else { continue }
            if let kind = found.kind, member.value.kind != kind { throw .headerInvalid(.memberType) }
            places[Int(found.rawValue)] = Int16(truncatingIfNeeded: index)
        }
        return places
    }

    /// The form of `crit`, and `b64`, which means nothing outside it (RFC 7797, 6).
    private func checkCritical() throws(JOSEError) {
        let b64 = value(.b64)
        if let b64, b64.bool() == nil { throw .headerInvalid(.b64) }
        guard let crit = value(.crit) else {
            if b64?.bool() == false { throw .headerInvalid(.b64) }
            return
        }
        let names = try criticalNames(crit)
        if b64?.bool() == false, !names.contains(where: { bytesEqual($0.span, "b64") }) { throw .headerInvalid(.b64) }
    }

    private func criticalNames(_ crit: JSONValue) throws(JOSEError) -> [[UInt8]] {
        guard let values = crit.array(in: bytes.span), !values.isEmpty else { throw .headerInvalid(.critical) }
        var names: [[UInt8]] = []
        for value in values {
            guard let name = value.stringBytes(in: bytes.span), !name.isEmpty, !names.contains(name) else {
                throw .headerInvalid(.critical)
            }
            if let registered = HeaderName(name.span), !registered.mayBeCritical { throw .headerInvalid(.critical) }
            guard object.first(name.span, in: bytes.span) != nil else { throw .headerInvalid(.critical) }
            names.append(name)
        }
        return names
    }

}

extension Header {
    /// Refuses `crit` names that the policy does not list. `b64` is understood where there is a signature (RFC 7797); it
    /// means nothing in a JWE.
    func checkUnderstood(_ understood: [String], isSignature: Bool = false) throws(JOSEError) {
        guard let crit = value(.crit) else { return }
        for value in crit.array(in: bytes.span) ?? [] {
            guard let name = value.stringBytes(in: bytes.span),
                understood.contains(where: { $0.utf8.elementsEqual(name) })
                    || isSignature && bytesEqual(name.span, "b64")
            else { throw .criticalHeaderUnknown }
        }
        if !isSignature, payloadIsUnencoded { throw .criticalHeaderUnknown }
    }

    /// Whether `b64` is there and false.
    package var payloadIsUnencoded: Bool { value(.b64)?.bool() == false }

    func check(type: TypeRule, contentType: TypeRule) throws(JOSEError) {
        guard type.accepts(value(.typ), in: bytes.span) else { throw .headerInvalid(.type) }
        guard contentType.accepts(value(.cty), in: bytes.span) else { throw .headerInvalid(.contentType) }
    }
}
