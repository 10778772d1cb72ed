public import JOSE
internal import JOSESupport

/// A rule for the issuers whose tokens a policy accepts. Values of `iss` are compared byte by byte (RFC 7519, 4.1.1).
public enum IssuerRule: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// `iss` must be present and equal this value.
    case exactly(String)
    /// `iss` must be present and equal one of these values. An empty list is rejected with `policyInvalid`.
    case oneOf([String])
    /// `iss` must be the issuer of an accepted tenant of a provider with many, and `tid` that tenant. The key that
    /// verified the token must be published for the issuer.
    case template(IssuerTemplate)
    /// Any issuer is accepted, and so is a token without `iss`: a holder of any key in the set can issue tokens in the
    /// name of every issuer.
    case anyIssuerUnchecked

    /// Creates the rule that `iss` must equal the literal.
    public init(stringLiteral issuer: String) { self = .exactly(issuer) }
    /// Creates the rule that `iss` must equal one of the elements.
    public init(arrayLiteral issuers: String...) { self = .oneOf(issuers) }

    /// The accepted issuers; nil where they are not listed.
    package var listed: [String]? {
        switch self {
        case .exactly(let issuer): [issuer]
        case .oneOf(let issuers): issuers
        case .template, .anyIssuerUnchecked: nil
        }
    }
}

/// A rule for the audiences that a policy accepts. `aud` must equal an accepted value or contain it; values are
/// compared byte by byte (RFC 7519, 4.1.3).
public enum AudienceRule: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// `aud` must be present and equal this value or contain it.
    case exactly(String)
    /// `aud` must be present and equal or contain one of these values. An empty list is rejected with
    /// `policyInvalid`.
    case oneOf([String])
    /// Any audience is accepted, even if the token was issued for another recipient, and so is a token without `aud`.
    case anyAudienceUnchecked

    /// Creates the rule that `aud` must equal or contain the literal.
    public init(stringLiteral audience: String) { self = .exactly(audience) }
    /// Creates the rule that `aud` must equal or contain one of the elements.
    public init(arrayLiteral audiences: String...) { self = .oneOf(audiences) }

    /// The accepted audiences; nil where any is accepted.
    package var listed: [String]? {
        switch self {
        case .exactly(let audience): [audience]
        case .oneOf(let audiences): audiences
        case .anyAudienceUnchecked: nil
        }
    }
}

