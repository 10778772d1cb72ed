internal import JOSE
internal import JOSESupport

/// One run of rules over the claims of a token, in the order in which the caller calls them. Each rule is a function
/// here and in the extensions, and is written once. The claims are passed to each rule and not stored, which saves a
/// reference count.
struct ClaimRun {
    /// The index of each claim among the members, or -1, by `RegisteredClaim.rawValue`.
    private let indices: InlineArray<13, Int32>
    private let everyFailure: Bool
    private(set) var failures: [ClaimFailure] = []

    init(_ indices: InlineArray<13, Int32>, everyFailure: Bool) {
        self.indices = indices
        self.everyFailure = everyFailure
    }

    func value(_ claim: RegisteredClaim, in claims: Claims) -> JSONValue? {
        let index = indices[Int(claim.rawValue)]
        return index < 0 ? nil : claims.object.members[Int(index)].value
    }

    mutating func fail(_ fault: ClaimFault) throws(ClaimFault) {
        guard everyFailure else { throw fault }
        failures.append(ClaimFailure(fault))
    }

    mutating func fail(_ claim: RegisteredClaim, _ kind: ClaimFault.Kind) throws(ClaimFault) {
        try fail(ClaimFault(claim: claim.claimName, kind: kind))
    }

    /// Checks `iss` (RFC 7519, 4.1.1). Without a list only its type is checked.
    mutating func issuer(_ allowed: TextList?, in claims: Claims) throws(ClaimFault) {
        guard let allowed else { return try text(.iss, nil, in: claims) }
        guard let value = value(.iss, in: claims), allowed.contains(value, in: claims.payload.span) else {
            return try fail(.iss, .mismatch)
        }
    }

    /// Checks `aud` (RFC 7519, 4.1.3): one string, or an array of strings alone that contains an accepted one, and no
    /// other than the known ones if there is a list of them.
    mutating func audience(_ allowed: TextList?, known: TextList? = nil, in claims: Claims) throws(ClaimFault) {
        guard let value = value(.aud, in: claims) else {
            if allowed != nil { try fail(.aud, .mismatch) }
            return
        }
        guard Self.isAudience(value, allowed, in: claims) else {
            return try fail(.aud, allowed == nil ? .malformed : .mismatch)
        }
        if let known { try noOtherAudience(than: known, in: claims) }
    }

    private static func isAudience(_ value: JSONValue, _ allowed: TextList?, in claims: Claims) -> Bool {
        let bytes = claims.payload.span
        if case .string = value.kind { return allowed?.contains(value, in: bytes) ?? true }
        guard let values = value.array(in: bytes), !values.isEmpty else { return false }
        var isOurs = allowed == nil
        for value in values {
            guard case .string = value.kind else { return false }
            if !isOurs, let allowed { isOurs = allowed.contains(value, in: bytes) }
        }
        return isOurs
    }

    /// Checks a claim that must be a string where it is present. If `wanted` is given, the claim is required and must
    /// equal it.
    mutating func text(_ claim: RegisteredClaim, _ wanted: String?, in claims: Claims) throws(ClaimFault) {
        guard let value = value(claim, in: claims) else {
            if wanted != nil { try fail(claim, .absent) }
            return
        }
        guard case .string = value.kind else { return try fail(claim, .malformed) }
        if let wanted, !value.equals(wanted.utf8.span, in: claims.payload.span) { try fail(claim, .mismatch) }
    }

    /// Checks that a claim has one of the accepted values, byte by byte: a string by its content, and a number, `true`
    /// and `false` by their JSON text.
    mutating func value(of name: ClaimName, isOneOf accepted: TextList, in claims: Claims) throws(ClaimFault) {
        guard let value = claims.value(name.description) else {
            return try fail(ClaimFault(claim: name, kind: .absent))
        }
        let bytes = claims.payload.span
        let isAccepted: Bool
        switch value.kind {
        case .string: isAccepted = accepted.contains(value, in: bytes)
        case .number, .true, .false:
            isAccepted = accepted.contains(bytes.extracting(Int(value.start)..<Int(value.end)))
        case .object, .array, .null: return try fail(ClaimFault(claim: name, kind: .malformed))
        }
        if !isAccepted { try fail(ClaimFault(claim: name, kind: .mismatch)) }
    }

    /// Checks that a claim is present, with any value.
    mutating func required(_ name: ClaimName, in claims: Claims) throws(ClaimFault) {
        if !claims.contains(name.description) { try fail(ClaimFault(claim: name, kind: .absent)) }
    }

    /// Checks that a claim is absent.
    mutating func forbidden(_ name: ClaimName, in claims: Claims) throws(ClaimFault) {
        if claims.contains(name.description) { try fail(ClaimFault(claim: name, kind: .unexpected)) }
    }

    /// Checks that claims which the outer header repeats equal those of the token (RFC 7519, 5.3): the same string, or
    /// for `aud` the same strings in the same order, where a single string counts as a list of one.
    mutating func copies(in outer: JOSEHeader, of claims: Claims) throws(ClaimFault) {
        for claim in JOSEHeader.RepeatedClaim.allCases {
            guard let copy = outer.repeated(claim) else { continue }
            let registered: RegisteredClaim =
                switch claim {
                case .issuer: .iss
                case .subject: .sub
                case .audience: .aud
                }
            guard let value = value(registered, in: claims),
                Self.strings(copy, in: outer.bytes) == Self.strings(value, in: claims.payload),
                Self.strings(copy, in: outer.bytes) != nil, claim == .audience || copy.kind == .string
            else {
                try fail(registered, .copyDiffers)
                continue
            }
        }
    }

    private static func strings(_ value: JSONValue, in bytes: [UInt8]) -> [[UInt8]]? {
        if let one = value.stringBytes(in: bytes.span) { return [one] }
        guard let values = value.array(in: bytes.span) else { return nil }
        let texts = values.compactMap { $0.stringBytes(in: bytes.span) }
        return texts.count == values.count ? texts : nil
    }
}
