/// The requirements that a ``JWSVerifier`` or a token policy sets for a signature layer.
public struct SignaturePolicy: Sendable {
    /// The `alg` values that are accepted. An empty list accepts none (RFC 8725, 3.1).
    public var algorithms: [SignatureAlgorithm]
    /// The rule for `typ` (RFC 8725, 3.11). By default any value is accepted.
    public var type: TypeRule = .any
    /// The rule for `cty`. By default any value is accepted.
    public var contentType: TypeRule = .any
    /// The names of extensions in `crit` that the caller processes itself. The library processes `b64` (RFC 7797) and
    /// no other.
    public var understoodCritical: [String] = []
    /// The signatures that must be valid if a JSON serialization has several. By default one suffices.
    public var requirement: SignatureRequirement = .any
    /// A Boolean value that indicates whether `alg` may be in the unprotected header of a JSON serialization (RFC 7515,
    /// 4.1.1; RFC 7520, 4.7). There, anyone who forwards the token can change it to another one of ``algorithms``. The
    /// default is false.
    public var acceptsUnprotectedAlgorithm = false
    /// The limits, which are checked before any key is used.
    public var limits: ParsingLimits = .standard

    /// Creates a policy that allows the given algorithms, with the defaults for all other requirements.
    ///
    /// - Parameter algorithms: The `alg` values that are accepted.
    public init(algorithms: [SignatureAlgorithm]) { self.algorithms = algorithms }
}
