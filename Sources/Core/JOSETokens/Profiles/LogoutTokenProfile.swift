public import JOSE
internal import JOSEBytes

/// A logout token as a client takes it from its provider (OpenID Connect Back-Channel Logout, 2.4 to 2.6).
public struct LogoutTokenProfile: TokenProfile {
    /// Of the provider; as for its ID tokens.
    public var signature: SignaturePolicy
    /// Where the client registered encrypted ID tokens: the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock and leeway; what the specification requires is added to it.
    public var claims: ClaimPolicy
    /// What `typ` must be. A provider that writes no type, as older ones, needs `.absentOr("logout+jwt")`.
    public var type: TypeRule = .exactly("logout+jwt")
    /// The longest lifetime of a logout token in seconds: to `exp` from now, from `iat`, and from `nbf` where it is present. It
    /// bounds how long a mark stays in the replay store. The specification prefers at most 120 (2.4); the default is 300, because
    /// providers in wide use issue logout tokens for five minutes, and a rejected one leaves a session open.
    public var maximumLifetime: Double = 300
    public let replayStore: (any ReplayStore)?

    /// Without a store a logout token that someone kept logs the user out again while it is in force.
    public init(
        issuer: String, clientID: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        self.replayStore = replayStore
    }

    /// The claims of 2.4; no `nonce`, so that no ID token passes.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "iat", "jti", "events").forbidding("nonce")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        return .profile(signature, within: encryption, type: type, claims: claims)
    }

    /// The member of `events` that makes it a logout token.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.member(Self.event, of: "events")?.kind == .object else { throw .claim(.invalid("events")) }
        if claims.contains("sid") {
            guard let session = claims.string("sid"), !session.isEmpty else { throw .claim(.invalid("sid")) }
        } else if !claims.contains("sub") {
            throw .claim(.missing("sub"))
        }
        if claims.contains("sub"), claims.subject?.isEmpty != false { throw .claim(.invalid("sub")) }
    }
}
