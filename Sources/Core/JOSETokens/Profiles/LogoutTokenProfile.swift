public import JOSE
internal import JOSEBytes

/// The requirements for logout tokens at a client (OpenID Connect Back-Channel Logout, 2.4 to 2.6).
public struct LogoutTokenProfile: TokenProfile {
    /// The policy of the signature layer, as for ID tokens of the provider. Its `type` is set by the profile.
    public var signature: SignaturePolicy
    /// The policy of the encryption layer, which is then required; nil if tokens are not encrypted.
    public var encryption: EncryptionPolicy?
    /// The requirements for the claims: clock and leeway. Those of the specification are added.
    public var claims: ClaimPolicy
    /// The rule for `typ`. A provider that sets no type, as older ones do, needs `.absentOr("logout+jwt")`.
    public var type: TypeRule = .exactly("logout+jwt")
    /// The longest accepted lifetime of a logout token: the time from now, from `iat`, and from `nbf` where it is present, to
    /// `exp`. It bounds how long a mark stays in the replay store. The specification prefers at most 120 seconds (2.4); the
    /// default is 300 seconds, because providers in wide use issue logout tokens for five minutes, and a rejected one leaves a
    /// session open.
    public var maximumLifetime: Duration = .seconds(300)
    /// The store of used logout tokens; nil if a logout token may be used again.
    public let replayStore: (any ReplayStore)?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The provider, `iss`.
    ///   - clientID: The client, `aud`.
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used logout tokens. With nil, whoever has a logout token can log the user out again until it
    ///     expires.
    public init(
        issuer: String, clientID: String, algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?
    ) {
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        self.replayStore = replayStore
    }

    /// The policy: the claims of 2.4 are required, and `nonce` is forbidden, so that ID tokens are rejected.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "iat", "jti", "events").forbidding("nonce")
        claims.requiresExpiration = true
        claims.maximumLifetime = maximumLifetime
        return .profile(signature, within: encryption, type: type, claims: claims)
    }

    /// The member of `events` that every logout token has.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks `events`, `sid` and `sub` (OpenID Connect Back-Channel Logout, 2.4 and 2.6).
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
