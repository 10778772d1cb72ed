public import JOSE

/// One issuer of a ``MultiIssuerVerifier``: what its tokens must be, and by which keys they are verified.
public struct TrustedIssuer: Sendable {
    let policy: TokenPolicy
    let keys: any KeySource
    let decryptionKeys: (any KeySource)?
    let trust: CertificateTrust?
    /// What its specification asks besides the policy.
    let profile: (any TokenProfile)?

    /// The policy's issuer says whose tokens it is for, and must be `.exactly` one. `keys` are that issuer's alone, whatever
    /// others call theirs. `decryptionKeys`: of one's own, used for this issuer only, such as a key shared with it; nil: those
    /// that all share. `trust` is as for a `TokenVerifier`.
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

    /// The same of a profile's tokens, as a `ProfileVerifier` has it, its replay store included.
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
