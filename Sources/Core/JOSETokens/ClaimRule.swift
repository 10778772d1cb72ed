package import JOSE
internal import JOSESupport

/// A rule for the claims of a token, as a value.
///
/// A rule says what is checked, and a `ClaimPolicy` has the values that claims are compared with, so that one list of
/// rules is that of every client. A caller with an order of its own checks rules one by one, with `ClaimEvaluation`.
/// `ClaimChecker` runs the functions of the same rules in the fixed order of a policy. Both reach `ClaimRun`, where
/// each rule is written once.
package enum ClaimRule: Sendable {
    /// `iss` must be present and an accepted issuer (RFC 7519, 4.1.1), or any text if the policy accepts any issuer. If
    /// it is not required, it may be absent or null.
    case issuer(isRequired: Bool)
    /// `tid` must be a tenant, and `iss` the issuer of that tenant.
    case issuerTemplate(IssuerMatcher)
    /// `tid` and `iss` must be those of an accepted tenant.
    case acceptedTenant(IssuerMatcher)
    /// `aud` must be present and equal or contain an accepted audience (RFC 7519, 4.1.3), and no other value than the
    /// accepted and the trusted ones (OpenID Connect Core, 3.1.3.7, step 3). The trusted ones are those of the policy
    /// or, if it has none, these; with nil, or if the policy accepts any audience, `aud` may contain any others. If it
    /// is not required, it may be absent or null.
    case audience(isRequired: Bool, trusted: [String]?)
    /// `azp` must be the client if it is present and not null, and must be so if there are several audiences and
    /// `isRequiredForSeveral` is set (OpenID Connect Core, 3.1.3.7, steps 4 and 5). The client is the authorized party
    /// of the policy. If the policy has none, no claims meet the rule.
    case authorizedParty(isRequiredForSeveral: Bool)
    /// `exp` must not have passed (RFC 7519, 4.1.4).
    case expiration(isRequired: Bool)
    /// `nbf`, if present, must not be in the future (RFC 7519, 4.1.5).
    case notBefore
    /// `iat` must not be in the future (RFC 7519, 4.1.6).
    case issuedAt(isRequired: Bool)
    /// `jti`, if present, must be a string (RFC 7519, 4.1.7).
    case tokenID
    /// `auth_time` must be present, a time, not in the future and no longer ago than the maximum age (OpenID Connect
    /// Core, 3.1.3.7, step 13). Without a maximum age it is not checked.
    case authenticationTime
    /// `sub` must be present and have 1 to 255 ASCII characters (OpenID Connect Core, 2).
    case subject
    /// `sub` must be present and equal that of the policy, if the policy has one.
    case expectedSubject
    /// `nonce` must be present and equal that of the policy, if the policy has one (OpenID Connect Core, 3.1.3.7, step
    /// 11).
    case nonce
    /// `acr` must be what the policy requires of it: one of the accepted levels and of the accepted values, or present
    /// (OpenID Connect Core, 3.1.3.7, step 12).
    case acr
    /// `at_hash`, if present, must be the hash of the access token, if the policy has one (OpenID Connect Core,
    /// 3.1.3.8).
    case accessTokenHash
    /// `c_hash`, if present, must be the hash of the code, if the policy has one (OpenID Connect Core, 3.3.2.11).
    case codeHash
    /// The claim must be present, with any value.
    case required(ClaimName)
    /// The claim must be present and a string that is not empty.
    case requiredString(ClaimName)
    /// The claim must be present and one of these strings, byte by byte.
    case oneOf(ClaimName, [String])
    /// The claim must be absent.
    case forbidden(ClaimName)
}

