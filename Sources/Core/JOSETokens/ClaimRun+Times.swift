internal import JOSE
internal import JOSESupport

extension ClaimRun {
    /// The time that claims are compared with, and the leeway, both in seconds.
    struct Clock: Sendable {
        let now: Double
        let leeway: Double
    }

    /// Reads a time of a claim (RFC 7519, 2): a JSON number from 0 to 2^53.
    ///
    /// - Returns: The number of seconds since 1970; nil for a value of another type, a string of digits included, and
    ///   for a negative number. RFC 7519 does not forbid negative numbers, but no token is issued or expires before
    ///   1970.
    @inline(__always)
    static func time(_ value: JSONValue, in bytes: Span<UInt8>) -> Double? {
        guard let number = value.number(in: bytes), number >= 0, number <= NumericDate.bound else { return nil }
        return number
    }

    /// Checks `exp`, `nbf`, `iat` and `auth_time` (RFC 7519, 4.1.4 to 4.1.6).
    mutating func times(_ policy: ClaimPolicy, now: Double, in claims: Claims) throws(ClaimFault) {
        let clock = Clock(now: now, leeway: policy.leewaySeconds)
        let expiration = try expiration(isRequired: policy.needsExpiration, clock, in: claims)
        let notBefore = try notBefore(clock, in: claims)
        let maximumAge = policy.maximumAgeSeconds
        let issued = try issuedAt(isRequired: maximumAge != nil, maximumAge: maximumAge, clock, in: claims)
        if let maximum = policy.maximumLifetimeSeconds, let expiration {
            let start = min(now, notBefore ?? now, issued ?? now)
            if expiration - start > maximum + policy.leewaySeconds { try fail(.exp, .tooFarAhead) }
        }
        if let minimum = policy.minimumRemainingLifetimeSeconds, let expiration, expiration + clock.leeway > now,
            expiration - now < minimum
        {
            try fail(.exp, .expiresTooSoon)
        }
        try authenticationTime(maximumAge: policy.maximumAuthenticationAgeSeconds, clock, in: claims)
    }

    /// Checks `exp`, and returns it.
    @inline(__always)
    mutating func expiration(isRequired: Bool, _ clock: Clock, in claims: Claims) throws(ClaimFault) -> Double? {
        let expiration = try time(.exp, isRequired: isRequired, in: claims)
        if let expiration, expiration + clock.leeway <= clock.now { try fail(.exp, .passed) }
        return expiration
    }

    /// Checks `nbf`, and returns it.
    @inline(__always)
    mutating func notBefore(_ clock: Clock, in claims: Claims) throws(ClaimFault) -> Double? {
        let notBefore = try time(.nbf, isRequired: false, in: claims)
        if let notBefore, notBefore > clock.now + clock.leeway { try fail(.nbf, .inFuture) }
        return notBefore
    }

    /// Checks `iat`, and returns it.
    @inline(__always)
    mutating func issuedAt(
        isRequired: Bool, maximumAge: Double?, _ clock: Clock, in claims: Claims
    ) throws(ClaimFault) -> Double? {
        guard let issued = try time(.iat, isRequired: isRequired, in: claims) else { return nil }
        if issued > clock.now + clock.leeway { try fail(.iat, .inFuture) }
        if let maximumAge, clock.now - issued > maximumAge + clock.leeway { try fail(.iat, .tooOld) }
        return issued
    }

    /// Checks the presence, the type and the value of `auth_time` if there is a maximum age. Without one it is not
    /// checked, because some issuers write it as text.
    @inline(__always)
    mutating func authenticationTime(
        maximumAge: Double?, _ clock: Clock, in claims: Claims
    ) throws(ClaimFault) {
        guard let maximumAge, let authenticated = try time(.authTime, isRequired: true, in: claims) else { return }
        try authenticationAge(authenticated, maximumAge: maximumAge, clock)
    }

    /// Checks that an authentication is not in the future and no longer ago than the maximum age.
    @inline(__always)
    mutating func authenticationAge(_ time: Double, maximumAge: Double, _ clock: Clock) throws(ClaimFault) {
        if time > clock.now + clock.leeway { try fail(.authTime, .inFuture) }
        if clock.now - time > maximumAge + clock.leeway { try fail(.authTime, .tooOld) }
    }

    /// Returns a claim that is a time. A value of a wrong type is never treated as absent.
    private mutating func time(
        _ claim: RegisteredClaim, isRequired: Bool, in claims: Claims
    ) throws(ClaimFault) -> Double? {
        guard let value = value(claim, in: claims) else {
            if isRequired { try fail(claim, .absent) }
            return nil
        }
        guard let time = Self.time(value, in: claims.payload.span) else {
            try fail(claim, .malformed)
            return nil
        }
        return time
    }
}
