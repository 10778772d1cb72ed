package import JOSE

/// A rule for the claims of a token, as a value.
///
/// A caller with an order of its own checks rules one by one, with `ClaimEvaluation`. `ClaimChecker` runs the functions of the same
/// rules in the fixed order of a `ClaimPolicy`. Both reach `ClaimRun`, where each rule is written once.
package enum ClaimRule: Sendable {
    /// `iss` must be present and equal this value (RFC 7519, 4.1.1).
    case issuer(String)
    /// `tid` must be a tenant, and `iss` the issuer of that tenant.
    case issuerTemplate(IssuerMatcher)
    /// `tid` and `iss` must be those of an accepted tenant.
    case acceptedTenant(IssuerMatcher)
    /// `aud` must be present and equal or contain this value (RFC 7519, 4.1.3).
    case audience(String)
    /// `aud` must contain no other value than the client and these (OpenID Connect Core, 3.1.3.7, step 3).
    case noOtherAudience(than: String, trusted: [String])
    /// `azp` must be this client if it is present and not null, and must be so if there are several audiences and
    /// `isRequiredForSeveral` is set (OpenID Connect Core, 3.1.3.7, steps 4 and 5).
    case authorizedParty(String, isRequiredForSeveral: Bool)
    /// `exp` must not have passed (RFC 7519, 4.1.4).
    case expiration(isRequired: Bool)
    /// `nbf`, if present, must not be in the future (RFC 7519, 4.1.5).
    case notBefore
    /// `iat` must not be in the future (RFC 7519, 4.1.6).
    case issuedAt(isRequired: Bool)
    /// `auth_time` must be present, a time, not in the future and no longer ago than the maximum age in seconds (OpenID Connect
    /// Core, 3.1.3.7, step 13). Without a maximum age it is not checked.
    case authenticationTime(maximumAge: Double?)
    /// `sub` must be present and have 1 to 255 ASCII characters (OpenID Connect Core, 2).
    case subject
    /// `sub` must be present and equal this value.
    case subjectEquals(String)
    /// `nonce` must be present and equal this value (OpenID Connect Core, 3.1.3.7, step 11).
    case nonce(String)
    /// `acr` must be present and one of these values (OpenID Connect Core, 3.1.3.7, step 12).
    case acr([String])
    /// `at_hash`, if present, must be the hash of this access token (OpenID Connect Core, 3.1.3.8).
    case accessTokenHash(of: String)
    /// `c_hash`, if present, must be the hash of this code (OpenID Connect Core, 3.3.2.11).
    case codeHash(of: String)
    /// The claim must be present, with any value.
    case required(ClaimName)
    /// The claim must be present and a string that is not empty.
    case requiredString(ClaimName)
    /// The claim must be present and one of these strings, byte by byte.
    case oneOf(ClaimName, [String])
    /// The claim must be absent.
    case forbidden(ClaimName)
}

