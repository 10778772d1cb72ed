internal import JOSE
internal import JOSEBytes

/// One run of the checks over the claims of a token. The claims are passed to each check and not stored, which saves a reference
/// count.
struct ClaimRun {
    /// The index of each claim among the members, or -1, by `RegisteredClaim.rawValue`.
    private let places: InlineArray<13, Int32>
    private let everyFailure: Bool
    private(set) var failures: [ClaimFailure] = []

    init(_ places: InlineArray<13, Int32>, everyFailure: Bool) {
        self.places = places
        self.everyFailure = everyFailure
    }

    private func value(_ claim: RegisteredClaim, in claims: Claims) -> JSONValue? {
        let place = places[Int(claim.rawValue)]
        return place < 0 ? nil : claims.object.members[Int(place)].value
    }

    mutating func fail(_ failure: ClaimFailure) throws(FirstFailure) {
        guard everyFailure else { throw FirstFailure(failure: failure) }
        failures.append(failure)
    }

    /// Checks `iss` (RFC 7519, 4.1.1). Without a list only its type is checked.
    mutating func issuer(_ allowed: TextList?, in claims: Claims) throws(FirstFailure) {
        guard let allowed else { return try text(.iss, nil, in: claims) }
        guard let value = value(.iss, in: claims), allowed.contains(value, in: claims.payload.span) else {
            return try fail(.issuerMismatch)
        }
    }

    /// Checks `aud` (RFC 7519, 4.1.3): one string, or an array of strings alone that contains an accepted one.
    mutating func audience(_ allowed: TextList?, in claims: Claims) throws(FirstFailure) {
        guard let value = value(.aud, in: claims) else {
            if allowed != nil { try fail(.audienceMismatch) }
            return
        }
        guard Self.isAudience(value, allowed, in: claims) else {
            return try fail(allowed == nil ? .invalid("aud") : .audienceMismatch)
        }
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

    /// Checks `exp`, `nbf`, `iat` and `auth_time` (RFC 7519, 4.1.4 to 4.1.6). A time of a wrong type is never treated as absent.
    mutating func times(_ policy: ClaimPolicy, now: Double, in claims: Claims) throws(FirstFailure) {
        let expiration = try time(.exp, required: policy.needsExpiration, in: claims)
        if let expiration, expiration + policy.leewaySeconds <= now { try fail(.expired) }
        let notBefore = try time(.nbf, required: false, in: claims)
        if let notBefore, notBefore > now + policy.leewaySeconds { try fail(.notYetValid) }
        let issued = try time(.iat, required: policy.maximumAgeSeconds != nil, in: claims)
        if let issued {
            if issued > now + policy.leewaySeconds { try fail(.notYetValid) }
            if let most = policy.maximumAgeSeconds, now - issued > most + policy.leewaySeconds {
                try fail(.tooOld("iat"))
            }
        }
        if let most = policy.maximumLifetimeSeconds, let expiration {
            let start = min(now, notBefore ?? now, issued ?? now)
            if expiration - start > most + policy.leewaySeconds { try fail(.lifetimeTooLong) }
        }
        if let authenticated = try time(.authTime, required: policy.maximumAuthenticationAgeSeconds != nil, in: claims)
        {
            if let most = policy.maximumAuthenticationAgeSeconds {
                if authenticated > now + policy.leewaySeconds { try fail(.notYetValid) }
                if now - authenticated > most + policy.leewaySeconds { try fail(.tooOld("auth_time")) }
            }
        }
    }

    private mutating func time(
        _ claim: RegisteredClaim, required: Bool, in claims: Claims
    ) throws(FirstFailure) -> Double? {
        guard let value = value(claim, in: claims) else {
            if required { try fail(.missing(claim.claimName)) }
            return nil
        }
        guard let time = NumericDate.read(value, in: claims.payload.span) else {
            try fail(.invalid(claim.claimName))
            return nil
        }
        return time
    }

    /// Checks a claim that must be a string where it is present. If `wanted` is given, the claim is required and must equal it.
    mutating func text(_ claim: RegisteredClaim, _ wanted: String?, in claims: Claims) throws(FirstFailure) {
        guard let value = value(claim, in: claims) else {
            if wanted != nil { try fail(.missing(claim.claimName)) }
            return
        }
        guard case .string = value.kind, wanted.map({ value.equals($0.utf8.span, in: claims.payload.span) }) ?? true
        else {
            return try fail(.invalid(claim.claimName))
        }
    }

    /// Checks `acr` against the accepted values, byte by byte.
    mutating func level(_ accepted: [String]?, in claims: Claims) throws(FirstFailure) {
        guard let accepted else { return }
        guard let value = value(.acr, in: claims) else { return try fail(.missing("acr")) }
        guard accepted.contains(where: { value.equals($0.utf8.span, in: claims.payload.span) }) else {
            return try fail(.invalid("acr"))
        }
    }

    /// Checks `at_hash` or `c_hash`. The signature algorithm determines the hash function, so that the check fails for a token
    /// without a signature.
    mutating func tokenHash(
        _ claim: RegisteredClaim, of token: String?, _ algorithm: SignatureAlgorithm?, in claims: Claims
    ) throws(FirstFailure) {
        guard let token else { return }
        guard let value = value(claim, in: claims) else { return try fail(.missing(claim.claimName)) }
        guard let wanted = try? algorithm?.tokenHash(of: token), value.equals(wanted.utf8.span, in: claims.payload.span)
        else { return try fail(.invalid(claim.claimName)) }
    }

    /// Checks that claims which the outer header repeats equal those of the token (RFC 7519, 5.3): the same string, or for `aud`
    /// the same strings in the same order, where a single string counts as a list of one.
    mutating func copies(in outer: JOSEHeader, of claims: Claims) throws(FirstFailure) {
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
                try fail(.headerCopyDiffers(registered.claimName))
                continue
            }
        }
    }

    private static func strings(_ value: JSONValue, in bytes: [UInt8]) -> [[UInt8]]? {
        if let one = value.stringBytes(in: bytes.span) { return [one] }
        guard let values = value.array(in: bytes.span) else { return nil }
        var texts: [[UInt8]] = []
        for value in values {
            guard let text = value.stringBytes(in: bytes.span) else { return nil }
            texts.append(text)
        }
        return texts
    }
}
