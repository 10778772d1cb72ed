internal import JOSE
internal import JOSEBytes

/// One token's claims on their way through the checks.
struct ClaimRun {
    let claims: Claims
    private let places: ClaimPlaces
    private let everyFailure: Bool
    private(set) var failures: [ClaimFailure] = []

    init(_ claims: Claims, everyFailure: Bool) {
        self.claims = claims
        self.everyFailure = everyFailure
        places = ClaimPlaces(claims.object, in: claims.payload.span)
    }

    private func value(_ claim: RegisteredClaim) -> JSONValue? {
        places[claim].map { claims.object.members[$0].value }
    }

    mutating func fail(_ failure: ClaimFailure) throws(FirstFailure) {
        guard everyFailure else { throw FirstFailure(failure: failure) }
        failures.append(failure)
    }

    /// RFC 7519, 4.1.1. Without a list only the type is looked at.
    mutating func issuer(_ allowed: TextList?) throws(FirstFailure) {
        guard let allowed else { return try text(.iss, nil) }
        guard let value = value(.iss), allowed.contains(value, in: claims.payload.span) else {
            return try fail(.issuerMismatch)
        }
    }

    /// RFC 7519, 4.1.3: one string, or an array of nothing but strings that holds one of ours.
    mutating func audience(_ allowed: TextList?) throws(FirstFailure) {
        guard let value = value(.aud) else {
            if allowed != nil { try fail(.audienceMismatch) }
            return
        }
        guard isAudience(value, allowed) else { return try fail(allowed == nil ? .invalid("aud") : .audienceMismatch) }
    }

    private func isAudience(_ value: JSONValue, _ allowed: TextList?) -> Bool {
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

    /// RFC 7519, 4.1.4 to 4.1.6, and `auth_time`. A time of a wrong type is never taken for an absent one.
    mutating func times(_ policy: ClaimPolicy, now: Double) throws(FirstFailure) {
        if let expiration = try time(.exp, required: policy.requiresExpiration), expiration + policy.leeway <= now {
            try fail(.expired)
        }
        if let notBefore = try time(.nbf, required: false), notBefore > now + policy.leeway { try fail(.notYetValid) }
        if let issued = try time(.iat, required: policy.maximumAge != nil) {
            if issued > now + policy.leeway { try fail(.notYetValid) }
            if let most = policy.maximumAge, now - issued > most + policy.leeway { try fail(.tooOld("iat")) }
        }
        if let authenticated = try time(.authTime, required: policy.maximumAuthenticationAge != nil) {
            if let most = policy.maximumAuthenticationAge {
                if authenticated > now + policy.leeway { try fail(.notYetValid) }
                if now - authenticated > most + policy.leeway { try fail(.tooOld("auth_time")) }
            }
        }
    }

    private mutating func time(_ claim: RegisteredClaim, required: Bool) throws(FirstFailure) -> Double? {
        guard let value = value(claim) else {
            if required { try fail(.missing(claim.claimName)) }
            return nil
        }
        guard let time = NumericDate.read(value, in: claims.payload.span) else {
            try fail(.invalid(claim.claimName))
            return nil
        }
        return time
    }

    /// A string where it is there; there, and that one, where the policy names it.
    mutating func text(_ claim: RegisteredClaim, _ wanted: String?) throws(FirstFailure) {
        guard let value = value(claim) else {
            if wanted != nil { try fail(.missing(claim.claimName)) }
            return
        }
        guard case .string = value.kind, wanted.map({ value.equals($0.utf8.span, in: claims.payload.span) }) ?? true
        else {
            return try fail(.invalid(claim.claimName))
        }
    }

    /// `acr`: one of the levels, compared byte by byte.
    mutating func level(_ accepted: [String]?) throws(FirstFailure) {
        guard let accepted else { return }
        guard let value = value(.acr) else { return try fail(.missing("acr")) }
        guard accepted.contains(where: { value.equals($0.utf8.span, in: claims.payload.span) }) else {
            return try fail(.invalid("acr"))
        }
    }

    /// `at_hash`, `c_hash`: in a token that is not signed no algorithm says which hash, so none holds.
    mutating func tokenHash(
        _ claim: RegisteredClaim, of token: String?, _ algorithm: SignatureAlgorithm?
    ) throws(FirstFailure) {
        guard let token else { return }
        guard let value = value(claim) else { return try fail(.missing(claim.claimName)) }
        guard let wanted = try? algorithm?.tokenHash(of: token), value.equals(wanted.utf8.span, in: claims.payload.span)
        else { return try fail(.invalid(claim.claimName)) }
    }

    /// What the outer header repeats must be what the claims say (RFC 7519, 5.3): the same string, or for `aud` the same
    /// strings in the same order, one string being a list of one.
    mutating func copies(in outer: Header) throws(FirstFailure) {
        for claim in Header.RepeatedClaim.allCases {
            guard let copy = outer.repeated(claim) else { continue }
            let registered: RegisteredClaim =
                switch claim {
                case .issuer: .iss
                case .subject: .sub
                case .audience: .aud
                }
            guard let value = value(registered),
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
