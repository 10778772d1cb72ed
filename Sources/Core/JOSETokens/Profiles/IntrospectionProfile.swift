public import JOSE
internal import JOSESupport

/// The requirements for signed introspection responses at a resource server (RFC 9701, 5).
///
/// The profile adds the requirements of RFC 9701, and sets the `type` of the signature: with any other, no verifier can
/// be created. Of the claims, `maximumAge` is 300 seconds by default, and `requiresExpiration` is false, because only
/// the introspected token inside the response has `exp` (RFC 9701, 5).
public struct IntrospectionProfile: SignedTokenProfile, StandardProfile {
    package var settings: ProfilePolicies

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server, `iss`.
    ///   - resource: The identifier of this resource server, which `aud` must contain.
    ///   - algorithms: The accepted signature algorithms.
    public init(issuer: String, resource: String, algorithms: [SignatureAlgorithm]) {
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(resource))
        )
        claims.maximumAge = .seconds(300)
        claims.requiresExpiration = false
    }

    /// The policy for the response.
    package var requiredPolicy: TokenPolicy {
        .profile(
            signature, within: encryption, type: .exactly(TokenKind.introspectionResponse.rawValue),
            claims: claims.requiring("iss", "aud", "iat", "token_introspection"))
    }

    /// Checks that the response states whether the token is active.
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        guard token.claims.member("active", of: "token_introspection")?.bool() != nil else {
            throw .claim(.invalid("token_introspection"))
        }
    }

    /// Returns the claims of the introspected token, after checking its times with the clock and the leeway of the
    /// profile.
    ///
    /// - Parameter token: The verified response.
    /// - Returns: The claims; nil if the token is not active, whatever else the response contains (RFC 7662, 2.2).
    /// - Throws: `claim` errors if the response is malformed, or if the introspected token has expired or is not valid
    ///   yet.
    public func activeToken(in token: VerifiedToken) throws(TokenError) -> Claims? {
        try check(token)
        guard token.claims.member("active", of: "token_introspection")?.bool() == true,
            let text = token.claims.json("token_introspection")
        else { return nil }
        let inner = try Claims(payload: text, limits: signature.limits, layer: .signature)
        var times = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        times.requiresExpiration = false
        (times.leewaySeconds, times.clock) = (claims.leewaySeconds, claims.clock)
        try ClaimChecker(times).check(inner, algorithm: nil, outer: nil)
        return inner
    }
}
