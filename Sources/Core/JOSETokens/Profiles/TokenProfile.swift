public import JOSE

/// A kind of token as its specification gives it: the policy that it makes, and the checks that no `ClaimPolicy` can
/// say.
public protocol TokenProfile: Sendable {
    /// Layers, algorithms, types and claims; also what a `TokenIssuer` of such tokens is made with.
    var policy: TokenPolicy { get }
    /// The store of used tokens, or nil if a token may be used again. With a store, `policy` must set `ClaimPolicy.maximumLifetime`:
    /// a mark is kept until `exp`, and a client whose tokens never expire would otherwise fill the store for good.
    var replayStore: (any ReplayStore)? { get }
    /// What the specification asks besides the policy. Runs after the policy's checks, and before the replay store.
    func check(_ token: VerifiedToken) throws(TokenError)
}

extension TokenProfile {
    /// Returns the policy that verifiers are made with.
    ///
    /// - Throws: `policyInvalid` for a profile that marks tokens as used and does not bound their lifetime.
    func checkedPolicy() throws(TokenError) -> TokenPolicy {
        let policy = policy
        guard replayStore == nil || policy.claims.maximumLifetime != nil else {
            throw .policyInvalid(.lifetimeUnbounded)
        }
        return policy
    }

    /// The steps after the policy's own.
    func admit(_ verified: VerifiedToken, _ claims: ClaimPolicy) throws(TokenError) {
        try check(verified)
        guard let store = replayStore else { return }
        try store.use(ReplayMark(verified, leeway: claims.leeway), by: claims.clock)
    }

    public var replayStore: (any ReplayStore)? { nil }
    public func check(_ token: VerifiedToken) throws(TokenError) {}
}

/// Verifies the tokens of one profile. Made once, immutable, shared freely.
public struct ProfileVerifier<Profile: TokenProfile>: Sendable {
    /// As it was given when this was made.
    public let profile: Profile
    let verifier: TokenVerifier

    /// Keys and cache as `TokenVerifier` takes them; the profile's own checks and its replay store are asked of each token, known or
    /// not. Throws `policyInvalid`.
    public init(
        _ profile: Profile, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, cache: TokenCache? = nil
    ) throws(TokenError) {
        self.profile = profile
        verifier = try TokenVerifier(
            profile.checkedPolicy(), verificationKeys: verificationKeys, decryptionKeys: decryptionKeys, cache: cache)
    }

    /// The token, once its layers, the policy, the profile's own checks and the replay store held, in this order: what
    /// is refused for another reason is not kept as used.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        let verified = try verifier.verify(token)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// The same, waiting for a key that is not there yet as `TokenVerifier` does.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token, timeout: limit)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// Returns the mark of a verified token, for a store that must be awaited: the profile is then made without one, and the caller
    /// asks its own before it relies on the token.
    ///
    /// Read the clock after this call, and reject the token if the mark's expiration has passed by then. Where the profile sets no
    /// `ClaimPolicy.maximumLifetime`, the mark may last as long as the issuer likes.
    public func replayMark(of token: VerifiedToken) throws(TokenError) -> ReplayMark {
        try ReplayMark(token, leeway: verifier.policy.claims.leeway)
    }

    /// The same of bytes in an array.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// The same of a text.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }
}

extension ReplayMark {
    /// In force until `exp`.
    fileprivate init(_ token: VerifiedToken, leeway: Double) throws(TokenError) {
        guard let tokenID = token.claims.tokenID else { throw .claim(.missing("jti")) }
        guard let expiration = token.claims.expiration else { throw .claim(.missing("exp")) }
        self.init(issuer: token.claims.issuer ?? "", tokenID: tokenID, expiration: expiration + leeway)
    }
}

extension ReplayStore {
    /// Marks a token as used. The claims may have been checked long before, as in a batch: one reading of the clock decides here
    /// whether the token is still in force and what the store may forget.
    func use(_ mark: ReplayMark, by clock: TokenClock) throws(TokenError) {
        let now = try clock.checkedNow()
        guard mark.expiration > now else { throw .claim(.expired) }
        switch insert(mark, now: now) {
        case .fresh: return
        case .seen: throw .replay(.seen)
        case .expired: throw .claim(.expired)
        case .full: throw .replay(.storeFull)
        case .shareFull: throw .replay(.shareFull)
        case .unavailable: throw .replay(.storeUnavailable)
        }
    }
}

extension ClaimPolicy {
    /// The same policy with more that must be there, each name once.
    func requiring(_ names: ClaimName...) -> ClaimPolicy {
        var policy = self
        for name in names where !policy.required.contains(name) { policy.required.append(name) }
        return policy
    }

    /// The same policy with more that must not be there, each name once.
    func forbidding(_ names: ClaimName...) -> ClaimPolicy {
        var policy = self
        for name in names where !policy.forbidden.contains(name) { policy.forbidden.append(name) }
        return policy
    }
}

extension TokenPolicy {
    /// Signed, and encrypted around that where the profile says so.
    static func profile(
        _ signature: SignaturePolicy, within encryption: EncryptionPolicy?, type: TypeRule, claims: ClaimPolicy
    ) -> TokenPolicy {
        var signature = signature
        signature.type = type
        guard let encryption else { return .signed(signature, claims: claims) }
        return .nested(outer: encryption, inner: signature, claims: claims)
    }
}
