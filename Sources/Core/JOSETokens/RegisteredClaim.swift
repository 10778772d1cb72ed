internal import JOSEBytes

/// The claims that a policy can check. All are found in one pass over the members.
enum RegisteredClaim: UInt8, CaseIterable, Sendable {
    case iss, sub, aud, exp, nbf, iat, jti, nonce, azp, acr, authTime, atHash, cHash

    var name: StaticString {
        switch self {
        case .iss: "iss"
        case .sub: "sub"
        case .aud: "aud"
        case .exp: "exp"
        case .nbf: "nbf"
        case .iat: "iat"
        case .jti: "jti"
        case .nonce: "nonce"
        case .azp: "azp"
        case .acr: "acr"
        case .authTime: "auth_time"
        case .atHash: "at_hash"
        case .cHash: "c_hash"
        }
    }

    var claimName: ClaimName { ClaimName(name.description) }

    static let table = NameTable(allCases.map(\.name))

    /// Returns the index of each claim among the members, or -1, by raw value.
    static func indices(in claims: Claims) -> InlineArray<13, Int32> {
        var indices = InlineArray<13, Int32>(repeating: -1)
        var found = indices.mutableSpan
        table.find(claims.object.members, in: claims.payload.span, &found)
        return indices
    }
}
