public import JOSE

/// The properties of one token that differ from those of its issuer.
public struct TokenOptions: Sendable {
    /// The header parameters of the signature layer in place of those of the issuer; nil to keep those. If `typ` or
    /// `cty` is absent, it is what the policy requires; if the policy requires no `typ`, it is `JWT`.
    public var signatureHeader: HeaderParameters?
    /// The header parameters of the encryption layer in place of those of the issuer; nil to keep those. If `typ` or
    /// `cty` is absent, it is what the policy requires.
    public var encryptionHeader: HeaderParameters?
    /// The time from which the token is valid, `nbf`; nil for a token that is valid at once.
    ///
    /// `exp`, if it is absent, is this time plus the lifetime. The claims are checked as by a verifier at this time, so
    /// that `nbf` may be in the future, which is rejected otherwise. A time in the past is allowed.
    public var validFrom: NumericDate?
    /// The time from issue, or from ``validFrom``, to `exp`, for claims that have no `exp` of their own; nil for that
    /// of the issuer.
    public var lifetime: Duration?

    /// Whether the token differs at all from those of its issuer.
    var differ: Bool {
        signatureHeader != nil || encryptionHeader != nil || validFrom != nil || lifetime != nil
    }

    /// Creates options.
    ///
    /// - Parameters:
    ///   - signatureHeader: The header parameters of the signature layer; nil for those of the issuer.
    ///   - encryptionHeader: The header parameters of the encryption layer; nil for those of the issuer.
    ///   - validFrom: The time from which the token is valid, `nbf`; nil for a token that is valid at once.
    ///   - lifetime: The time to `exp`; nil for that of the issuer.
    public init(
        signatureHeader: HeaderParameters? = nil, encryptionHeader: HeaderParameters? = nil,
        validFrom: NumericDate? = nil, lifetime: Duration? = nil
    ) {
        self.signatureHeader = signatureHeader
        self.encryptionHeader = encryptionHeader
        self.validFrom = validFrom
        self.lifetime = lifetime
    }
}
