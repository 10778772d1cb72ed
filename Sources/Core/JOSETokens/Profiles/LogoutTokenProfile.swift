public import JOSE
internal import JOSESupport

/// The requirements for logout tokens at a client (OpenID Connect Back-Channel Logout, 2.4 to 2.6).
///
/// The policy of the signature is that of the provider's ID tokens; ``type`` of the profile is the rule for `typ`. The
/// profile adds the requirements of OpenID Connect Back-Channel Logout. Of the claims it sets `requiresExpiration` and
/// `maximumLifetime`: with any other value of these, no verifier can be created.
public struct LogoutTokenProfile: SignedTokenProfile, StandardProfile {
    package var settings: ProfilePolicies
    /// The rule for `typ`. A provider that sets no type, as older ones do, needs `.absentOr("logout+jwt")`. With `.any`
    /// the types of other kinds of token are rejected all the same.
    public var type: TypeRule = .exactly(TokenKind.logoutToken.rawValue)
    /// The longest accepted lifetime of a logout token. It is measured to `exp` from now, from `iat`, and from `nbf` if
    /// it is present. It bounds how long the replay store must remember a logout token. The specification prefers at
    /// most 120 seconds (2.4); the default is 300 seconds, because widely used providers issue logout tokens with a
    /// lifetime of five minutes, and rejecting one leaves a session open.
    public var maximumLifetime: Duration = .seconds(300)
    /// The store of used logout tokens; nil if a logout token may be used again.
    public let replayStore: (any ReplayStore)?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the provider, `iss`.
    ///   - clientID: The `client_id` of this client, which `aud` must contain.
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used logout tokens. With nil, whoever has a logout token can log the user out
    ///     again until it expires.
    public init(
        issuer: String, clientID: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        )
        self.replayStore = replayStore
    }

    /// The policy: the claims of OpenID Connect Back-Channel Logout, 2.4, are required, and `nonce` is forbidden, so
    /// that ID tokens are rejected.
    package var requiredPolicy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "iat", "jti", "events").forbidding("nonce")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        return .profile(
            signature, within: encryption, type: type.rejecting(kindsOtherThan: [.logoutToken]), claims: claims,
            fault: PolicyFault.unused(
                ("claims.requiresExpiration", self.claims.requiresExpiration),
                ("claims.maximumLifetime", [nil, maximumLifetime].contains(self.claims.maximumLifetime))))
    }

    /// The name of the member of `events` that every logout token has.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks `events`, `sid` and `sub` (OpenID Connect Back-Channel Logout, 2.4 and 2.6).
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.member(Self.event, of: "events")?.kind == .object else { throw .claim(.invalid("events")) }
        if claims.contains("sid") {
            guard let session = claims.string("sid"), !session.isEmpty else { throw .claim(.invalid("sid")) }
        } else if !claims.contains("sub") {
            throw .claim(.missing("sub"))
        }
        if claims.contains("sub") { try ClaimEvaluation(token, under: self.claims).require(.subject) }
    }
}
