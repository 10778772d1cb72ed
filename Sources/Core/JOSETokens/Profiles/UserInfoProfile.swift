public import JOSE

/// The requirements for UserInfo responses in the form of JWTs, at a client (OpenID Connect Core, 5.3.2).
public struct UserInfoProfile: TokenProfile, CheckedProfile {
    /// The layers that the client registered. A response with other layers is rejected.
    public enum Form: Sendable {
        /// A JWS, registered with `userinfo_signed_response_alg`.
        case signed(SignaturePolicy)
        /// A JWS in a JWE, registered with `userinfo_encrypted_response_alg` as well.
        case nested(outer: EncryptionPolicy, inner: SignaturePolicy)
        /// A JWE without a signature. Anyone who knows the client's public key can create one, so that only the
        /// connection authenticates the provider.
        case encrypted(EncryptionPolicy)
    }
    /// The layers that the client registered.
    package let form: Form
    /// Whether a signed response must have `iss` and `aud`, which is the default. If it is false, for a provider that
    /// signs responses without them, both are compared where they are present. With an issuer template, `iss` is
    /// required all the same, because it names the tenant whose keys may verify the response.
    public var requiresIssuerAndAudience = true
    /// The policy for the claims, with clock and leeway. The profile adds the requirements of OpenID Connect Core.
    public var claims: ClaimPolicy

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the provider, `iss`.
    ///   - clientID: The `client_id` of this client, which `aud` must contain.
    ///   - subject: The `sub` of the ID token, which the response must repeat to prevent token substitution (OpenID
    ///     Connect Core, 5.3.2 and 16.11).
    ///   - form: The layers that the client registered.
    public init(issuer: String, clientID: String, subject: String, form: Form) {
        self.form = form
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        claims.subject = subject
        claims.requiresExpiration = false
    }

    /// Returns the rules for the claims of a response in the order in which a login checks them (OpenID Connect Core,
    /// 5.3.2).
    ///
    /// A verifier also rejects a registered claim of a wrong type (RFC 7519, 4.1), which a login accepts where it has
    /// no use for the claim: a `jti` that is no string, and an `iss` or `aud` that is not required and null.
    ///
    /// - Parameters:
    ///   - isToken: Whether the response is a token, and not plain JSON, which has no times.
    ///   - isSigned: Whether the response is signed.
    ///   - requiresIssuerAndAudience: Whether a signed response must have `iss` and `aud`. Where they may be absent, a
    ///     value for another client, or of another issuer, shows that the response is not for this one.
    ///   - isOfTenant: Whether the provider has many tenants.
    package static func rules(
        isToken: Bool, isSigned: Bool, requiresIssuerAndAudience: Bool, isOfTenant: Bool
    ) -> [ClaimRule] {
        let isNamed = isSigned && requiresIssuerAndAudience
        var rules: [ClaimRule] = [
            // The key of a tenant may verify the tokens of that issuer alone, which the response must therefore name.
            .issuer(isRequired: isNamed || isSigned && isOfTenant), .audience(isRequired: isNamed, trusted: nil),
        ]
        if isToken { rules += [.expiration(isRequired: false), .notBefore, .issuedAt(isRequired: false)] }
        rules += [.expectedSubject, .subject]
        return rules
    }

    private var rules: [ClaimRule] {
        let isSigned = if case .encrypted = form { false } else { true }
        let isOfTenant = if case .template = claims.issuer { true } else { false }
        return Self.rules(
            isToken: true, isSigned: isSigned, requiresIssuerAndAudience: requiresIssuerAndAudience,
            isOfTenant: isOfTenant)
    }

    /// The policy. `iss` and `aud` are required if the response is signed and ``requiresIssuerAndAudience`` is set, and
    /// checked in every form if they are present.
    package var requiredPolicy: TokenPolicy {
        let stated = claims.stating(rules)
        switch form {
        case .signed(let signature):
            return .profile(signature, within: nil, type: .absentOr("JWT"), claims: stated)
        case .nested(let outer, let inner):
            return .profile(inner, within: outer, type: .absentOr("JWT"), claims: stated)
        case .encrypted(let encryption):
            var fault: PolicyFault?
            if case .template(let template) = claims.issuer, IssuerMatcher(template) == nil { fault = .issuerTemplate }
            return .encrypted(encryption, claims: stated).with(fault)
        }
    }

    /// Checks `sub` (OpenID Connect Core, 2), and `iss` and `aud` where they are present. The policy of a response that
    /// may lack these two does not check them.
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let evaluation = ClaimEvaluation(token, under: claims)
        for rule in rules where !rule.isInPolicy { try evaluation.require(rule) }
    }
}
