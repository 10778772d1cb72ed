public import JOSE
internal import JOSESupport

/// The requirements for JWT access tokens at a resource server (RFC 9068).
///
/// The profile adds the requirements of RFC 9068. It sets the `type` of the signature and `requiresExpiration` of the
/// claims: with any other value of these, no verifier can be created. A plain `TokenPolicy` accepts access tokens of
/// another type. The issuer sends encrypted access tokens where it was asked for them (RFC 9068, 4).
public struct AccessTokenProfile: SignedTokenProfile, StandardProfile {
    package var settings: ProfilePolicies
    /// The required scopes. Each must be among those of `scope` (RFC 9068, 2.2.3; RFC 6749, 3.3), which
    /// ``Claims/scopes(_:)`` reads. If none is required, `scope` is not checked.
    public var scopes: [String] = []

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The accepted authorization servers, `iss`.
    ///   - resource: The identifier of this resource server, which `aud` must contain.
    ///   - algorithms: The accepted signature algorithms.
    public init(issuer: IssuerRule, resource: AudienceRule, algorithms: [SignatureAlgorithm]) {
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: issuer, audience: resource))
    }

    /// Creates a profile for one authorization server.
    ///
    /// - Parameters:
    ///   - issuer: The accepted authorization server, `iss`.
    ///   - resource: The identifier of this resource server, which `aud` must contain.
    ///   - algorithms: The accepted signature algorithms.
    public init(issuer: String, resource: String, algorithms: [SignatureAlgorithm]) {
        self.init(issuer: .exactly(issuer), resource: .exactly(resource), algorithms: algorithms)
    }

    /// The policy: `typ` must be `at+jwt`, so that an ID token of the same issuer is rejected (RFC 9068, 4), and the
    /// claims of RFC 9068, 2.2, are required.
    package var requiredPolicy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "sub", "client_id", "iat", "jti")
        claims.requiresExpiration = true
        return .profile(
            signature, within: encryption, type: .exactly(TokenKind.accessToken.rawValue), claims: claims,
            fault: PolicyFault.unused(("claims.requiresExpiration", self.claims.requiresExpiration)))
    }

    /// Checks `client_id` and the scopes (RFC 9068, 2.2).
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.string("client_id") != nil else { throw .claim(.invalid("client_id")) }
        guard !scopes.isEmpty else { return }
        guard claims.contains("scope") else { throw .claim(.missing("scope")) }
        let granted = claims.scopes() ?? []
        for wanted in scopes where !granted.contains(where: { bytesEqual($0, wanted) }) {
            throw .claim(.invalid("scope"))
        }
    }
}
