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
    func issue(to provider: Provider, _ method: ClientAuthentication) throws(RelyingPartyError.Reason) -> String {
        guard rules.assertionLifetime > .zero, rules.assertionLifetime <= .seconds(300) else {
            throw .configurationError
        }
        let key: JWK
        var algorithms: [SignatureAlgorithm]
        if method == .clientSecretJWT {
            key = .symmetricKey(try client.macKey())
            algorithms = [.hs256]
        } else {
            key = .privateKey(try client.signingKey())
            algorithms = rules.assertionAlgorithms
        }
        algorithms.removeAll { KeySelection.unsuitability(of: key, for: $0, .sign) != nil }
        guard !algorithms.isEmpty else { throw .keyUnsuitable }
        var profile = ClientAssertionProfile(
            clientID: client.id, server: rules.assertionAudience.audience(provider), algorithms: algorithms,
            replayStore: nil)
        profile.claims.clock = clock
        profile.type = .absentOr("JWT")
        var options = TokenOptions()
        if rules.assertionsNameCertificate, method != .clientSecretJWT {
            guard let thumbprint = key.binding.certificates?.sha256 else { throw .configurationError }
            options.signatureHeader = HeaderParameters()
            options.signatureHeader?.set("x5t#S256", String(decoding: thumbprint, as: UTF8.self))
        }
        let jws: String
        do throws(TokenError) {
            let issuer = try TokenIssuer(profile.policy, signingKey: key, lifetime: rules.assertionLifetime)
            jws = try issuer.issue(["jti": .string(try Secret.identifier())], options: options)
        } catch {
            throw RelyingPartyError.Reason(error, isNested: false)
        }
        guard method == .privateKeyJWTEncrypted else { return jws }
        guard let encryption = rules.assertionEncryption else { throw .configurationError }
        return try provider.encrypted(jws, encryption)
    }
}

extension Secret {
    /// Returns a random value for `jti`.
    static func identifier() throws(TokenError) -> String {
        do throws(RelyingPartyError.Reason) { return try fresh() } catch { throw .jose(.backend, layer: .signature) }
    }
}