/// The requirements for the claims of a token, which are checked after its layers were verified. Issuer and audience
/// have no default.
///
/// The claims are checked in this order: `iss`, `aud`, `exp`, `nbf`, `iat`, the lifetime, the remaining lifetime,
/// `auth_time`, `sub`, `jti`, `nonce`, `azp`, `acr`, `at_hash`, `c_hash`, the accepted values, the required and the
/// forbidden claims, and what the outer header repeats. The claims of RFC 7519, 4.1, are rejected with `invalid` if
/// they are of a wrong type, even where nothing else is required of them; every other claim is checked only where the
/// policy asks for it. A time (`exp`, `nbf`, `iat`, `auth_time`) must be a number of seconds from 0 to 2^53; RFC 7519
/// does not forbid negative numbers, but no token is issued or expires before 1970.
public struct ClaimPolicy: Sendable {
    /// The accepted issuers, `iss`.
    public var issuer: IssuerRule
    /// The accepted audiences, `aud`.
    public var audience: AudienceRule
    /// The audiences that `aud` may contain beside the accepted ones (OpenID Connect Core, 3.1.3.7, step 3): any other
    /// is rejected with `audienceMismatch`. With nil, the default, `aud` may contain any others.
    public var trustedAudiences: [String]?
    /// The time by which the clocks of issuer and verifier may differ: 0 to 300 seconds, and 60 seconds by default. It
    /// is applied to `exp`, `nbf`, `iat` and `auth_time`.
    public var leeway: Duration {
        get { Duration(saturatingSeconds: leewaySeconds) }
        set { leewaySeconds = newValue.inSeconds }
    }
    /// `leeway` in seconds, as it is read for each token.
    package var leewaySeconds: Double = 60
    /// The clock that `exp`, `nbf`, `iat` and `auth_time` are compared with.
    public var clock: WallClock = .system
    /// A Boolean value that indicates whether `exp` is required. An `exp` that is present is always checked.
    public var requiresExpiration = true
    /// Whether a token without `exp` is rejected. A maximum lifetime requires `exp`, because it is measured up to
    /// `exp`, and so does a minimum remaining lifetime.
    var needsExpiration: Bool {
        requiresExpiration || maximumLifetimeSeconds != nil || minimumRemainingLifetimeSeconds != nil
    }
    /// The accepted values of claims, by the name of the claim, which is then required, such as
    /// `["token_use": ["access"]]`.
    ///
    /// Values are compared byte by byte: a string by its content, and a number, `true` and `false` by their JSON text.
    /// A claim of another kind, such as an array, has no accepted value.
    public var acceptedValues: [ClaimName: [String]] = [:]
    /// The names of additional claims that must be present, with any value.
    public var required: [ClaimName] = []
    /// The names of claims that must be absent.
    public var forbidden: [ClaimName] = []
    /// The longest accepted time since `iat`, which is then required. With nil, the default, there is no bound.
    public var maximumAge: Duration? {
        get { maximumAgeSeconds.map { Duration(saturatingSeconds: $0) } }
        set { maximumAgeSeconds = newValue?.inSeconds }
    }
    /// `maximumAge` in seconds, as it is read for each token.
    package var maximumAgeSeconds: Double?
    /// The longest accepted lifetime of a token. With nil, the default, there is no bound.
    ///
    /// A token is rejected with `lifetimeTooLong` if the time from the earliest of now, `iat` and `nbf` to `exp`
    /// exceeds this lifetime by more than the leeway. A token without `exp` is rejected; `iat` and `nbf` may be absent.
    /// A profile with a replay store requires a bound, because the store remembers a token until it expires.
    public var maximumLifetime: Duration? {
        get { maximumLifetimeSeconds.map { Duration(saturatingSeconds: $0) } }
        set { maximumLifetimeSeconds = newValue?.inSeconds }
    }
    /// `maximumLifetime` in seconds, as it is read for each token.
    package var maximumLifetimeSeconds: Double?
    /// The shortest accepted time from now to `exp`, which is then required. With nil, the default, there is no bound.
    ///
    /// A token whose `exp` is sooner is rejected with `expiresTooSoon`: it would expire while the request that it
    /// authorizes is still being processed, or at the next service that receives it. The leeway is not applied to this
    /// time.
    public var minimumRemainingLifetime: Duration? {
        get { minimumRemainingLifetimeSeconds.map { Duration(saturatingSeconds: $0) } }
        set { minimumRemainingLifetimeSeconds = newValue?.inSeconds }
    }
    /// `minimumRemainingLifetime` in seconds, as it is read for each token.
    package var minimumRemainingLifetimeSeconds: Double?
    /// The required value of `sub`, or nil, the default, to accept any.
    public var subject: String?
    /// The required value of `nonce`, or nil, the default, to accept any (OpenID Connect Core, 3.1.3.7, step 11).
    public var nonce: String?
    /// The required value of `azp`, or nil, the default, to accept any (OpenID Connect Core, 3.1.3.7, step 5).
    public var authorizedParty: String?
    /// The accepted values of `acr`, which is then required. With nil, the default, `acr` is not checked.
    public var acceptedACR: [String]?
    /// The longest accepted time since `auth_time`, which is then required. With nil, the default, there is no bound.
    public var maximumAuthenticationAge: Duration? {
        get { maximumAuthenticationAgeSeconds.map { Duration(saturatingSeconds: $0) } }
        set { maximumAuthenticationAgeSeconds = newValue?.inSeconds }
    }
    /// `maximumAuthenticationAge` in seconds, as it is read for each token.
    package var maximumAuthenticationAgeSeconds: Double?
    /// The access token that was issued with the token. If it is set, `at_hash` must be present and must be its hash
    /// (OpenID Connect Core, 3.1.3.6).
    public var accessToken: String?
    /// The authorization code that was issued with the token. If it is set, `c_hash` must be present and must be its
    /// hash (OpenID Connect Core, 3.3.2.11).
    public var code: String?
    /// A Boolean value that indicates whether verification throws `TokenError.claims` with every failed claim instead
    /// of `TokenError.claim` with the first.
    public var reportsEveryFailure = false

    /// Creates a policy that requires `exp`, the issuer and the audience, with a leeway of 60 seconds. Set the
    /// properties to require more.
    public init(issuer: IssuerRule, audience: AudienceRule) {
        self.issuer = issuer
        self.audience = audience
    }

    /// Creates a policy that requires `exp`, this issuer and this audience, with a leeway of 60 seconds. Set the
    /// properties to require more.
    public init(issuer: String, audience: String) { self.init(issuer: .exactly(issuer), audience: .exactly(audience)) }
}
