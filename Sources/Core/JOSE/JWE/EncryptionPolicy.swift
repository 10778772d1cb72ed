internal import JOSECrypto

/// The requirements that a ``JWEDecrypter`` or a token policy sets for an encryption layer.
public struct EncryptionPolicy: Sendable {
    /// The `alg` values that are accepted. An empty list accepts none (RFC 8725, 3.1).
    public var keyManagement: [KeyManagementAlgorithm]
    /// The `enc` values that are accepted. An empty list accepts none.
    public var contentEncryption: [ContentEncryption]
    /// The rule for `typ`. By default any value is accepted.
    public var type: TypeRule = .any
    /// The rule for `cty`. By default any value is accepted, except that the policy of a nested token then requires
    /// `JWT` (RFC 7519, 5.2).
    public var contentType: TypeRule = .any
    /// The names of extensions in `crit` that the caller processes itself. The library processes none.
    public var understoodCritical: [String] = []
    /// A Boolean value that indicates whether compressed content is accepted (`zip`: `DEF`; RFC 7516, 4.1.3). The
    /// default is false.
    ///
    /// Decompression requires the package trait `Zip`, and fails if the content is longer than
    /// `ParsingLimits.plaintextBytes` (RFC 8725, 3.6).
    public var allowsCompression = false
    /// The limits, which are checked before anything is decrypted.
    public var limits: ParsingLimits = .standard
    /// The limit on concurrent private-key operations, which all policies with the same limiter share. If it is nil,
    /// which is the default, there is no limit.
    public var limiter: DecryptionLimiter?
    /// The code that decrypts content encryption keys with private RSA keys. The default is `libcrypto`.
    public var privateKeyOperations = PrivateKeyOperations.libcrypto
    /// An unregistered name by which one of `keyManagement` is read too. It is never written.
    package var alias: (name: StaticString, keyManagement: KeyManagementAlgorithm)?
    /// A Boolean value that indicates whether the package was built with its trait `Zip`, which compression requires.
    public static var compressionIsBuilt: Bool { Deflate.isBuilt }

    /// Creates a policy that allows the given algorithms, with the defaults for all other requirements.
    ///
    /// - Parameters:
    ///   - keyManagement: The `alg` values that are accepted.
    ///   - contentEncryption: The `enc` values that are accepted.
    public init(keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryption]) {
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
    }
}
