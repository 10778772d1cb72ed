/// What a signature layer must be. A value: made once, then given to a `JWSVerifier` or a token policy.
public struct SignaturePolicy: Sendable {
    /// The only `alg` accepted; an empty list accepts nothing (RFC 8725, 3.1).
    public var algorithms: [SignatureAlgorithm]
    /// What `typ` must be (RFC 8725, 3.11).
    public var type: TypeRule = .any
    /// What `cty` must be.
    public var contentType: TypeRule = .any
    /// Extension names in `crit` that the caller itself honours; the library honours `b64` (RFC 7797) and no other.
    public var understoodCritical: [String] = []
    /// Which signatures must hold where there are several: the general JSON serialization.
    public var requirement: SignatureRequirement = .any
    /// Whether a JSON serialization may say its `alg` in the unprotected header (RFC 7515, 4.1.1; RFC 7520, 4.7), where
    /// whoever passes the token on can change it to another of `algorithms`.
    public var acceptsUnprotectedAlgorithm = false
    /// Checked before any key is looked at.
    public var limits: ParsingLimits = .standard

    /// Nothing else is restricted until it is set.
    public init(algorithms: [SignatureAlgorithm]) { self.algorithms = algorithms }
}
