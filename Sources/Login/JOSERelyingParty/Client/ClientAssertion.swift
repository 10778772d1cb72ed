internal import JOSE
internal import JOSETokens

/// An assertion by which the client authenticates (RFC 7523, 2.2 and 3). It always has a `kid`, an expiration, the
/// audience of the profile, and its own `jti`.
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let client: RelyingPartyClient
    let rules: ClientRules
    let clock: WallClock

    /// Returns a signed assertion, encrypted if the method requires it.
    ///
    /// - Parameters:
    ///   - provider: The provider that receives the assertion.
    ///   - method: One of the methods that use an assertion.
    ///   - end: The end of the wait for a key outside the process; nil for none.
    func issue(
        to provider: Provider, _ method: ClientAuthentication, until end: ContinuousClock.Instant?
    ) async throws(RelyingPartyError.Reason) -> String {
        guard rules.assertionLifetime > .zero, rules.assertionLifetime <= .seconds(300) else {
            throw .configurationError
        }
        let signer: ClientSigner
        let algorithms: [SignatureAlgorithm]
        if method == .clientSecretJWT {
            signer = .local(.symmetricKey(try client.macKey()))
            algorithms = try signer.algorithms(among: [.hs256])
        } else {
            signer = try client.signer()
            algorithms = try signer.algorithms(among: rules.assertionAlgorithms)
        }
        var profile = ClientAssertionProfile(
            clientID: client.id, server: try rules.assertionAudience.audience(provider), algorithms: algorithms,
            replayStore: nil)
        profile.claims.clock = clock
        profile.type = .absentOr("JWT")
        var options = TokenOptions()
        if rules.assertionsNameCertificate, method != .clientSecretJWT {
            guard let thumbprint = signer.key.binding.certificates?.sha256 else { throw .configurationError }
            options.signatureHeader = HeaderParameters()
            options.signatureHeader?.set("x5t#S256", String(decoding: thumbprint, as: UTF8.self))
        }
        let jws = try await signer.issue(
            ["jti": .string(try Secret.fresh())], under: profile.policy, lifetime: rules.assertionLifetime,
            options: options, until: end)
        guard method == .privateKeyJWTEncrypted else { return jws }
        guard let encryption = rules.assertionEncryption else { throw .configurationError }
        return try provider.encrypted(jws, encryption)
    }
}
