internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// A signed authentication request (OpenID Connect CIBA Core, 7.1.1). It always has `iss`, `aud`, `iat`, `exp`, `nbf`
/// and `jti`.
struct BackChannelRequestObject {
    let client: RelyingPartyClient
    let rules: RequestObjectRules
    /// Whether the provider must announce the signature algorithm.
    let needsAnnouncement: Bool
    let clock: WallClock

    /// Returns the signed request.
    ///
    /// - Throws: `metadataMissing` if the provider announces no signature algorithms, which means that it accepts no
    ///   signed requests; `keyUnsuitable` if the client's key fits none of them; `configurationError` for a lifetime
    ///   that is not allowed, rules for encryption, or a client without a signing key.
    func issue(
        _ parameters: [(name: String, value: ParameterValue)], to provider: Provider, until end: ContinuousClock.Instant
    ) async throws(RelyingPartyError.Reason) -> String {
        guard rules.lifetime > .zero, rules.lifetime <= .seconds(300), rules.encryption == nil else {
            throw .configurationError
        }
        let signer = try client.signer()
        var algorithms = rules.algorithms
        if needsAnnouncement {
            let announced: [String]
            do throws(DiscoveryFault) {
                announced = try provider.metadata.requiredStrings(.backchannelRequestSigningAlgorithms)
            } catch {
                throw RelyingPartyError.Reason(error)
            }
            algorithms.removeAll { algorithm in !announced.contains(algorithm.name) }
        }
        algorithms = try signer.algorithms(among: algorithms)
        var signature = SignaturePolicy(algorithms: algorithms)
        signature.type = .absentOr(rules.type)
        var policy = ClaimPolicy(issuer: .exactly(client.id), audience: .exactly(try rules.audience.audience(provider)))
        policy.required = ["iss", "aud", "iat", "exp", "nbf", "jti"]
        policy.requiresExpiration = true
        policy.clock = clock
        let now = clock.now
        guard now.isValid else { throw .configurationError }
        var claims = ClaimsBuilder()
        for (name, value) in parameters { claims[name] = Self.claim(name, value) }
        claims["nbf"] = .integer(Int64(now.secondsSince1970.rounded(.down)))
        claims["jti"] = .string(try Secret.fresh())
        return try await signer.issue(
            claims, under: .signed(signature, claims: policy), lifetime: rules.lifetime, until: end)
    }

    private static func claim(_ name: String, _ value: ParameterValue) -> ClaimValue {
        switch value {
        case .json(let json): .json(json)
        case .text(let text):
            // The only parameter that is a number in a signed request (7.1).
            name == "requested_expiry" ? digits(text).map { .integer($0) } ?? .string(text) : .string(text)
        }
    }
}
