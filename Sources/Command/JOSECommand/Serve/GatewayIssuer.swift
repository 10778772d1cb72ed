import JOSE
import JOSETokens

/// An issuer of a configuration: the policy of its tokens, in the words of the command line, and its keys.
struct GatewayIssuer: Sendable {
    /// The members of the issuer, with the paths of files resolved.
    let options: [String: [String]]
    let policy: PolicyArguments
    let isAccessToken: Bool
    var source: GatewayKeys.Source
    /// The name of the remote key set, or nil if the keys are in a file.
    let remoteName: GatewayKeys.RemoteName?
    let keys: any KeySource
    let decryption: any KeySource
    let trust: CertificateTrust?
    /// Whether tokens that arrive at the same time are verified together.
    let gathers: Bool

    /// Returns the issuer for a verifier of several, which is chosen by `iss`.
    func trusted(_ value: ConfigurationValue) throws(CommandFailure) -> TrustedIssuer {
        guard let names = try policy.issuers(), names.count == 1, let name = names.first else {
            throw value.failure("of several issuers, each must have exactly one iss, by which it is chosen")
        }
        var claims = try policy.claimPolicy()
        claims.issuer = .exactly(name)
        let decryption: (any KeySource)? = policy.form.isEncrypted ? decryption : nil
        if isAccessToken {
            return TrustedIssuer(
                try policy.accessTokenProfile(claims), keys: keys, decryptionKeys: decryption, trust: trust)
        }
        return TrustedIssuer(try policy.tokenPolicy(claims), keys: keys, decryptionKeys: decryption, trust: trust)
    }
}

extension PolicyArguments {
    /// Returns the profile of JWT access tokens (RFC 9068) with these claims.
    func accessTokenProfile(_ claims: ClaimPolicy) throws(CommandFailure) -> AccessTokenProfile {
        var profile = AccessTokenProfile(issuer: .anyIssuerUnchecked, resource: .anyAudienceUnchecked, algorithms: [])
        profile.signature = try signaturePolicy()
        profile.encryption = form == .nested ? try encryptionPolicy(isOuter: true) : nil
        profile.claims = claims
        return profile
    }
}
