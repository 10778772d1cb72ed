public import JOSE
internal import JOSESupport

/// The requirements for request objects at an authorization server (RFC 9101, JAR).
///
/// The keys are those that the client registered or, with HMAC, its client secret; ``type`` of the profile is the rule
/// for `typ`. The profile adds the requirements of RFC 9101. Of the claims it sets `issuer`, `requiresExpiration` and
/// `maximumLifetime`: with any other value of these, no verifier can be created.
public struct RequestObjectProfile: SignedTokenProfile, StandardProfile {
    /// The `client_id` of the client, which `iss` and `client_id` must equal (RFC 9101, 5).
    package let clientID: String
    package var settings: ProfilePolicies
    /// The rule for `typ`. OpenID Connect request objects, which predate RFC 9101, need
    /// `.absentOr("oauth-authz-req+jwt")`. With `.any` the types of other kinds of token are rejected all the
    /// same.
    public var type: TypeRule = .exactly(TokenKind.requestObject.rawValue)
    /// The longest accepted lifetime of a request object, one hour by default. It is measured to `exp` from now, and
    /// from `iat` and `nbf` if they are present (FAPI 1.0 Part 2, 5.2.2: at most 60 minutes after `nbf`). It bounds how
    /// long the replay store must remember a request object.
    public var maximumLifetime: Duration = .seconds(3600)
    /// The store of used request objects; nil if a request object may be used again. With a store, `jti` is required.
    public let replayStore: (any ReplayStore)?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - clientID: The parameter `client_id` of the authorization request, which the request object must repeat.
    ///   - server: The issuer identifier of the authorization server, `aud`.
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used request objects; nil if a request object may be used again.
    public init(
        clientID: String, server: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)? = nil
    ) {
        self.clientID = clientID
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(server))
        )
        self.replayStore = replayStore
    }

    /// The policy: `request` and `request_uri` are forbidden (RFC 9101, 4).
    package var requiredPolicy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "client_id", "response_type").forbidding("request", "request_uri")
        claims.issuer = .exactly(clientID)
        if replayStore != nil { claims = claims.requiring("jti") }
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        return .profile(
            signature, within: encryption, type: type.rejecting(kindsOtherThan: [.requestObject]), claims: claims,
            fault: PolicyFault.unused(
                ("claims.requiresExpiration", self.claims.requiresExpiration),
                ("claims.maximumLifetime", [nil, maximumLifetime].contains(self.claims.maximumLifetime)),
                ("claims.issuer", self.claims.issuer.isOnly(clientID))))
    }

    /// Checks `client_id`, `response_type` and `sub` (RFC 9101, 5 and 10.8).
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard let client = claims.string("client_id"), bytesEqual(client, clientID) else {
            throw .claim(.invalid("client_id"))
        }
        guard claims.string("response_type")?.isEmpty == false else { throw .claim(.invalid("response_type")) }
        // Such a request could be used as an assertion of the client (RFC 9101, 10.8).
        if let subject = claims.subject, bytesEqual(subject, clientID) { throw .claim(.invalid("sub")) }
    }
}
