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
    ///   - policy: The policy of its tokens. The policy's issuer must be `.exactly` one.
    ///   - keys: The keys of this issuer. They verify its tokens alone, even if other issuers use the same `kid`.
    ///   - decryptionKeys: Keys that decrypt tokens of this issuer alone, such as a key shared with it; nil for the keys that all
    ///     issuers share.
    ///   - trust: The trusted roots for tokens with `x5c`, as for `TokenVerifier`.
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

    /// Creates an issuer with a profile, which is checked as by a `ProfileVerifier`, its replay store included.
    ///
    /// - Parameters:
    ///   - profile: The profile of its tokens. The issuer of its policy must be `.exactly` one.
    ///   - keys: The keys of this issuer. They verify its tokens alone.
    ///   - decryptionKeys: Keys that decrypt tokens of this issuer alone; nil for the keys that all issuers share.
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
