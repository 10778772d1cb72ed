public import JOSE
internal import JOSESupport

/// The requirements for JWT-secured authorization responses at a client (JARM, 2.1 and 2.4).
public struct AuthorizationResponseProfile: TokenProfile {
    /// The policy of the signature layer. The profile sets its `type`: with any other, no verifier can be created.
    /// `none` is not supported (JARM, 2.4).
    public var signature: SignaturePolicy
    /// The policy of the encryption layer. If it is nil, encrypted tokens are rejected; otherwise tokens must be
    /// encrypted.
    public var encryption: EncryptionPolicy?
    /// The policy for the claims, with clock and leeway. The profile adds the requirements of JARM, and
    /// requires `exp`: `requiresExpiration` cannot be false.
    public var claims: ClaimPolicy
    /// The `state` of the request, which the response must repeat.
    public let state: String?

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
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
    }

    /// The policy with the claims that JARM requires.
    public var policy: TokenPolicy {
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
    public func check(_ token: VerifiedToken) throws(TokenError) {
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
