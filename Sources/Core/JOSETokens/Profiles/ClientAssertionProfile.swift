public import JOSE

/// A client's assertion of itself as its authorization server takes it (RFC 7523, 2.2 and 3).
public struct ClientAssertionProfile: TokenProfile {
    /// What `iss` and `sub` must be (RFC 7523, 3, items 1 and 2).
    public let clientID: String
    /// Of the client: with its registered keys, or its secret for HMAC.
    public var signature: SignaturePolicy
    /// Where assertions are encrypted to the server: the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock and leeway; what the RFC requires is added to it.
    public var claims: ClaimPolicy
    /// What `typ` must be.
    public var type: TypeRule = .absentOr("JWT")
    /// The longest lifetime of an assertion in seconds, 300 by default: to `exp` from now, and from `iat` and `nbf` where they are
    /// present (RFC 7523, 3, step 4). It bounds how long a mark stays in the replay store.
    public var maximumLifetime: Double = 300
    public let replayStore: (any ReplayStore)?

    /// `server` is the authorization server's issuer identifier, and the only audience that may be named: an assertion
    /// that is also good elsewhere could have been taken from there. Without a store an assertion can be used again.
    public init(
        clientID: String, server: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        self.clientID = clientID
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(server))
        self.replayStore = replayStore
    }

    /// `iss` and `sub` are the client; `jti` is required, which RFC 7523, 3, step 7 leaves open.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "sub", "aud", "jti")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        claims.issuer = .exactly(clientID)
        claims.subject = clientID
        return .profile(signature, within: encryption, type: type, claims: claims)
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        guard token.claims.audience.count == 1 else { throw .claim(.audienceMismatch) }
        guard token.claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
    }
}
