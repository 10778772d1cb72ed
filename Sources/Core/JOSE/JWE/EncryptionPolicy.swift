internal import JOSECrypto

/// What an encryption layer must be. A value: made once, then given to a `JWEDecrypter` or a token policy.
public struct EncryptionPolicy: Sendable {
    /// The only `alg` accepted; an empty list accepts nothing (RFC 8725, 3.1).
    public var keyManagement: [KeyManagementAlgorithm]
    /// The only `enc` accepted; an empty list accepts nothing.
    public var contentEncryption: [ContentEncryption]
    /// What `typ` must be.
    public var type: TypeRule = .any
    /// What `cty` must be; a nested token policy asks for `JWT` where this is `.any` (RFC 7519, 5.2).
    public var contentType: TypeRule = .any
    /// Extension names in `crit` that the caller itself honours; the library honours none of its own.
    public var understoodCritical: [String] = []
    /// Whether content may be compressed (`zip`: `DEF`; RFC 7516, 4.1.3). Undone only in a build with the package's trait
    /// `Zip`, and up to `ParsingLimits.plaintextBytes`: over that the rest is not even read (RFC 8725, 3.6).
    public var allowsCompression = false
    /// Checked before anything is decrypted.
    public var limits: ParsingLimits = .standard
    /// Bounds the private-key operations that run at once, for all policies that it is given to; nil: nothing does.
    public var limiter: DecryptionLimiter?
    /// A name outside the registry by which one of `keyManagement` is read too; nothing is ever written by it.
    package var alias: (name: StaticString, keyManagement: KeyManagementAlgorithm)?
    /// Whether the package was built with its trait `Zip`, which compression needs.
    public static var compressionIsBuilt: Bool { Deflate.isBuilt }

    /// Nothing else is restricted until it is set.
    public init(keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryption]) {
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
    }
}
