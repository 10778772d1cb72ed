public import JOSE

/// A userinfo answer that is a JWT, as the client takes it (OpenID Connect Core, 5.3.2).
public struct UserInfoProfile: TokenProfile {
    /// The layers that the client registered; another form is refused.
    public enum Form: Sendable {
        /// A JWS: what `userinfo_signed_response_alg` asks for.
        case signed(SignaturePolicy)
        /// A JWS in a JWE: with `userinfo_encrypted_response_alg` as well.
        case nested(outer: EncryptionPolicy, inner: SignaturePolicy)
        /// Anyone who knows the client's key could have written it: only the connection says who did.
        case encrypted(EncryptionPolicy)
    }
    /// What the client registered; the other form is refused.
    public let form: Form
    /// Clock and leeway; what the specification requires is added to it.
    public var claims: ClaimPolicy

    /// `subject` is the ID token's `sub`, which the answer must be about (5.3.2, and 16.11 for what happens else).
    public init(issuer: String, clientID: String, subject: String, form: Form) {
        self.form = form
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        claims.subject = subject
        claims.requiresExpiration = false
    }

    /// `iss` and `aud` are required where it is signed, and looked at in every form where they are there.
    public var policy: TokenPolicy {
        let claims = claims.requiring("sub")
        switch form {
        case .signed(let signature):
            return .profile(signature, within: nil, type: .absentOr("JWT"), claims: claims)
        case .nested(let outer, let inner):
            return .profile(inner, within: outer, type: .absentOr("JWT"), claims: claims)
        case .encrypted(let encryption):
            var unsigned = claims
            (unsigned.issuer, unsigned.audience) = (.anyIssuerUnchecked, .anyAudienceUnchecked)
            return .encrypted(encryption, claims: unsigned)
        }
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        guard case .encrypted = form else { return }
        if token.claims.contains("iss"), case .exactly(let issuer) = claims.issuer,
            token.claims.issuer?.utf8.elementsEqual(issuer.utf8) != true
        {
            throw .claim(.issuerMismatch)
        }
        if token.claims.contains("aud"), case .exactly(let audience) = claims.audience,
            !token.claims.audience.contains(where: { $0.utf8.elementsEqual(audience.utf8) })
        {
            throw .claim(.audienceMismatch)
        }
    }
}
