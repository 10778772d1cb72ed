internal import JOSE
internal import JOSETokens

/// A client's assertion of itself (RFC 7523, 2.2 and 3). There is none without a `kid`, without an end, or for another audience than
/// the profile's; each has a `jti` of its own.
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let client: RelyingPartyClient
    let rules: ClientRules
    let clock: TokenClock

    /// `method`: one of those that make an assertion.
    func issue(to provider: Provider, _ method: ClientAuthentication) throws(RelyingPartyError.Reason) -> String {
        guard rules.assertionLifetime > 0, rules.assertionLifetime <= 300 else { throw .configurationError }
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
        let jws: String
        do throws(TokenError) {
            let issuer = try TokenIssuer(profile.policy, signingKey: key, lifetime: rules.assertionLifetime)
            jws = try issuer.issue(["jti": .string(try Secret.identifier())])
        } catch {
            throw RelyingPartyError.Reason(error, isNested: false)
        }
        guard method == .privateKeyJWTEncrypted else { return jws }
        guard let encryption = rules.assertionEncryption else { throw .configurationError }
        return try provider.encrypted(jws, encryption)
    }
}

extension Secret {
    /// For `jti`.
    static func identifier() throws(TokenError) -> String {
        do throws(RelyingPartyError.Reason) { return try fresh() } catch { throw .jose(.backend, layer: .signature) }
    }
}
