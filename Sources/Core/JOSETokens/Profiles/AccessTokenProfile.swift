public import JOSE

/// A JWT access token as its resource server takes it (RFC 9068).
public struct AccessTokenProfile: TokenProfile {
    /// Of the authorization server; `typ` is the profile's own affair.
    public var signature: SignaturePolicy
    /// Where tokens are encrypted to the resource server (RFC 9068, 4): the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Issuer and audience, clock and leeway; what RFC 9068 requires is added to it.
    public var claims: ClaimPolicy
    /// Each must be among the words of `scope` (RFC 9068, 2.2.3; RFC 6749, 3.3).
    public var scopes: [String] = []

    /// `resource` is what `aud` names this resource server by.
    public init(issuer: IssuerRule, resource: AudienceRule, algorithms: [SignatureAlgorithm]) {
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: issuer, audience: resource)
    }

    /// `typ` `at+jwt`, so that an ID token of the same issuer is none (RFC 9068, 4); the claims of 2.2.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "sub", "client_id", "iat", "jti")
        claims.requiresExpiration = true
        return .profile(signature, within: encryption, type: .exactly("at+jwt"), claims: claims)
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.string("client_id") != nil else { throw .claim(.invalid("client_id")) }
        guard claims.contains("scope") else {
            if !scopes.isEmpty { throw .claim(.missing("scope")) }
            return
        }
        guard let scope = claims.string("scope") else { throw .claim(.invalid("scope")) }
        let words = scope.utf8.split(separator: UInt8(ascii: " "))
        for wanted in scopes where !words.contains(where: { $0.elementsEqual(wanted.utf8) }) {
            throw .claim(.invalid("scope"))
        }
    }
}
