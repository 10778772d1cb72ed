internal import JOSE
internal import JOSETokens

/// An authorization request as a JWT (OpenID Connect Core, 6; RFC 9101): signed, and encrypted if the profile requires
/// it. It always has a `kid`, an expiration and the audience of the profile.
struct RequestObject {
    let client: RelyingPartyClient
    let rules: RequestObjectRules
    let clock: WallClock

    func issue(
        _ parameters: [(name: String, value: ParameterValue)], to provider: Provider, until end: ContinuousClock.Instant
    ) async throws(RelyingPartyError.Reason) -> String {
        guard rules.lifetime > .zero, rules.lifetime <= .seconds(600) else { throw .configurationError }
        let signer: ClientSigner =
            client.credentials.signing == nil ? .local(.symmetricKey(try client.macKey())) : try client.signer()
        let algorithms = try signer.algorithms(among: rules.algorithms)
        var profile = RequestObjectProfile(
            clientID: client.id, server: try rules.audience.audience(provider), algorithms: algorithms)
        profile.type = .absentOr(rules.type)
        profile.claims.clock = clock
        var claims = ClaimsBuilder()
        for (name, value) in parameters { claims[name] = Self.claim(name, value) }
        let now = clock.now
        guard now.isValid else { throw .configurationError }
        if rules.hasNotBefore { claims["nbf"] = .integer(Int64(now.secondsSince1970.rounded(.down))) }
        claims["jti"] = .string(try Secret.fresh())
        let jws = try await signer.issue(claims, under: profile.policy, lifetime: rules.lifetime, until: end)
        guard let encryption = rules.encryption else { return jws }
        return try provider.encrypted(jws, encryption)
    }

    private static func claim(_ name: String, _ value: ParameterValue) -> ClaimValue {
        switch value {
        case .json(let json): .json(json)
        // max_age is a number in a request object (OpenID Connect Core, 6.1).
        case .text(let text): name == "max_age" ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
        }
    }
}
