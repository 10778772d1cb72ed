/// A key that can be given wherever a JWK or a key source is asked for: a ``JWK``, or a key whose type names its kind.
public protocol JWKConvertible: KeySource {
    /// The key as a JWK.
    var asJWK: JWK { get }
    /// The members of the key besides its parameters, which `keyID`, `algorithm` and the other properties of the key
    /// read. Setting one of them changes this copy of the key only. Certificates of another key are left out.
    var binding: KeyBinding { get set }
}

/// A type of keys of this package.
package protocol PackageKey: JWKConvertible {
    /// The key as a JWK.
    var jwkValue: JWK { get }
    /// The members of the key besides its parameters. Certificates of another key are left out.
    var storedBinding: KeyBinding { get set }
}

extension PackageKey {
    /// The key as a JWK.
    public var asJWK: JWK { jwkValue }
    /// The members of the key besides its parameters.
    public var binding: KeyBinding {
        get { storedBinding }
        set { storedBinding = newValue }
    }
}

extension JWKConvertible {
    /// The key ID, `kid`.
    public var keyID: String? {
        get { binding.keyID }
        set { binding.keyID = newValue }
    }
    /// The only algorithm that the key may be used with, `alg`; for `dir` it may be the name of a content encryption
    /// algorithm. In a key that was read it may be a name that the library does not know.
    public var algorithm: String? {
        get { binding.algorithm }
        set { binding.algorithm = newValue }
    }
    /// The intended use, `use`, which restricts the key to signatures or to encryption.
    public var use: KeyUse? {
        get { binding.use }
        set { binding.use = newValue }
    }
    /// The only operations that the key may be used for, `key_ops`.
    public var operations: KeyOperations? {
        get { binding.operations }
        set { binding.operations = newValue }
    }
    /// The member `issuer`, with which providers with many tenants name the issuer of the tokens that the key may
    /// verify; nil if the key has none. RFC 7517 does not define it. The issuer may be a template with `{tenantid}`.
    public var issuer: String? { binding.issuer }
    /// The certificate chain of the key, from `x5c` of its JWK, from the file that it was read from, or set by the
    /// caller. Its first certificate contains this key, but the path is not verified. It is nil for a symmetric key.
    public var certificates: CertificateChain? { binding.certificates?.chain }

    /// Sets the certificates of the key.
    ///
    /// - Parameters:
    ///   - chain: The chain, beginning with a certificate of this key or of its public key; nil removes the
    ///     certificates.
    ///   - members: The certificate members that are written when the key is exported as a JWK.
    /// - Throws: `keyInvalid` if the first certificate contains another key.
    public mutating func setCertificates(
        _ chain: CertificateChain?, members: CertificateMembers = [.x5c, .x5tS256]
    ) throws(JOSEError) {
        let certificates = chain.map { KeyCertificates($0, members: members) }
        try certificates?.check(asJWK.publicKey)
        binding.certificates = certificates
    }
}

extension JWKConvertible {
    /// Returns a set of this key alone. Verifiers and decrypters call it once.
    public func current() throws(JOSEError) -> KeySet { KeySet(asJWK) }
}

extension JWK: PackageKey {
    /// The JWK itself.
    package var jwkValue: JWK { self }
}

extension PublicKey: PackageKey {
    /// The key as a JWK without private members.
    package var jwkValue: JWK { .publicKey(self) }
}

extension PrivateKey: PackageKey {
    /// The key as a JWK with private members, which verifies with its public key.
    package var jwkValue: JWK { .privateKey(self) }
}

extension SecretKey: PackageKey {
    /// The key as a JWK of kind `oct`.
    package var jwkValue: JWK { .symmetricKey(self) }
}

extension Array: KeySource where Element: JWKConvertible {
    /// Returns a set of these keys. Verifiers and decrypters call it once. If several keys fit a token, they are tried
    /// in this order.
    public func current() throws(JOSEError) -> KeySet { KeySet(map(\.asJWK)) }
}

extension KeySource {
    /// The set of a single key or of an array of keys, which never changes; any other source is returned as it is.
    package var settled: any KeySource {
        if let key = self as? any JWKConvertible { return KeySet(key.asJWK) }
        if let keys = self as? [any JWKConvertible] { return KeySet(keys.map(\.asJWK)) }
        return self
    }
}

extension KeySet {
    /// Creates a set of keys whose types name their kinds. If several of them fit a token, they are tried in this
    /// order.
    @_disfavoredOverload
    public init(_ keys: [any JWKConvertible]) { self.init(keys.map(\.asJWK)) }
}
