internal import JOSE
internal import JOSECrypto
internal import JOSETokens

/// A client's assertion of itself (RFC 7523, 2.2 and 3). There is none without a `kid`, without an end, or for another audience than
/// the profile's; each has a `jti` of its own.
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let client: RelyingPartyClient
    let rules: ClientRules
    let clock: TokenClock

    /// `method`: one of those that make an assertion.
    func issue(to provider: Provider, _ method: ClientAuthentication) throws(RelyingPartyFailure) -> String {
        guard rules.assertionLifetime > 0, rules.assertionLifetime <= 300 else { throw .configurationError }
        let key: JWK
        var algorithms: [SignatureAlgorithm]
        if method == .clientSecretJWT {
            key = .symmetricKey(try client.macKey())
            algorithms = [.hs256]
        } else {
            key = .privateKey(try client.signingKey(rules))
            algorithms = rules.assertionAlgorithms
        }
        algorithms.removeAll { KeySelection.unsuitability(of: key, for: $0, .sign) != nil }
        guard !algorithms.isEmpty else { throw .keyUnsuitable }
        var profile = ClientAssertionProfile(
            clientID: client.id, server: rules.assertionAudience.audience(provider), algorithms: algorithms,
            replayStore: nil)
        profile.claims.clock = clock
        profile.type = .absentOr(rules.assertionType)
        let jws: String
        do throws(TokenError) {
            let issuer = try TokenIssuer(profile.policy, signingKey: key, lifetime: rules.assertionLifetime)
            jws = try issuer.issue(["jti": .string(try rules.assertionIDIsUUID ? Secret.uuid() : Secret.identifier())])
        } catch {
            throw RelyingPartyFailure(error, isNested: false)
        }
        guard method == .privateKeyJWTEncrypted else { return jws }
        guard let encryption = rules.assertionEncryption else { throw .configurationError }
        return try provider.encrypted(jws, encryption)
    }
}

extension Secret {
    /// RFC 9562, 5.4.
    static func uuid() throws(TokenError) -> String {
        var bytes: [UInt8]
        do throws(CryptoError) { bytes = try Random.bytes(16) } catch { throw .jose(.backend, layer: .signature) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return text
    }

    /// For `jti`.
    static func identifier() throws(TokenError) -> String {
        do throws(RelyingPartyFailure) { return try fresh() } catch { throw .jose(.backend, layer: .signature) }
    }
}
