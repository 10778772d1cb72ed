internal import JOSE
internal import JOSESupport

/// The rules of OpenID Connect Core, for ID tokens and for what repeats their claims.
extension ClaimRun {
    /// Checks that `sub` has 1 to 255 ASCII characters (OpenID Connect Core, 2).
    mutating func subject(isRequired: Bool, in claims: Claims) throws(ClaimFault) {
        guard let value = value(.sub, in: claims) else {
            if isRequired { try fail(.sub, .absent) }
            return
        }
        guard case .string = value.kind else { return try fail(.sub, .malformed) }
        let payload = claims.payload.span
        let count = value.contentCount(in: payload)
        guard count > 0 else { return try fail(.sub, .empty) }
        guard count <= 255, value.isASCII(in: payload) else { return try fail(.sub, .malformed) }
    }

    /// Checks that `aud` contains no other value than the known ones: the client and the trusted ones (3.1.3.7, step
    /// 3).
    mutating func noOtherAudience(than known: TextList, in claims: Claims) throws(ClaimFault) {
        guard let value = value(.aud, in: claims) else { return }
        let payload = claims.payload.span
        if case .string = value.kind {
            if !known.contains(value, in: payload) { try fail(.aud, .mismatch) }
            return
        }
        for one in value.array(in: payload) ?? [] where !known.contains(one, in: payload) {
            return try fail(.aud, .mismatch)
        }
    }

    /// Checks that `azp`, if present, is the client (3.1.3.7, steps 4 and 5). Null names no party, as an absent claim
    /// does.
    mutating func authorizedParty(
        _ client: String, isRequiredForSeveral: Bool, in claims: Claims
    ) throws(ClaimFault) {
        if let party = value(.azp, in: claims), party.kind != .null { return try text(.azp, client, in: claims) }
        guard isRequiredForSeveral, let audience = value(.aud, in: claims),
            let values = audience.array(in: claims.payload.span), values.count > 1
        else { return }
        try fail(.azp, .absent)
    }

    /// Checks that `nonce` equals `wanted` (3.1.3.7, step 11). The comparison takes constant time.
    mutating func nonce(_ wanted: String, in claims: Claims) throws(ClaimFault) {
        guard let value = value(.nonce, in: claims) else { return try fail(.nonce, .absent) }
        guard case .string = value.kind else { return try fail(.nonce, .malformed) }
        if !value.equalsInConstantTime(wanted.utf8.span, in: claims.payload.span) { try fail(.nonce, .mismatch) }
    }

    /// Checks `acr` against the accepted values (3.1.3.7, step 12).
    mutating func level(_ accepted: [String]?, in claims: Claims) throws(ClaimFault) {
        guard let accepted else { return }
        try oneOf(accepted, value(.acr, in: claims), of: "acr", in: claims)
    }

    /// Checks that the value of a claim is one of the accepted strings, byte by byte.
    mutating func oneOf(
        _ accepted: [String], _ value: JSONValue?, of name: ClaimName, in claims: Claims
    ) throws(ClaimFault) {
        guard let value else { return try fail(ClaimFault(claim: name, kind: .absent)) }
        guard case .string = value.kind else { return try fail(ClaimFault(claim: name, kind: .malformed)) }
        guard accepted.contains(where: { value.equals($0.utf8.span, in: claims.payload.span) }) else {
            return try fail(ClaimFault(claim: name, kind: .mismatch))
        }
    }

    /// Checks `at_hash` or `c_hash` (3.1.3.6 and 3.3.2.11). The signature algorithm determines the hash function, so
    /// that the check fails for a token without a signature. The comparison takes constant time.
    mutating func tokenHash(
        _ claim: RegisteredClaim, of token: String?, isRequired: Bool, _ algorithm: SignatureAlgorithm?,
        in claims: Claims
    ) throws(ClaimFault) {
        guard let token else { return }
        guard let value = value(claim, in: claims) else {
            if isRequired { try fail(claim, .absent) }
            return
        }
        guard let wanted = try? algorithm?.tokenHash(of: token),
            value.equalsInConstantTime(wanted.utf8.span, in: claims.payload.span)
        else { return try fail(claim, .mismatch) }
    }
}

extension JSONValue {
    /// Returns the number of UTF-8 bytes of a string, unescaped.
    fileprivate func contentCount(in bytes: Span<UInt8>) -> Int {
        escaped ? stringBytes(in: bytes)?.count ?? 0 : Int(end &- start) &- 2
    }

    /// Returns whether a string consists of ASCII characters alone.
    fileprivate func isASCII(in bytes: Span<UInt8>) -> Bool {
        if escaped { return stringBytes(in: bytes)?.allSatisfy { $0 < 0x80 } ?? false }
        var union: UInt8 = 0
        for index in Int(start) &+ 1..<Int(end) &- 1 { union |= bytes[index] }
        return union < 0x80
    }

    /// Returns whether this is a string of exactly these bytes, in a time that depends only on the two lengths.
    fileprivate func equalsInConstantTime(_ other: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        guard kind == .string else { return false }
        guard escaped else {
            return constantTimeEquals(bytes.extracting(Int(start) &+ 1..<Int(end) &- 1), other)
        }
        guard let text = stringBytes(in: bytes) else { return false }
        return constantTimeEquals(text.span, other)
    }
}
