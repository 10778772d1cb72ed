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
    /// and before the replay store.
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

    /// Makes the checks after those of the policy, and marks the token as used.
    func admit(_ verified: VerifiedToken, _ claims: ClaimPolicy) throws(TokenError) {
        try check(verified)
        guard let store = replayStore else { return }
        try store.use(ReplayMark(verified, leeway: claims.leewaySeconds), by: claims.clock)
    }

    /// The default replay store: nil, so that a token may be used again.
    public var replayStore: (any ReplayStore)? { nil }
    /// Makes no checks, which is the default.
    public func check(_ token: VerifiedToken) throws(TokenError) {}
}

/// Verifies the tokens of a profile. A verifier is created once, is immutable and can be shared between tasks.
public struct ProfileVerifier<Profile: TokenProfile>: Sendable {
    /// The profile that the verifier was created with.
    public let profile: Profile
    let verifier: TokenVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - profile: The profile of the tokens.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote
    ///     JWKS.
    ///   - decryptionKeys: The keys that decrypt: a `KeySet`, or a source that changes.
    ///   - cache: The cache of verified tokens. The profile's own checks are made and its replay store is called for cached
    ///     tokens too.
    /// - Throws: `policyInvalid`.
    public init(
        _ profile: Profile, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, cache: TokenCache? = nil
    ) throws(TokenError) {
        self.profile = profile
        verifier = try TokenVerifier(
            profile.checkedPolicy(), verificationKeys: verificationKeys, decryptionKeys: decryptionKeys, cache: cache)
    }

    /// Verifies the token, given as a span of ASCII bytes, and returns its claims.
    ///
    /// The layers, the policy, the profile's own checks and the replay store are checked in this order, so that a token that is
    /// rejected for another reason is not marked as used.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        let verified = try verifier.verify(token)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// Verifies the token, given as bytes, and waits, if necessary, until its key is fetched and the decryption limiter
    /// has a free slot.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait, for the key and the limiter together.
    /// - Returns: The verified token.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled while it waited.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token, timeout: limit)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// Returns the mark of a verified token, for an application with an asynchronous replay store of its own: it
    /// creates the profile without a store, and adds the mark to its store before it accepts the token.
    ///
    /// Read the clock after this call, and reject the token if the mark has expired by then. If the profile sets no
    /// `ClaimPolicy.maximumLifetime`, the issuer determines how long the mark lasts.
    ///
    /// - Parameter token: The verified token.
    /// - Throws: `claim(.missing)` if the token has no `jti` or no `exp`.
    public func replayMark(of token: VerifiedToken) throws(TokenError) -> ReplayMark {
        try ReplayMark(token, leeway: verifier.policy.claims.leewaySeconds)
    }

    /// Verifies the token, given as bytes, and returns its claims.
    ///
    /// The layers, the policy, the profile's own checks and the replay store are checked in this order, so that a token that is
    /// rejected for another reason is not marked as used.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// Verifies the token and returns its claims.
    ///
    /// The layers, the policy, the profile's own checks and the replay store are checked in this order, so that a token that is
    /// rejected for another reason is not marked as used.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }
}

extension ReplayMark {
    /// Creates the mark of a token, which expires when the token does.
    fileprivate init(_ token: VerifiedToken, leeway: Double) throws(TokenError) {
        guard let tokenID = token.claims.tokenID else { throw .claim(.missing("jti")) }
        guard let expiration = token.claims.expiration else { throw .claim(.missing("exp")) }
        let end = NumericDate(secondsSince1970: expiration.secondsSince1970 + leeway)
        self.init(issuer: token.claims.issuer ?? "", tokenID: tokenID, expiration: end)
    }
}

extension ReplayStore {
    /// Marks a token as used. Its claims may have been checked long before, as in a batch, so that one reading of the clock
    /// decides here whether the token has expired and which marks the store may remove.
    func use(_ mark: ReplayMark, by clock: WallClock) throws(TokenError) {
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
    /// Creates a policy for signed tokens, which are encrypted as well if the profile requires it.
    static func profile(
        _ signature: SignaturePolicy, within encryption: EncryptionPolicy?, type: TypeRule, claims: ClaimPolicy
    ) -> TokenPolicy {
        var signature = signature
        signature.type = type
        guard let encryption else { return .signed(signature, claims: claims) }
        return .nested(outer: encryption, inner: signature, claims: claims)
    }
}
