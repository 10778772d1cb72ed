public import JOSE
internal import JOSEBytes

/// The requirements for UserInfo responses in the form of JWTs, at a client (OpenID Connect Core, 5.3.2).
public struct UserInfoProfile: TokenProfile {
    /// The layers that the client registered. A response with other layers is rejected.
    public enum Form: Sendable {
        /// A JWS, registered with `userinfo_signed_response_alg`.
        case signed(SignaturePolicy)
        /// A JWS in a JWE, registered with `userinfo_encrypted_response_alg` as well.
        case nested(outer: EncryptionPolicy, inner: SignaturePolicy)
        /// A JWE without a signature. Anyone who knows the client's public key can create one, so that only the connection
        /// authenticates the provider.
        case encrypted(EncryptionPolicy)
    }
    /// The layers that the client registered.
    public let form: Form
    /// Whether a signed response must have `iss` and `aud`, which is the default. If it is false, for a provider that signs responses
    /// without them, both are compared where they are present. With an issuer template, `iss` is required all the same, because it names
    /// the tenant whose keys may verify the response.
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

    /// The policy. `iss` and `aud` are required if the response is signed and ``requiresIssuerAndAudience`` is set, and checked in every
    /// form if they are present.
    public var policy: TokenPolicy {
        let required = claims.requiring("sub")
        var unnamed = required
        (unnamed.issuer, unnamed.audience) = (.anyIssuerUnchecked, .anyAudienceUnchecked)
        // Without an accepted audience there is none beside which others are trusted.
        if claims.audience != .anyAudienceUnchecked { unnamed.trustedAudiences = nil }
        var signed = requiresIssuerAndAudience ? required : unnamed
        if case .template = claims.issuer { signed.issuer = claims.issuer }
        switch form {
        case .signed(let signature):
            return .profile(signature, within: nil, type: .absentOr("JWT"), claims: signed)
        case .nested(let outer, let inner):
            return .profile(inner, within: outer, type: .absentOr("JWT"), claims: signed)
        case .encrypted(let encryption): return .encrypted(encryption, claims: unnamed)
        }
    }

    /// Checks `sub` (OpenID Connect Core, 2), and `iss` and `aud` where they are present. The policy of a response that may lack these two
    /// does not check them.
    public func check(_ token: VerifiedToken) throws(TokenError) {
        let evaluation = ClaimEvaluation(token)
        try evaluation.require(.subject)
        if token.claims.hasValue("iss") { try checkIssuer(evaluation) }
        if token.claims.hasValue("aud") { try checkAudience(evaluation) }
    }

    private func checkIssuer(_ evaluation: ClaimEvaluation) throws(TokenError) {
        switch claims.issuer {
        case .exactly(let issuer): try evaluation.require(.issuer(issuer))
        case .oneOf(let issuers):
            let isAccepted = issuers.contains { (try? evaluation.require(.issuer($0))) != nil }
            guard isAccepted else { throw .claim(.issuerMismatch) }
        case .template(let template):
            guard let issuers = IssuerMatcher(template) else { throw .policyInvalid(.issuerTemplate) }
            try evaluation.require(.acceptedTenant(issuers))
        case .anyIssuerUnchecked: return
        }
    }

    private func checkAudience(_ evaluation: ClaimEvaluation) throws(TokenError) {
        let accepted: [String]
        switch claims.audience {
        case .exactly(let audience):
            try evaluation.require(.audience(audience))
            accepted = [audience]
        case .oneOf(let audiences):
            let isOurs = audiences.contains { (try? evaluation.require(.audience($0))) != nil }
            guard isOurs else { throw .claim(.audienceMismatch) }
            accepted = audiences
        case .anyAudienceUnchecked: return
        }
        guard let trusted = claims.trustedAudiences, let first = accepted.first else { return }
        try evaluation.require(.noOtherAudience(than: first, trusted: accepted + trusted))
    }
}

extension Claims {
    /// Returns whether a claim is present and not null.
    package func hasValue(_ name: String) -> Bool { value(name).map { $0.kind != .null } ?? false }
}
