public import JOSE
internal import JOSESupport

/// The requirements for JWT access tokens at a resource server (RFC 9068).
public struct AccessTokenProfile: TokenProfile {
    /// The policy of the signature layer. The profile sets its `type`: with any other, no verifier can be created, and
    /// `policyInvalid(.setByProfile)` is thrown. A plain `TokenPolicy` accepts access tokens of another type.
    public var signature: SignaturePolicy
    /// The policy of the encryption layer. If it is nil, encrypted tokens are rejected; otherwise tokens must be
    /// encrypted (RFC 9068, 4).
    public var encryption: EncryptionPolicy?
    /// The policy for the claims, with issuer, audience, clock and leeway. The profile adds the requirements of RFC
    /// 9068, and requires `exp`: `requiresExpiration` cannot be false.
    public var claims: ClaimPolicy
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
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: issuer, audience: resource)
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
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud", "sub", "client_id", "iat", "jti")
        claims.requiresExpiration = true
        return .profile(
            signature, within: encryption, type: .exactly(TokenKind.accessToken.rawValue), claims: claims,
            fault: PolicyFault.unused(("claims.requiresExpiration", self.claims.requiresExpiration)))
    }

    /// Checks `client_id` and the scopes (RFC 9068, 2.2).
    public func check(_ token: VerifiedToken) throws(TokenError) {
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
