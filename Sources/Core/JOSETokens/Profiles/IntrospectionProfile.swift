public import JOSE
internal import JOSEBytes

/// A signed answer to an introspection as the resource server takes it (RFC 9701, 5).
public struct IntrospectionProfile: TokenProfile {
    /// Of the authorization server.
    public var signature: SignaturePolicy
    /// Where the resource server registered encrypted answers: the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock, leeway and `maximumAge`; what the RFC requires is added to it.
    public var claims: ClaimPolicy

    /// `resource` is what `aud` names this resource server by.
    public init(issuer: String, resource: String, algorithms: [SignatureAlgorithm]) {
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(resource))
        claims.maximumAge = 300
    }

    /// No `exp` is asked for: the answer's own is that of the token within (RFC 9701, 5).
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "iat", "token_introspection")
        claims.requiresExpiration = false
        return .profile(signature, within: encryption, type: .exactly("token-introspection+jwt"), claims: claims)
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        guard token.claims.member("active", of: "token_introspection")?.bool() != nil else {
            throw .claim(.invalid("token_introspection"))
        }
    }

    /// What the server says of the token; nil where it is not active, whatever else is said then (RFC 7662, 2.2). Its
    /// times are checked against the clock of the profile.
    public func activeToken(in token: VerifiedToken) throws(TokenError) -> Claims? {
        try check(token)
        guard token.claims.member("active", of: "token_introspection")?.bool() == true,
            let text = token.claims.json("token_introspection")
        else { return nil }
        let inner = try Claims(payload: text, limits: signature.limits, layer: .signature)
        var times = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        times.requiresExpiration = false
        (times.leeway, times.clock) = (claims.leeway, claims.clock)
        try ClaimChecker(times).check(inner, algorithm: nil, outer: nil)
        return inner
    }
}
