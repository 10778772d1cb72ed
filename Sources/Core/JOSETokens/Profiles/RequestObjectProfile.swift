public import JOSE

/// A client's authorization request as its server takes it (JAR, RFC 9101).
public struct RequestObjectProfile: TokenProfile {
    /// What `iss` and `client_id` must be (RFC 9101, 5).
    public let clientID: String
    /// Of the client: with its registered keys, or its secret for HMAC.
    public var signature: SignaturePolicy
    /// Where requests are encrypted to the server (RFC 9101, 6.1): the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock and leeway; what the RFC requires is added to it.
    public var claims: ClaimPolicy
    /// What `typ` must be. OpenID Connect's request objects, which are older, need `.absentOr("oauth-authz-req+jwt")`.
    public var type: TypeRule = .exactly("oauth-authz-req+jwt")
    /// The longest lifetime of a request in seconds, 3600 by default: to `exp` from now, and from `iat` and `nbf` where they are
    /// present (FAPI 1.0 Part 2, 5.2.2: at most 60 minutes after `nbf`). It bounds how long a mark stays in the replay store.
    public var maximumLifetime: Double = 3600
    /// With a store `jti` is required, and each request taken once.
    public let replayStore: (any ReplayStore)?

    /// `clientID` is the `client_id` beside the request, which the object must repeat; `server` the issuer identifier.
    public init(
        clientID: String, server: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)? = nil
    ) {
        self.clientID = clientID
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(server))
        self.replayStore = replayStore
    }

    /// No `request` and no `request_uri` within (RFC 9101, 4).
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "client_id", "response_type").forbidding("request", "request_uri")
        claims.issuer = .exactly(clientID)
        if replayStore != nil { claims = claims.requiring("jti") }
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        return .profile(signature, within: encryption, type: type, claims: claims)
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard let client = claims.string("client_id"), client.utf8.elementsEqual(clientID.utf8) else {
            throw .claim(.invalid("client_id"))
        }
        guard claims.string("response_type")?.isEmpty == false else { throw .claim(.invalid("response_type")) }
        // RFC 9101, 10.8: it would pass as the client's assertion of itself.
        if let subject = claims.subject, subject.utf8.elementsEqual(clientID.utf8) { throw .claim(.invalid("sub")) }
    }
}
