public import JOSE

/// The requirements for a kind of token, such as an ID token, as its specification defines them: the policy, and the
/// checks that a `ClaimPolicy` cannot express.
public protocol TokenProfile: Sendable {
    /// The policy: layers, algorithms, types and claims. A `TokenIssuer` for such tokens is created with it too.
    var policy: TokenPolicy { get }
    /// The store of used tokens, or nil if a token may be used again. With a store, `policy` must set
    /// `ClaimPolicy.maximumLifetime`: the store remembers a token until its `exp`, and tokens that never expire would
    /// otherwise fill it permanently.
    var replayStore: (any ReplayStore)? { get }
    /// Makes the checks of the specification that are not part of the policy. It is called after the policy's checks,
    /// and before the replay store. It has no default, so that no check is missing because of a misspelled name.
    func check(_ token: VerifiedToken) throws(TokenError)
}

extension TokenProfile {
    /// Returns the policy that verifiers are created with.
    ///
    /// - Throws: `policyInvalid` if the profile has a replay store and sets no maximum lifetime.
    func checkedPolicy() throws(TokenError) -> TokenPolicy {
        let policy = policy
        guard replayStore == nil || policy.claims.maximumLifetimeSeconds != nil else {
            throw .policyInvalid(.lifetimeUnbounded)
        }
        return policy
    }

    /// The default replay store: nil, so that a token may be used again.
    public var replayStore: (any ReplayStore)? { nil }
}

/// A profile of tokens that are signed, and encrypted as well where you ask for it. You may set its policies; the
/// profile adds the requirements of its specification to them when a verifier or an issuer is created.
public protocol SignedTokenProfile: TokenProfile {
    /// The policy of the signature layer.
    var signature: SignaturePolicy { get set }
    /// The policy of the encryption layer. If it is nil, encrypted tokens are rejected; otherwise tokens must be
    /// encrypted.
    var encryption: EncryptionPolicy? { get set }
    /// The policy for the claims, with issuer, audience, clock and leeway.
    var claims: ClaimPolicy { get set }
}

/// A profile of this package, which states what its specification requires.
package protocol CheckedProfile: TokenProfile {
    /// The policy with the requirements of the specification.
    var requiredPolicy: TokenPolicy { get }
    /// Makes the checks of the specification that are not part of the policy.
    func checkRules(of token: VerifiedToken) throws(TokenError)
}

extension CheckedProfile {
    /// The policy with the requirements of the specification.
    public var policy: TokenPolicy { requiredPolicy }
    /// Makes the checks of the specification that are not part of the policy.
    public func check(_ token: VerifiedToken) throws(TokenError) { try checkRules(of: token) }
}

/// The policies of a profile as its user sets them.
package struct ProfilePolicies: Sendable {
    package var signature: SignaturePolicy
    package var encryption: EncryptionPolicy?
    package var claims: ClaimPolicy

    init(_ signature: SignaturePolicy, _ claims: ClaimPolicy) {
        self.signature = signature
        self.claims = claims
    }
}

/// A signed profile of this package, with the policies that its user sets in one place.
package protocol StandardProfile: SignedTokenProfile, CheckedProfile {
    var settings: ProfilePolicies { get set }
}

extension StandardProfile {
    /// The policy of the signature layer.
    public var signature: SignaturePolicy {
        get { settings.signature }
        set { settings.signature = newValue }
    }
    /// The policy of the encryption layer.
    public var encryption: EncryptionPolicy? {
        get { settings.encryption }
        set { settings.encryption = newValue }
    }
    /// The policy for the claims.
    public var claims: ClaimPolicy {
        get { settings.claims }
        set { settings.claims = newValue }
    }
}

extension ClaimRule {
    /// Whether a policy that states the rule checks all of it, so that nothing is left for the profile.
    var isInPolicy: Bool {
        switch self {
        case .issuer(let isRequired), .audience(let isRequired, _): isRequired
        case .expiration, .notBefore, .issuedAt, .tokenID, .authenticationTime, .expectedSubject, .nonce, .acr,
            .required, .forbidden:
            true
        case .issuerTemplate, .acceptedTenant, .authorizedParty, .subject, .accessTokenHash, .codeHash,
            .requiredString, .oneOf:
            false
        }
    }
}