/// The claims of one token, with what rules compare them with besides their own parameters.
package struct ClaimEvaluation: Sendable {
    package let claims: Claims
    private let algorithm: SignatureAlgorithm?
    private let clock: ClaimRun.Clock
    private let places: InlineArray<13, Int32>

    /// Creates an evaluation.
    ///
    /// - Parameters:
    ///   - claims: The claims of the token.
    ///   - algorithm: The algorithm of the token's signature, which determines the hash function of `at_hash` and `c_hash`; nil if
    ///     the token has none.
    ///   - now: The current time, in seconds since 1970.
    ///   - leeway: The seconds by which clocks may differ.
    package init(_ claims: Claims, algorithm: SignatureAlgorithm?, now: Double, leeway: Double) {
        self.claims = claims
        self.algorithm = algorithm
        clock = ClaimRun.Clock(now: now, leeway: leeway)
        places = RegisteredClaim.places(in: claims)
    }

    /// Checks one rule.
    package func check(_ rule: ClaimRule) throws(ClaimFault) {
        var run = ClaimRun(places, everyFailure: false)
        switch rule {
        case .issuer(let issuer): try run.issuer(TextList([issuer]), in: claims)
        case .issuerTemplate(let template): _ = try run.tenant(template, in: claims)
        case .acceptedTenant(let template): try run.issuer(template, in: claims)
        case .audience(let audience): try run.audience(TextList([audience]), in: claims)
        case .noOtherAudience(let client, let trusted):
            try run.noOtherAudience(than: TextList([client] + trusted), in: claims)
        case .authorizedParty(let client, let isRequiredForSeveral):
            try run.authorizedParty(client, isRequiredForSeveral: isRequiredForSeveral, in: claims)
        case .expiration(let isRequired): _ = try run.expiration(isRequired: isRequired, clock, in: claims)
        case .notBefore: _ = try run.notBefore(clock, in: claims)
        case .issuedAt(let isRequired):
            _ = try run.issuedAt(isRequired: isRequired, maximumAge: nil, clock, in: claims)
        case .authenticationTime(let maximumAge):
            try run.authenticationTime(maximumAge: maximumAge, clock, in: claims)
        case .subject: try run.subject(isRequired: true, in: claims)
        case .subjectEquals(let subject): try run.text(.sub, subject, in: claims)
        case .nonce(let nonce): try run.nonce(nonce, in: claims)
        case .acr(let accepted): try run.level(accepted, in: claims)
        case .accessTokenHash(let token):
            try run.tokenHash(.atHash, of: token, isRequired: false, algorithm, in: claims)
        case .codeHash(let code): try run.tokenHash(.cHash, of: code, isRequired: false, algorithm, in: claims)
        case .required(let name): try run.required(name, in: claims)
        case .requiredString(let name):
            guard let text = try string(name) else { throw ClaimFault(claim: name, kind: .absent) }
            if text.isEmpty { throw ClaimFault(claim: name, kind: .empty) }
        case .oneOf(let name, let accepted):
            try run.oneOf(accepted, claims.value(name.description), of: name, in: claims)
        case .forbidden(let name): try run.forbidden(name, in: claims)
        }
    }

    /// Checks the age of an authentication, for a provider that writes `auth_time` in a form of its own.
    package func check(authenticatedAt time: Double?, maximumAge: Double) throws(ClaimFault) {
        guard let time else { throw ClaimFault(claim: "auth_time", kind: .absent) }
        var run = ClaimRun(places, everyFailure: false)
        try run.authenticationAge(time, maximumAge: maximumAge, clock)
    }

    /// Checks that the claims which the outer header of an encrypted token repeats equal those of the token (RFC 7519, 5.3).
    package func check(repeatedIn outer: JOSEHeader) throws(ClaimFault) {
        var run = ClaimRun(places, everyFailure: false)
        try run.copies(in: outer, of: claims)
    }

    /// Returns a claim that must be a string where it is present; nil if it is absent.
    package func string(_ name: ClaimName) throws(ClaimFault) -> String? {
        guard claims.contains(name.description) else { return nil }
        guard let text = claims.string(name.description) else { throw ClaimFault(claim: name, kind: .malformed) }
        return text
    }

    /// Returns a claim that must be a time where it is present, in seconds since 1970; nil if it is absent.
    package func time(_ name: ClaimName) throws(ClaimFault) -> Double? {
        guard let value = claims.value(name.description) else { return nil }
        guard let time = ClaimRun.time(value, in: claims.payload.span) else {
            throw ClaimFault(claim: name, kind: .malformed)
        }
        return time
    }
}

extension ClaimEvaluation {
    /// Creates an evaluation for the rules of a profile that compare no time with the clock.
    init(_ token: VerifiedToken) { self.init(token.claims, algorithm: token.algorithm, now: 0, leeway: 0) }

    /// Checks one rule of a profile, and throws the failure that a verifier reports.
    func require(_ rule: ClaimRule) throws(TokenError) {
        do throws(ClaimFault) { try check(rule) } catch { throw .claim(ClaimFailure(error)) }
    }
}
