public import JOSE

/// The layers that a token must have, and the requirements for its claims. A `TokenVerifier` and a `TokenIssuer` can be
/// created from the same policy.
public struct TokenPolicy: Sendable {
    /// The layers of a token.
    package enum Form: Sendable {
        case signed(SignaturePolicy)
        case encrypted(EncryptionPolicy)
        case nested(outer: EncryptionPolicy, inner: SignaturePolicy)
    }
    /// The layers that a token must have.
    package let form: Form
    /// The requirements for the claims, which are checked after every layer was verified.
    public let claims: ClaimPolicy
    /// The reason why a policy of a profile cannot be used; nil if there is none. Verifiers and issuers throw it when
    /// they are created.
    package private(set) var fault: PolicyFault?

    /// Returns the policy with a fault of the profile that made it.
    package func with(_ fault: PolicyFault?) -> Self {
        var policy = self
        policy.fault = fault
        return policy
    }

    private init(_ form: Form, _ claims: ClaimPolicy) {
        self.form = form
        self.claims = claims
    }

    /// Creates a policy for signed tokens: a JWS that contains claims.
    public static func signed(_ signature: SignaturePolicy, claims: ClaimPolicy) -> Self {
        Self(.signed(signature), claims)
    }

    /// Creates a policy for encrypted tokens without a signature: a JWE that contains claims.
    ///
    /// Such a token can be read only with the recipient's key. It authenticates its creator only if that key is a
    /// shared secret: with a public key anyone can create one.
    public static func encrypted(_ encryption: EncryptionPolicy, claims: ClaimPolicy) -> Self {
        Self(.encrypted(encryption), claims)
    }

    /// Creates a policy for nested tokens: a JWE that contains a JWS that contains claims (RFC 7519, 11.2). Both layers
    /// are required, and a third is rejected.
    ///
    /// - Parameters:
    ///   - outer: The policy of the encryption layer. The `cty` of a token must be `JWT`, unless the `contentType` of
    ///     this policy is set (RFC 7519, 5.2).
    ///   - inner: The policy of the signature layer.
    ///   - claims: The requirements for the claims.
    public static func nested(outer: EncryptionPolicy, inner: SignaturePolicy, claims: ClaimPolicy) -> Self {
        var outer = outer
        if outer.contentType == .any { outer.contentType = .exactly("JWT") }
        return Self(.nested(outer: outer, inner: inner), claims)
    }

    /// Returns the policy with other requirements for the claims.
    package func with(_ claims: ClaimPolicy) -> Self { Self(form, claims).with(fault) }
}