extension ClaimPolicy {
    /// Returns the policy that states the rules of a profile as far as policies can. The profile checks the rules that
    /// are not `isInPolicy`.
    func stating(_ rules: [ClaimRule]) -> ClaimPolicy {
        var policy = self
        for rule in rules { policy.state(rule) }
        return policy
    }

    private mutating func state(_ rule: ClaimRule) {
        switch rule {
        // A policy that names issuers or audiences requires the claim.
        case .issuer(isRequired: true): if issuer == .anyIssuerUnchecked { self = requiring("iss") }
        case .issuer(isRequired: false): issuer = .anyIssuerUnchecked
        case .audience(isRequired: true, let trusted):
            if audience == .anyAudienceUnchecked { self = requiring("aud") }
            trustedAudiences = trustedAudiences ?? trusted
        case .audience(isRequired: false, _):
            // Without an accepted audience there is none beside which others are trusted.
            if audience != .anyAudienceUnchecked { trustedAudiences = nil }
            audience = .anyAudienceUnchecked
        case .expiration(isRequired: true): requiresExpiration = true
        case .issuedAt(isRequired: true): self = requiring("iat")
        case .subject: self = requiring("sub")
        case .required(let name): self = requiring(name)
        case .forbidden(let name): self = forbidding(name)
        // Every policy checks these, or has the values that they are compared with.
        case .expiration, .notBefore, .issuedAt, .tokenID, .authenticationTime, .expectedSubject, .nonce, .acr: break
        case .issuerTemplate, .acceptedTenant, .authorizedParty, .accessTokenHash, .codeHash, .requiredString, .oneOf:
            break
        }
    }

    /// Returns the policy with further required claims, each name once.
    func requiring(_ names: ClaimName...) -> ClaimPolicy {
        var policy = self
        for name in names where !policy.required.contains(name) { policy.required.append(name) }
        return policy
    }

    /// Returns the policy with further forbidden claims, each name once.
    func forbidding(_ names: ClaimName...) -> ClaimPolicy {
        var policy = self
        for name in names where !policy.forbidden.contains(name) { policy.forbidden.append(name) }
        return policy
    }
}

extension TokenPolicy {
    /// Creates a policy for signed tokens, which are encrypted as well if the profile requires it. `fault` is the
    /// setting of `claims` that was given a value which the profile does not use; a `type` of `signature` is such a
    /// setting too.
    static func profile(
        _ signature: SignaturePolicy, within encryption: EncryptionPolicy?, type: TypeRule, claims: ClaimPolicy,
        fault: PolicyFault? = nil
    ) -> TokenPolicy {
        let fault = PolicyFault.unused(("signature.type", signature.has(type))) ?? fault
        var signature = signature
        signature.type = type
        guard let encryption else { return .signed(signature, claims: claims).with(fault) }
        return .nested(outer: encryption, inner: signature, claims: claims).with(fault)
    }
}

extension PolicyFault {
    /// Returns the fault of the first setting that has another value than the one that the profile sets, or nil if
    /// there is none. A value that was set is never silently ignored: it is either used, or no verifier and no issuer
    /// can be created.
    static func unused(_ settings: (name: String, isAsSet: Bool)...) -> PolicyFault? {
        settings.first { !$0.isAsSet }.map { .setByProfile($0.name) }
    }
}

extension SignaturePolicy {
    /// Whether the `type` was left alone, or is that of a profile.
    func has(_ type: TypeRule) -> Bool { self.type == .any || self.type == type }
}

extension IssuerRule {
    /// Whether the rule accepts this issuer alone.
    func isOnly(_ issuer: String) -> Bool { self == .exactly(issuer) || self == .oneOf([issuer]) }
}

extension AudienceRule {
    /// Whether the rule accepts this audience alone.
    func isOnly(_ audience: String) -> Bool { self == .exactly(audience) || self == .oneOf([audience]) }
}
