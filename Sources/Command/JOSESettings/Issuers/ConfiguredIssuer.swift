import JOSE
package import JOSETokens

/// An issuer of a configuration file, with its keys.
package struct ConfiguredIssuer: Sendable {
    /// The members of the issuer, with the paths of files resolved.
    let options: [String: [String]]
    let settings: IssuerSettings
    let isAccessToken: Bool
    package internal(set) var source: IssuerKeyState
    /// The name of the remote key set, or nil if the keys are in a file.
    package let remoteName: RemoteKeySets.Name?
    let verification: any KeySource
    /// The decryption keys, which issuers of a configuration that name the same file share.
    var decryption: DecryptionKeys
    let trust: CertificateTrust?
    /// Whether tokens that arrive at the same time are verified together.
    package let gathers: Bool

    package var isEncrypted: Bool { settings.form.isEncrypted }
    /// Whether operations with private RSA keys are computed for several tokens at a time.
    package var isVectorized: Bool { settings.hasVectorizedPrivateKeys }

    /// Returns the verifier of the tokens of one issuer, or of several, each of which is chosen by `iss`.
    ///
    /// If all issuers with encrypted tokens share their decryption keys, a token need not name its issuer outside the
    /// encryption: it is decrypted once, and the issuer in it is chosen. If they have different decryption keys, each
    /// uses its own alone, and an encrypted token without `iss` in its outer header (RFC 7519, 5.3) is rejected with
    /// `issuerUnknown`.
    ///
    /// - Parameters:
    ///   - issuers: The issuers.
    ///   - value: The value that names the issuers, for error messages.
    ///   - cache: The cache of verified tokens; nil for none.
    /// - Returns: The verifier.
    /// - Throws: A failure that names the value, if there is no issuer, if one of several has not exactly one `iss`, or
    ///   if the policy and the keys of one could accept no token.
    package static func verifier(
        _ issuers: [ConfiguredIssuer], _ value: ConfigurationValue, cache: TokenCache?
    ) throws(CommandFailure) -> TokenVerifier {
        guard let first = issuers.first else { throw value.failure("must name at least one issuer") }
        guard issuers.count == 1 else {
            var trusted: [TrustedIssuer] = []
            let shared = sharedDecryption(issuers)
            for issuer in issuers { trusted.append(try issuer.trusted(value, isSharing: shared != nil)) }
            return try value.checked { () throws(TokenError) in
                try TokenVerifier(issuers: trusted, decryptionKeys: shared?.source ?? KeySet.empty, cache: cache)
            }
        }
        let claims = try first.settings.claimPolicy()
        if first.isAccessToken {
            let profile = try first.settings.accessTokenProfile(claims)
            return try value.checked { () throws(TokenError) in
                try TokenVerifier(
                    profile, verificationKeys: first.verification, decryptionKeys: first.decryption.source,
                    cache: cache)
            }
        }
        let policy = try first.settings.tokenPolicy(claims)
        return try value.checked { () throws(TokenError) in
            try TokenVerifier(
                policy, verificationKeys: first.verification, decryptionKeys: first.decryption.source,
                trust: first.trust, cache: cache)
        }
    }

    /// Returns the decryption keys of all issuers with encrypted tokens; nil if there is none, or if two of them have
    /// different ones.
    private static func sharedDecryption(_ issuers: [ConfiguredIssuer]) -> DecryptionKeys? {
        let keys = issuers.filter(\.isEncrypted).map(\.decryption)
        guard let first = keys.first, keys.allSatisfy({ $0 === first }) else { return nil }
        return first
    }

    private func trusted(_ value: ConfigurationValue, isSharing: Bool) throws(CommandFailure) -> TrustedIssuer {
        guard let names = try settings.issuers(), names.count == 1, let name = names.first else {
            throw value.failure("of several issuers, each must have exactly one iss, by which it is chosen")
        }
        var claims = try settings.claimPolicy()
        claims.issuer = .exactly(name)
        let decryption: (any KeySource)? = isEncrypted && !isSharing ? decryption.source : nil
        if isAccessToken {
            return TrustedIssuer(
                try settings.accessTokenProfile(claims), keys: verification, decryptionKeys: decryption, trust: trust)
        }
        return TrustedIssuer(
            try settings.tokenPolicy(claims), keys: verification, decryptionKeys: decryption, trust: trust)
    }
}

/// The decryption keys of an issuer. It is a class, because issuers share the keys if they have the same instance.
final class DecryptionKeys: Sendable {
    /// The file with the keys, and what it is read with.
    struct File: Hashable, Sendable {
        /// The bytes of the path: texts are equal too that are only written differently in Unicode.
        let path: [UInt8]
        let passphrasePath: [UInt8]?
    }
    let source: any KeySource
    /// The number of keys in the file, with those that cannot be used.
    let count: Int
    /// Whether there is no key that can be used.
    let isEmpty: Bool

    init(_ keys: KeySet, isNeeded: Bool) {
        isEmpty = keys.keys.isEmpty
        count = keys.keys.count + keys.unusable.count
        source = isNeeded && isEmpty ? NoKeys() : keys
    }
}

extension ConfigurationValue {
    /// Returns the result of `body`, whose error is one of the configuration.
    package func checked<Value>(_ body: () throws(TokenError) -> Value) throws(CommandFailure) -> Value {
        do throws(TokenError) { return try body() } catch { throw failure("\(error)") }
    }
}
