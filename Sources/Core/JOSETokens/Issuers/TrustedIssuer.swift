public import JOSE

/// An issuer of a ``MultiIssuerVerifier``: the policy for its tokens, and the keys that verify them.
public struct TrustedIssuer: Sendable {
    let policy: TokenPolicy
    let keys: any KeySource
    let decryptionKeys: (any KeySource)?
    let trust: CertificateTrust?
    /// The profile with the checks beside the policy, if there is one.
    let profile: (any TokenProfile)?

    /// Creates an issuer with a policy.
    ///
    /// - Parameters:
    ///   - policy: The policy of its tokens, which must name the issuer with `.exactly`.
    ///   - keys: The keys of this issuer. They verify only tokens of this issuer, even if other issuers use the same
    ///     `kid`.
    ///   - decryptionKeys: Keys that decrypt only tokens of this issuer, such as a secret that is shared with it; nil
    ///     for the decryption keys of the `MultiIssuerVerifier`.
    ///   - trust: The trusted root certificates for tokens that have `x5c`; nil to ignore `x5c`.
    public init(
        _ policy: TokenPolicy, keys: any KeySource = KeySet.empty, decryptionKeys: (any KeySource)? = nil,
        trust: CertificateTrust? = nil
    ) {
        self.policy = policy
        self.keys = keys
        self.decryptionKeys = decryptionKeys
        self.trust = trust
        profile = nil
    }

    /// Creates an issuer with a profile. Its tokens are verified as a `ProfileVerifier` does, with the profile's own
    /// checks and its replay store.
    ///
    /// - Parameters:
    ///   - profile: The profile of its tokens, whose policy must name the issuer with `.exactly`.
    ///   - keys: The keys of this issuer. They verify only tokens of this issuer.
    ///   - decryptionKeys: Keys that decrypt only tokens of this issuer; nil for the decryption keys of the
    ///     `MultiIssuerVerifier`.
    public init(
        _ profile: some TokenProfile, keys: any KeySource = KeySet.empty, decryptionKeys: (any KeySource)? = nil
    ) {
        policy = profile.policy
        self.keys = keys
        self.decryptionKeys = decryptionKeys
        trust = nil
        self.profile = profile
    }
}
