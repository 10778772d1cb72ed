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
    let decryption: any KeySource
    let trust: CertificateTrust?
    /// Whether tokens that arrive at the same time are verified together.
    package let gathers: Bool

    package var isEncrypted: Bool { settings.form.isEncrypted }
    /// Whether operations with private RSA keys are computed for several tokens at a time.
    package var isVectorized: Bool { settings.hasVectorizedPrivateKeys }

    /// Returns the verifier of the tokens of one issuer, or of several, each of which is chosen by `iss`.
    ///
    /// - Parameter value: The value that names the issuers, for error messages.
    package static func verifier(
        _ issuers: [ConfiguredIssuer], _ value: ConfigurationValue, cache: TokenCache?
    ) throws(CommandFailure) -> TokenVerifier {
        guard let first = issuers.first else { throw value.failure("must name at least one issuer") }
        guard issuers.count == 1 else {
            var trusted: [TrustedIssuer] = []
            for issuer in issuers { trusted.append(try issuer.trusted(value)) }
            return try value.checked { () throws(TokenError) in try TokenVerifier(issuers: trusted, cache: cache) }
        }
        let claims = try first.settings.claimPolicy()
        if first.isAccessToken {
            let profile = try first.settings.accessTokenProfile(claims)
            return try value.checked { () throws(TokenError) in
                try TokenVerifier(
                    profile, verificationKeys: first.verification, decryptionKeys: first.decryption, cache: cache)
            }
        }
        let policy = try first.settings.tokenPolicy(claims)
        return try value.checked { () throws(TokenError) in
            try TokenVerifier(
                policy, verificationKeys: first.verification, decryptionKeys: first.decryption, trust: first.trust,
                cache: cache)
        }
    }

    private func trusted(_ value: ConfigurationValue) throws(CommandFailure) -> TrustedIssuer {
        guard let names = try settings.issuers(), names.count == 1, let name = names.first else {
            throw value.failure("of several issuers, each must have exactly one iss, by which it is chosen")
        }
        var claims = try settings.claimPolicy()
        claims.issuer = .exactly(name)
        let decryption: (any KeySource)? = isEncrypted ? decryption : nil
        if isAccessToken {
            return TrustedIssuer(
                try settings.accessTokenProfile(claims), keys: verification, decryptionKeys: decryption, trust: trust)
        }
        return TrustedIssuer(
            try settings.tokenPolicy(claims), keys: verification, decryptionKeys: decryption, trust: trust)
    }
}

extension ConfigurationValue {
    /// Returns the result of `body`, whose error is one of the configuration.
    package func checked<Value>(_ body: () throws(TokenError) -> Value) throws(CommandFailure) -> Value {
        do throws(TokenError) { return try body() } catch { throw failure("\(error)") }
    }
}