/// The claims of one token, and the values that rules compare them with.
package struct ClaimEvaluation: Sendable {
    package let claims: Claims
    private let policy: ClaimPolicy
    private let algorithm: SignatureAlgorithm?
    private let clock: ClaimRun.Clock
    private let indices: InlineArray<13, Int32>

    /// Creates an evaluation.
    ///
    /// - Parameters:
    ///   - claims: The claims of the token.
    ///   - policy: The values that claims are compared with, and the leeway.
    ///   - algorithm: The algorithm of the token's signature, which determines the hash function of `at_hash` and
    ///     `c_hash`; nil if the token has none.
    ///   - now: The current time, in seconds since 1970.
    package init(_ claims: Claims, under policy: ClaimPolicy, algorithm: SignatureAlgorithm?, now: Double) {
        self.claims = claims
        self.policy = policy
        self.algorithm = algorithm
        clock = ClaimRun.Clock(now: now, leeway: policy.leewaySeconds)
        indices = RegisteredClaim.indices(in: claims)
    }

    /// Checks one rule.
    package func check(_ rule: ClaimRule) throws(ClaimFault) {
        var run = ClaimRun(indices, everyFailure: false)
        switch rule {
        case .issuer(let isRequired): if isRequired || claims.hasValue("iss") { try checkIssuer(&run) }
        case .issuerTemplate(let template): _ = try run.tenant(template, in: claims)
        case .acceptedTenant(let template): try run.issuer(template, in: claims)
        case .audience(let isRequired, let trusted):
            if isRequired || claims.hasValue("aud") { try checkAudience(&run, trusted: trusted) }
        case .authorizedParty(let isRequiredForSeveral):
            guard let party = policy.authorizedParty else { throw ClaimFault(claim: "azp", kind: .mismatch) }
            try run.authorizedParty(party, isRequiredForSeveral: isRequiredForSeveral, in: claims)
        case .expiration(let isRequired): _ = try run.expiration(isRequired: isRequired, clock, in: claims)
        case .notBefore: _ = try run.notBefore(clock, in: claims)
        case .issuedAt(let isRequired):
            _ = try run.issuedAt(isRequired: isRequired, maximumAge: nil, clock, in: claims)
        case .tokenID: try run.text(.jti, nil, in: claims)
        case .authenticationTime:
            try run.authenticationTime(maximumAge: policy.maximumAuthenticationAgeSeconds, clock, in: claims)
        case .subject: try run.subject(isRequired: true, in: claims)
        case .expectedSubject: if let subject = policy.subject { try run.text(.sub, subject, in: claims) }
        case .nonce: if let nonce = policy.nonce { try run.nonce(nonce, in: claims) }
        case .acr:
            try run.level(policy.acceptedACR, in: claims)
            try run.level(policy.acceptedValues["acr"], in: claims)
            if policy.required.contains("acr") { try run.required("acr", in: claims) }
        case .accessTokenHash:
            try run.tokenHash(.atHash, of: policy.accessToken, isRequired: false, algorithm, in: claims)
        case .codeHash: try run.tokenHash(.cHash, of: policy.code, isRequired: false, algorithm, in: claims)
        case .required(let name): try run.required(name, in: claims)
        case .requiredString(let name):
            guard let text = try string(name) else { throw ClaimFault(claim: name, kind: .absent) }
            if text.isEmpty { throw ClaimFault(claim: name, kind: .empty) }
        case .oneOf(let name, let accepted):
            try run.oneOf(accepted, claims.value(name.description), of: name, in: claims)
        case .forbidden(let name): try run.forbidden(name, in: claims)
        }
    }

    private func checkIssuer(_ run: inout ClaimRun) throws(ClaimFault) {
        switch policy.issuer {
        case .exactly, .oneOf: try run.issuer(policy.issuer.listed.map { TextList($0) }, in: claims)
        case .template(let template):
            // A template that is no template of issuers accepts none.
            guard let matcher = IssuerMatcher(template) else { throw ClaimFault(claim: "iss", kind: .mismatch) }
            try run.issuer(matcher, in: claims)
        case .anyIssuerUnchecked:
            try run.required("iss", in: claims)
            try run.issuer(nil, in: claims)
        }
    }

    private func checkAudience(_ run: inout ClaimRun, trusted: [String]?) throws(ClaimFault) {
        guard let accepted = policy.audience.listed else {
            try run.required("aud", in: claims)
            return try run.audience(nil, in: claims)
        }
        let known = (policy.trustedAudiences ?? trusted).map { TextList(accepted + $0) }
        try run.audience(TextList(accepted), known: known, in: claims)
    }

    /// Checks the age of an authentication, for a provider that writes `auth_time` in a form of its own.
    package func check(authenticatedAt time: Double?, maximumAge: Double) throws(ClaimFault) {
        guard let time else { throw ClaimFault(claim: "auth_time", kind: .absent) }
        var run = ClaimRun(indices, everyFailure: false)
        try run.authenticationAge(time, maximumAge: maximumAge, clock)
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
    init(_ token: VerifiedToken, under policy: ClaimPolicy) {
        self.init(token.claims, under: policy, algorithm: token.algorithm, now: 0)
    }

    /// Checks one rule of a profile, and throws the failure that a verifier reports.
    func require(_ rule: ClaimRule) throws(TokenError) {
        do throws(ClaimFault) { try check(rule) } catch { throw .claim(ClaimFailure(error)) }
    }
}

extension Claims {
    /// Returns whether a claim is present and not null.
    package func hasValue(_ name: String) -> Bool { value(name).map { $0.kind != .null } ?? false }

    /// Checks that the claims which the outer header of an encrypted token repeats equal these (RFC 7519, 5.3).
    package func check(repeatedIn outer: JOSEHeader) throws(ClaimFault) {
        var run = ClaimRun(RegisteredClaim.indices(in: self), everyFailure: false)
        try run.copies(in: outer, of: self)
    }
}
