/// The requirements on a signature layer, for a ``JWSVerifier`` or a token policy.
public struct SignaturePolicy: Sendable {
    /// The `alg` values that are accepted. An empty list accepts none (RFC 8725, 3.1).
    public var algorithms: [SignatureAlgorithm]
    /// The rule for `typ` (RFC 8725, 3.11). By default any value is accepted.
    public var type: TypeRule = .any
    /// The rule for `cty`. By default any value is accepted.
    public var contentType: TypeRule = .any
    /// The names of extensions in `crit` that the caller processes itself. The library processes `b64` (RFC 7797) and no other.
    public var understoodCritical: [String] = []
    /// The signatures that must be valid where a JSON serialization has several. By default one suffices.
    public var requirement: SignatureRequirement = .any
    /// Whether a JSON serialization may have its `alg` in the unprotected header (RFC 7515, 4.1.1; RFC 7520, 4.7), where anyone
    /// who forwards the token can change it to another of ``algorithms``. The default is false.
    public var acceptsUnprotectedAlgorithm = false
    /// The limits, which are checked before any key is used.
    public var limits: ParsingLimits = .standard

    /// Creates a policy that restricts the algorithms only.
    ///
    /// - Parameter algorithms: The `alg` values that are accepted.
    public init(algorithms: [SignatureAlgorithm]) { self.algorithms = algorithms }
}
