/// Whose tokens are accepted. Compared byte by byte (RFC 7519, 4.1.1).
public enum IssuerRule: Sendable, Equatable, ExpressibleByStringLiteral {
    /// `iss` must be there and be this.
    case exactly(String)
    /// `iss` must be there and be one of these; an empty list is `policyInvalid`.
    case oneOf([String])
    /// Accepts any issuer and none: whoever holds a key of the set can then speak for every issuer.
    case anyIssuerUnchecked

    public init(stringLiteral issuer: String) { self = .exactly(issuer) }
}

/// For whom a token must be meant: `aud` must be or hold one of these, byte by byte (RFC 7519, 4.1.3).
public enum AudienceRule: Sendable, Equatable, ExpressibleByStringLiteral {
    /// `aud` must be there and be or hold this.
    case exactly(String)
    /// `aud` must be there and be or hold one of these; an empty list is `policyInvalid`.
    case oneOf([String])
    /// Accepts tokens that were issued to others.
    case anyAudienceUnchecked

    public init(stringLiteral audience: String) { self = .exactly(audience) }
}

/// What time it is, in seconds since 1970.
public enum TokenClock: Sendable {
    /// The machine's, read for each token.
    case system
    /// For tests and replays.
    case fixed(Double)
    /// Called for each token, from whichever thread verifies it.
    case custom(@Sendable () -> Double)
}

/// What the claims of a token must be, once its layers held. Issuer and audience have no default.
public struct ClaimPolicy: Sendable {
    /// What `iss` must be.
    public var issuer: IssuerRule
    /// What `aud` must be or hold.
    public var audience: AudienceRule
    /// Seconds by which clocks may differ, 0 to 300; applied to `exp`, `nbf`, `iat`, `auth_time`.
    public var leeway: Double = 60
    /// What `exp`, `nbf`, `iat` and `auth_time` are compared with.
    public var clock: TokenClock = .system
    /// Whether `exp` must be there. Where it is, it is always checked.
    public var requiresExpiration = true
    /// Whether a token without `exp` is rejected: a longest lifetime needs one to be compared with.
    var needsExpiration: Bool { requiresExpiration || maximumLifetime != nil }
    /// Names of further claims that must be there, whatever their value.
    public var required: [ClaimName] = []
    /// Names of claims that must not be there.
    public var forbidden: [ClaimName] = []
    /// Most seconds since `iat`, which is then required.
    public var maximumAge: Double?
    /// The longest lifetime of a token in seconds; nil, the default, sets no bound.
    ///
    /// A token is rejected with `lifetimeTooLong` if `exp` is later than this many seconds, and the leeway, after the earliest of now,
    /// `iat` and `nbf`. A token without `exp` is rejected; `iat` and `nbf` may be absent. A profile with a replay store requires a bound,
    /// because the store remembers a token until it expires.
    public var maximumLifetime: Double?
    /// What `sub` must be.
    public var subject: String?
    /// What `nonce` must be (OpenID Connect Core, 3.1.3.7, step 11).
    public var nonce: String?
    /// What `azp` must be; it is then required (OpenID Connect Core, 3.1.3.7, step 5).
    public var authorizedParty: String?
    /// `acr` must be one of these.
    public var acceptedACR: [String]?
    /// Most seconds since `auth_time`, which is then required.
    public var maximumAuthenticationAge: Double?
    /// The access token that `at_hash` must be of; `at_hash` is then required (OpenID Connect Core, 3.1.3.6).
    public var accessToken: String?
    /// The code that `c_hash` must be of; `c_hash` is then required (OpenID Connect Core, 3.3.2.11).
    public var code: String?
    /// Throw `TokenError.claims` with every failure, and not the first alone.
    public var reportsEveryFailure = false

    /// The rest is set on the value; as it is, `exp` is required and nothing else.
    public init(issuer: IssuerRule, audience: AudienceRule) {
        self.issuer = issuer
        self.audience = audience
    }
}
