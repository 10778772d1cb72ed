public import JOSE

/// The requirements for client assertions at an authorization server (RFC 7523, 2.2 and 3).
///
/// The keys are those that the client registered or, with HMAC, its client secret; ``type`` of the profile is the rule
/// for `typ`. The profile adds the requirements of RFC 7523. Of the claims it sets `issuer`, `subject`,
/// `requiresExpiration` and `maximumLifetime`: with any other value of these, no verifier can be created.
public struct ClientAssertionProfile: SignedTokenProfile, StandardProfile {
    /// The `client_id`, which `iss` and `sub` must equal (RFC 7523, 3, items 1 and 2).
    package let clientID: String
    package var settings: ProfilePolicies
    /// The rule for `typ`. With `.any` the types of other kinds of token are rejected all the same.
    public var type: TypeRule = .absentOr("JWT")
    /// The longest accepted lifetime of an assertion, 300 seconds by default. It is measured to `exp` from now, and
    /// from `iat` and `nbf` if they are present (RFC 7523, 3, item 4). It bounds how long the replay store must
    /// remember an assertion.
    public var maximumLifetime: Duration = .seconds(300)
    /// The store of used assertions; nil if an assertion may be used again.
    public let replayStore: (any ReplayStore)?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - clientID: The `client_id`, which `iss` and `sub` must equal.
    ///   - server: The issuer identifier of the authorization server, the only accepted audience: an assertion that is
    ///     valid at another server too could be replayed by that server.
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used assertions; nil if an assertion may be used again.
    public init(
        clientID: String, server: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        self.clientID = clientID
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(clientID), audience: .exactly(server))
        )
        self.replayStore = replayStore
    }

    /// The policy: `iss` and `sub` must be the client, and `jti` is required, which RFC 7523, 3, item 7, makes
    /// optional.
    package var requiredPolicy: TokenPolicy {
        var claims = claims.requiring("iss", "sub", "aud", "jti")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        claims.issuer = .exactly(clientID)
        claims.subject = clientID
        return .profile(
            signature, within: encryption, type: type.rejecting(kindsOtherThan: [.clientAssertion]), claims: claims,
            fault: PolicyFault.unused(
                ("claims.requiresExpiration", self.claims.requiresExpiration),
                ("claims.maximumLifetime", [nil, maximumLifetime].contains(self.claims.maximumLifetime)),
                ("claims.issuer", self.claims.issuer.isOnly(clientID)),
                ("claims.subject", [nil, clientID].contains(self.claims.subject))))
    }

    /// Checks that `aud` has exactly one value and that `jti` is not empty.
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        guard token.claims.audience.count == 1 else { throw .claim(.audienceMismatch) }
        guard token.claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
    }
}
