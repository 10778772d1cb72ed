public import JOSE

/// A server's authorization response as its client takes it (JARM, 2.1 and 2.4).
public struct AuthorizationResponseProfile: TokenProfile {
    /// Of the authorization server; `none` does not exist here (JARM, 2.4).
    public var signature: SignaturePolicy
    /// Where the client registered encrypted responses: the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock and leeway; what JARM requires is added to it.
    public var claims: ClaimPolicy
    /// What the request sent; the response must say the same.
    public let state: String?

    /// `issuer` is the server that the request went to, so that a mix-up of servers ends here. `state` is nil only
    /// where the request sent none; a response that has one is then refused.
    public init(issuer: String, clientID: String, state: String?, algorithms: [SignatureAlgorithm]) {
        self.state = state
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
    }

    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "aud")
        claims = state == nil ? claims.forbidding("state") : claims.requiring("state")
        claims.requiresExpiration = true
        return .profile(signature, within: encryption, type: .absentOr("JWT"), claims: claims)
    }

    /// What makes it a response; an ID token of the same server has none of them.
    private static let parameters: [ClaimName] = ["error", "code", "access_token", "id_token"]

    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        if let state {
            guard let value = claims.string("state"), value.utf8.elementsEqual(state.utf8) else {
                throw .claim(.invalid("state"))
            }
        }
        let found = Self.parameters.filter { claims.contains($0.description) }
        guard !found.isEmpty else { throw .claim(.missing("code")) }
        for name in found where claims.string(name.description) == nil { throw .claim(.invalid(name)) }
        if found.contains("error"), found.count > 1 { throw .claim(.forbidden(found[1])) }
    }
}
