internal import JOSECrypto

/// The requirements on an encryption layer, for a ``JWEDecrypter`` or a token policy.
public struct EncryptionPolicy: Sendable {
    /// The `alg` values that are accepted. An empty list accepts none (RFC 8725, 3.1).
    public var keyManagement: [KeyManagementAlgorithm]
    /// The `enc` values that are accepted. An empty list accepts none.
    public var contentEncryption: [ContentEncryption]
    /// The rule for `typ`. By default any value is accepted.
    public var type: TypeRule = .any
    /// The rule for `cty`. By default any value is accepted; a nested token policy then requires `JWT` (RFC 7519, 5.2).
    public var contentType: TypeRule = .any
    /// The names of extensions in `crit` that the caller processes itself. The library processes none.
    public var understoodCritical: [String] = []
    /// Whether compressed content is accepted (`zip`: `DEF`; RFC 7516, 4.1.3). The default is false.
    ///
    /// Decompression needs a build with the package's trait `Zip`, and ends with an error at `ParsingLimits.plaintextBytes` (RFC
    /// 8725, 3.6).
    public var allowsCompression = false
    /// The limits, which are checked before anything is decrypted.
    public var limits: ParsingLimits = .standard
    /// The limit on concurrent private-key operations, shared by all policies that have the same limiter. Nil stands for no
    /// limit.
    public var limiter: DecryptionLimiter?
    /// An unregistered name by which one of `keyManagement` is read too. It is never written.
    package var alias: (name: StaticString, keyManagement: KeyManagementAlgorithm)?
    /// Whether the package was built with its trait `Zip`, which compression needs.
    public static var compressionIsBuilt: Bool { Deflate.isBuilt }

    /// Creates a policy that restricts the algorithms only.
    ///
    /// - Parameters:
    ///   - keyManagement: The `alg` values that are accepted.
    ///   - contentEncryption: The `enc` values that are accepted.
    public init(keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryption]) {
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
    }
}
