public import JOSE
internal import JOSESupport

/// The requirements for JWT-secured authorization responses at a client (JARM, 2.1 and 2.4).
///
/// The profile adds the requirements of JARM. It sets the `type` of the signature and `requiresExpiration` of the
/// claims: with any other value of these, no verifier can be created. `none` is not supported (JARM, 2.4).
public struct AuthorizationResponseProfile: SignedTokenProfile, StandardProfile {
    package var settings: ProfilePolicies
    /// The `state` of the request, which the response must repeat.
    package let state: String?

    /// Creates a profile for the response to one request.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server to which the request was sent; a response of another server is rejected,
    ///     which prevents mix-up attacks.
    ///   - clientID: The `client_id` of this client, which `aud` must contain.
    ///   - state: The `state` of the request; nil if the request had none, in which case a response with a `state` is
    ///     rejected.
    ///   - algorithms: The accepted signature algorithms.
    public init(issuer: String, clientID: String, state: String?, algorithms: [SignatureAlgorithm]) {
        self.state = state
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        )
    }

    /// The policy with the claims that JARM requires.
    package var requiredPolicy: TokenPolicy {
        var claims = claims.requiring("iss", "aud")
        claims = state == nil ? claims.forbidding("state") : claims.requiring("state")
        claims.requiresExpiration = true
        return .profile(
            signature, within: encryption, type: .absentOr("JWT"), claims: claims,
            fault: PolicyFault.unused(("claims.requiresExpiration", self.claims.requiresExpiration)))
    }

    /// The parameters of a response; an ID token of the same server has none of them.
    private static let parameters: [ClaimName] = ["error", "code", "access_token", "id_token"]

    /// Checks `state` and the parameters of the response (JARM, 2.1).
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        if let state {
            guard let value = claims.string("state"), bytesEqual(value, state) else {
                throw .claim(.invalid("state"))
            }
        }
        let found = Self.parameters.filter { claims.contains($0.description) }
        guard !found.isEmpty else { throw .claim(.missing("code")) }
        for name in found where claims.string(name.description) == nil { throw .claim(.invalid(name)) }
        if found.contains("error"), found.count > 1 { throw .claim(.forbidden(found[1])) }
    }
}
