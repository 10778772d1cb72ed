internal import JOSESupport

/// The claims that a policy can check. All are found in one pass over the members.
enum RegisteredClaim: UInt8, CaseIterable, Sendable {
    case iss, sub, aud, exp, nbf, iat, jti, nonce, azp, acr, authTime, atHash, cHash

    /// The names of the claims, in the order of the cases.
    private static let names: [StaticString] = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "azp", "acr", "auth_time", "at_hash", "c_hash",
    ]

    var name: StaticString { Self.names[Int(rawValue)] }
    var claimName: ClaimName { ClaimName(name.description) }

    static let table = NameTable(names)

    /// Returns the index of each claim among the members, or -1, by raw value.
    static func indices(in claims: Claims) -> InlineArray<13, Int32> {
        var indices = InlineArray<13, Int32>(repeating: -1)
        var found = indices.mutableSpan
        table.find(claims.object.members, in: claims.payload.span, &found)
        return indices
    }
}
