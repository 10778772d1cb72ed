public import JOSE

/// The requirements for client assertions at an authorization server (RFC 7523, 2.2 and 3).
public struct ClientAssertionProfile: TokenProfile {
    /// The client, which `iss` and `sub` must name (RFC 7523, 3, items 1 and 2).
    public let clientID: String
    /// The policy of the signature layer, for the registered keys of the client, or its secret with HMAC. Its `type` is set by
    /// the profile.
    public var signature: SignaturePolicy
    /// The policy of the encryption layer, which is then required; nil if tokens are not encrypted.
    public var encryption: EncryptionPolicy?
    /// The requirements for the claims: clock and leeway. Those of the RFC are added.
    public var claims: ClaimPolicy
    /// The rule for `typ`.
    public var type: TypeRule = .absentOr("JWT")
    /// The longest accepted lifetime of an assertion, 300 seconds by default: the time from now, and from `iat` and `nbf` where
    /// they are present, to `exp` (RFC 7523, 3, step 4). It bounds how long a mark stays in the replay store.
    public var maximumLifetime: Duration = .seconds(300)
    /// The store of used assertions; nil if an assertion may be used again.
    public let replayStore: (any ReplayStore)?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - clientID: The client, `iss` and `sub`.
    ///   - server: The issuer identifier of the authorization server, the only audience that is accepted: an assertion that is
    ///     valid elsewhere too could have been taken from there.
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used assertions; with nil an assertion can be used again.
    public init(
        clientID: String, server: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        self.clientID = clientID
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(server))
        self.replayStore = replayStore
    }

    /// The policy: `iss` and `sub` must be the client, and `jti` is required, which RFC 7523, 3, step 7 leaves open.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "sub", "aud", "jti")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        claims.issuer = .exactly(clientID)
        claims.subject = clientID
        return .profile(signature, within: encryption, type: type, claims: claims)
    }

    /// Checks that there is one audience and an identifier.
    public func check(_ token: VerifiedToken) throws(TokenError) {
        guard token.claims.audience.count == 1 else { throw .claim(.audienceMismatch) }
        guard token.claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
    }
}
