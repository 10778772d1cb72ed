internal import JOSESupport

extension JOSEHeader {
    /// Reads the first part of a token. Rejects text that is not one strict JSON object, registered members of a wrong
    /// type, and an invalid `crit`, as far as that needs no policy (RFC 7515, 4.1.11).
    package init(segment: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        guard let count = Base64URL.decodedCount(segment.count) else {
            throw .malformed(ParseFailure(.header, .base64URL))
        }
        guard count <= limits.headerBytes else { throw .limitExceeded(.headerBytes) }
        guard let decoded = Base64URL.decode(segment) else { throw .malformed(ParseFailure(.header, .base64URL)) }
        try self.init(json: decoded, limits: limits)
    }

    /// Reads JSON text. `isWhole` is false for a part of a header that is joined with others, so that members that
    /// `crit` names may be in another part.
    init(json decoded: [UInt8], limits: ParsingLimits, isWhole: Bool = true) throws(JOSEError) {
        let object: JSONObject
        do throws(JSONFault) {
            object = try JSONObject(parsing: decoded.span, limits: limits.json)
        } catch {
            throw JOSEError(error, in: .header)
        }
        let memberIndices = try Self.registered(object, in: decoded.span)
        if isWhole { try Self.checkCritical(object, memberIndices, in: decoded.span) }
        self.object = object
        self.memberIndices = memberIndices
        bytes = decoded
    }

    private static func registered(
        _ object: JSONObject, in bytes: Span<UInt8>
    ) throws(JOSEError) -> InlineArray<24, Int32> {
        var memberIndices = InlineArray<24, Int32>(repeating: -1)
        var span = memberIndices.mutableSpan
        var found = HeaderName.table.find(object.members, in: bytes, &span)
        while found != 0 {
            let row = found.trailingZeroBitCount
            found &= found &- 1
            guard let name = HeaderName(rawValue: UInt8(row)), let kind = name.kind else { continue }
            let value = object.members[Int(span[row])].value
            guard kind.rawValue == value.kind.rawValue else { throw .headerInvalid(.memberType("\(name.name)")) }
        }
        return memberIndices
    }

    /// Checks the form of `crit`, and `b64`, which has no meaning unless `crit` names it (RFC 7797, 6).
    private static func checkCritical(
        _ object: JSONObject, _ memberIndices: InlineArray<24, Int32>, in bytes: Span<UInt8>
    ) throws(JOSEError) {
        let b64 = value(.b64, object, memberIndices)
        if let b64, b64.bool() == nil { throw .headerInvalid(.b64) }
        guard let crit = value(.crit, object, memberIndices) else {
            if b64?.bool() == false { throw .headerInvalid(.b64) }
            return
        }
        let names = try criticalNames(crit, object, in: bytes)
        if b64?.bool() == false, !names.contains(where: { bytesEqual($0.span, "b64") }) { throw .headerInvalid(.b64) }
    }

    private static func criticalNames(
        _ crit: JSONValue, _ object: JSONObject, in bytes: Span<UInt8>
    ) throws(JOSEError) -> [[UInt8]] {
        // Each name is looked for among all members: a bound keeps a header of nothing but names cheap (threat T36).
        guard let values = crit.array(in: bytes), !values.isEmpty, values.count <= 32 else {
            throw .headerInvalid(.critical)
        }
        var names: [[UInt8]] = []
        for value in values {
            guard let name = value.stringBytes(in: bytes), !name.isEmpty, !names.contains(name) else {
                throw .headerInvalid(.critical)
            }
            if let registered = HeaderName(name.span), !registered.mayBeCritical { throw .headerInvalid(.critical) }
            guard object.first(name.span, in: bytes) != nil else { throw .headerInvalid(.critical) }
            names.append(name)
        }
        return names
    }
}

extension JOSEHeader {
    /// Rejects names in `crit` that the policy does not list. `b64` is understood in signatures (RFC 7797); it has no
    /// meaning in a JWE.
    func checkUnderstood(_ understood: [String], isSignature: Bool = false) throws(JOSEError) {
        guard let crit = value(.crit) else { return }
        for value in crit.array(in: bytes.span) ?? [] {
            guard let name = value.stringBytes(in: bytes.span),
                understood.contains(where: { bytesEqual($0.utf8.span, name) })
                    || isSignature && bytesEqual(name.span, "b64")
            else { throw .criticalHeaderUnknown }
        }
        if !isSignature, payloadIsUnencoded { throw .criticalHeaderUnknown }
    }

    /// Whether `b64` is present and false.
    package var payloadIsUnencoded: Bool { value(.b64)?.bool() == false }

    package func check(type: TypeRule, contentType: TypeRule) throws(JOSEError) {
        guard type.accepts(value(.typ), in: bytes.span) else { throw .headerInvalid(.type) }
        guard contentType.accepts(value(.cty), in: bytes.span) else { throw .headerInvalid(.contentType) }
    }
}
