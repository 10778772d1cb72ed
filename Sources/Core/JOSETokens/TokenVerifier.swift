public import JOSE
internal import JOSESupport

/// Verifies tokens under a policy, under a profile, or of several issuers, each under a policy or profile of its own.
///
/// A verifier is created once, is immutable and can be shared between tasks. The methods without a timeout never wait,
/// neither for a key to be fetched nor for the decryption limiter. ``BatchVerifier`` verifies many tokens at once, and
/// ``CoalescingVerifier`` those of concurrent requests together; both give the results that this verifier gives.
public struct TokenVerifier: Sendable {
    let layers: Layers
    let checker: ClaimChecker
    let caching: TokenCaching?
    /// The policy of the tokens; of several issuers, that of the first.
    let policy: TokenPolicy
    /// The parts that only some verifiers have. The property is nil for the verifier of one policy, so that the path of
    /// its tokens is short.
    let additions: VerifierAdditions?

    /// Creates a verifier of the tokens of a policy.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote
    ///     JWKS. Each token is verified with the keys that the source has at that moment. Public and symmetric keys are
    ///     used, and the public half of private ones.
    ///   - decryptionKeys: The keys that decrypt, a `KeySet` or a source that changes. Private and symmetric keys are
    ///     used.
    ///   - externalKeys: Keys outside the process that decrypt, such as keys in an HSM or a KMS, which are tried after
    ///     `decryptionKeys`. With them the policy must have an encryption layer, and tokens that are not in the cache
    ///     are verified only by the methods with a `timeout`; the others throw `awaitRequired`.
    ///   - trust: The trusted root certificates; nil to ignore `x5c`. With them, a token that has `x5c` is verified
    ///     with the key of its first certificate, whose chain is validated at the time of the policy's clock unless the
    ///     trust has its own clock.
    ///   - cache: The cache of verified tokens; nil for none. A cached token is not decrypted again, so that it is not
    ///     sent to an external key again either.
    ///   - observer: The observer that is told of each verification; nil for none.
    /// - Throws: `policyInvalid`, and `jose(configurationInvalid)` if a layer has no algorithm, no key, or no key that
    ///   fits one of its algorithms. Keys of a source that changes are not examined.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, externalKeys: [ExternalDecryptionKey] = [],
        trust: CertificateTrust? = nil, cache: TokenCache? = nil, observer: (any VerificationObserver)? = nil
    ) throws(TokenError) {
        try self.init(
            policy, nil, VerifierKeys(verificationKeys, decryptionKeys, externalKeys, trust), cache, observer)
    }

    /// Creates a verifier of the tokens of a profile. The other parameters are those of the initializer that takes a
    /// policy.
    ///
    /// The layers, the policy, the profile's own checks and the replay store are checked in this order, so that a token
    /// that is rejected for another reason is not marked as used. The profile's own checks are made and its replay
    /// store is called for cached tokens too. If the replay store answers asynchronously, tokens are verified only by
    /// the methods with a `timeout`; the others throw `awaitRequired`.
    ///
    /// - Throws: The errors of that initializer, and `policyInvalid` if the profile has a replay store and sets no
    ///   maximum lifetime.
    public init(
        _ profile: some TokenProfile, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, externalKeys: [ExternalDecryptionKey] = [],
        trust: CertificateTrust? = nil, cache: TokenCache? = nil, observer: (any VerificationObserver)? = nil
    ) throws(TokenError) {
        try self.init(
            profile.checkedPolicy(), profile,
            VerifierKeys(verificationKeys, decryptionKeys, externalKeys, trust), cache, observer)
    }

    /// Creates a verifier of the tokens of several issuers, each under its own policy or profile and with its own keys.
    ///
    /// The `iss` of a token selects the issuer, and the policy requires exactly this issuer: a token is never verified
    /// with the keys of an issuer other than the one that it names. The outer header of an encrypted token may contain
    /// `iss` as well (RFC 7519, 5.3), which must then equal that of the claims. If it does not, the token is decrypted
    /// with the keys that the issuers share, and both layers must meet the policy of the issuer in the claims.
    ///
    /// - Parameters:
    ///   - issuers: At least one issuer. The policy of each must name its issuer with `.exactly` or `.template`, and no
    ///     two may name the same. An issuer that is named with `.exactly` is preferred to a template that it matches.
    ///   - decryptionKeys: The keys that decrypt the tokens of every issuer without decryption keys of its own.
    ///   - externalKeys: Keys outside the process that decrypt the tokens of the same issuers.
    ///   - cache: The cache of verified tokens. A token whose issuer is readable only after decryption is not cached.
    ///   - observer: The observer that is told of each verification; nil for none.
    /// - Throws: `policyInvalid`, and `jose(configurationInvalid)` if a layer of an issuer's tokens has no algorithm,
    ///   no key, or no key that fits one of its algorithms.
    public init(
        issuers: [TrustedIssuer], decryptionKeys: any KeySource = KeySet.empty,
        externalKeys: [ExternalDecryptionKey] = [], cache: TokenCache? = nil,
        observer: (any VerificationObserver)? = nil
    ) throws(TokenError) {
        let table = try IssuerTable(issuers, decryptionKeys, externalKeys, cache)
        let first = table.rows[0].verifier
        layers = first.layers
        checker = first.checker
        policy = first.policy
        caching = nil
        additions = VerifierAdditions(issuers: table, observer: observer, claims: first.policy.claims)
    }

    /// Creates a verifier of the tokens of a policy whose keys are not examined, for keys that come with the tokens and
    /// for explanations without keys.
    package init(
        _ policy: TokenPolicy, unexaminedKeys: any KeySource, decryptionKeys: any KeySource = KeySet.empty,
        trust: CertificateTrust? = nil
    ) throws(TokenError) {
        let keys = VerifierKeys(unexaminedKeys, decryptionKeys, [], trust, areExamined: false)
        try self.init(policy, nil, keys, nil, nil)
    }

    /// Creates the verifier of one policy. `profile` has the checks beside the policy.
    init(
        _ policy: TokenPolicy, _ profile: (any TokenProfile)?, _ keys: VerifierKeys, _ cache: TokenCache?,
        _ observer: (any VerificationObserver)?
    ) throws(TokenError) {
        self.policy = policy
        caching = cache.map { TokenCaching($0) }
        checker = try ClaimChecker(policy)
        guard keys.external.isEmpty || policy.encryption != nil else { throw .policyInvalid(.key) }
        layers = try Layers(policy.form, keys, clock: policy.claims.clock)
        additions =
            profile == nil && observer == nil
            ? nil : VerifierAdditions(profile, observer: observer, claims: policy.claims)
    }

    /// The policies under which tokens are accepted: one for each issuer, in the order in which the issuers were given.
    public var policies: [TokenPolicy] { additions?.issuers?.rows.map(\.verifier.policy) ?? [policy] }

    /// Verifies the token and returns its claims.
    ///
    /// - Parameter token: The compact serialization, as text or as ASCII bytes.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed. Of several issuers, a token of one that is not configured is
    ///   rejected with `issuerUnknown`, before a key is looked up.
    @inlinable public func verify(_ token: borrowing some BorrowedBytes) throws(TokenError) -> VerifiedToken {
        try token.withBytes { token throws(TokenError) in try verify(token) }
    }

    @usableFromInline package func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        if let additions { return try additions.verify(token, by: self) }
        var process = TokenProcess()
        return try verifyLayersAndClaims(token, &process)
    }
}

/// The keys of a verifier.
struct VerifierKeys {
    let verification: any KeySource
    let decryption: any KeySource
    let external: [ExternalDecryptionKey]
    let trust: CertificateTrust?
    /// Whether keys that could accept no token are a mistake of the caller.
    let areExamined: Bool

    init(
        _ verification: any KeySource, _ decryption: any KeySource, _ external: [ExternalDecryptionKey],
        _ trust: CertificateTrust?, areExamined: Bool = true
    ) {
        self.areExamined = areExamined
        self.verification = verification
        self.decryption = decryption
        self.external = external
        self.trust = trust
    }

    /// Returns the decrypter of an encryption layer, whose keys are not examined.
    func decrypter(_ policy: EncryptionPolicy) -> JWEDecrypter {
        JWEDecrypter(unexaminedKeys: decryption, externalKeys: external, policy: policy)
    }
}
