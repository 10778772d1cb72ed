/// What a signature layer must be. A value: made once, then given to a `Verifier` or a token policy.
public struct SignaturePolicy: Sendable {
    /// The only `alg` accepted; an empty list accepts nothing (RFC 8725, 3.1).
    public var algorithms: [SignatureAlgorithm]
    /// What `typ` must be (RFC 8725, 3.11).
    public var type: TypeRule = .any
    /// What `cty` must be.
    public var contentType: TypeRule = .any
    /// Extension names in `crit` that the caller itself honours; the library honours `b64` (RFC 7797) and no other.
    public var understoodCritical: [String] = []
    public var limits: Limits = .standard

    public init(algorithms: [SignatureAlgorithm]) { self.algorithms = algorithms }
}
