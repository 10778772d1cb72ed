public import JOSE

/// One of several issuers of a ``TokenVerifier``: the policy or the profile of its tokens, and the keys that verify
/// them.
public struct TrustedIssuer: Sendable {
    let policy: TokenPolicy
    let keys: any KeySource
    let decryptionKeys: (any KeySource)?
    let externalKeys: [ExternalDecryptionKey]
    let trust: CertificateTrust?
    /// The profile with the checks beside the policy, if there is one.
    let profile: (any TokenProfile)?

    /// Creates an issuer with a policy.
    ///
    /// - Parameters:
    ///   - policy: The policy of its tokens, which must name the issuer with `.exactly` or `.template`.
    ///   - keys: The keys of this issuer. They verify only tokens of this issuer, even if other issuers use the same
    ///     `kid`.
    ///   - decryptionKeys: Keys that decrypt only tokens of this issuer, such as a secret that is shared with it; nil
    ///     for the decryption keys of the verifier.
    ///   - externalKeys: Keys outside the process that decrypt only tokens of this issuer. With them the issuer does
    ///     not use the decryption keys of the verifier either.
    ///   - trust: The trusted root certificates for tokens that have `x5c`; nil to ignore `x5c`.
    public init(
        _ policy: TokenPolicy, keys: any KeySource = KeySet.empty, decryptionKeys: (any KeySource)? = nil,
        externalKeys: [ExternalDecryptionKey] = [], trust: CertificateTrust? = nil
    ) {
        self.policy = policy
        self.keys = keys
        self.decryptionKeys = decryptionKeys
        self.externalKeys = externalKeys
        self.trust = trust
        profile = nil
    }

    /// Creates an issuer with a profile, whose own checks are made and whose replay store is called. The policy of the
    /// profile must name the issuer with `.exactly` or `.template`. The other parameters are those of the initializer
    /// that takes a policy.
    public init(
        _ profile: some TokenProfile, keys: any KeySource = KeySet.empty, decryptionKeys: (any KeySource)? = nil,
        externalKeys: [ExternalDecryptionKey] = [], trust: CertificateTrust? = nil
    ) {
        policy = profile.policy
        self.keys = keys
        self.decryptionKeys = decryptionKeys
        self.externalKeys = externalKeys
        self.trust = trust
        self.profile = profile
    }
}
