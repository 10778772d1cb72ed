public import JOSE

/// What a token must be, layer by layer, and what it must claim. The same value makes a `TokenVerifier` and a `TokenIssuer`.
public struct TokenPolicy: Sendable {
    package enum Form: Sendable {
        case signed(SignaturePolicy)
        case encrypted(EncryptionPolicy)
        case nested(outer: EncryptionPolicy, inner: SignaturePolicy)
    }
    package let form: Form
    /// Looked at once every layer held.
    public let claims: ClaimPolicy

    private init(_ form: Form, _ claims: ClaimPolicy) {
        self.form = form
        self.claims = claims
    }

    /// A JWS around claims.
    public static func signed(_ signature: SignaturePolicy, claims: ClaimPolicy) -> Self {
        Self(.signed(signature), claims)
    }

    /// A JWE around claims. It proves who may read, and with a shared key who wrote; with a public key anyone could have.
    public static func encrypted(_ encryption: EncryptionPolicy, claims: ClaimPolicy) -> Self {
        Self(.encrypted(encryption), claims)
    }

    /// A JWE around a JWS around claims (RFC 7519, 11.2): both layers required, and no third. The outer `cty` must be `JWT`
    /// unless `outer.contentType` says otherwise (RFC 7519, 5.2).
    public static func nested(outer: EncryptionPolicy, inner: SignaturePolicy, claims: ClaimPolicy) -> Self {
        var outer = outer
        if outer.contentType == .any { outer.contentType = .exactly("JWT") }
        return Self(.nested(outer: outer, inner: inner), claims)
    }

    /// The same where whoever verifies looks at the outer `cty` by a rule of its own, once the token is open.
    package static func layers(
        outer: EncryptionPolicy, inner: SignaturePolicy, claims: ClaimPolicy
    ) -> Self {
        Self(.nested(outer: outer, inner: inner), claims)
    }
}
