/// A key that can be given wherever a JWK or a key source is asked for: a ``JWK``, or a key whose type names its kind.
public protocol JWKConvertible: KeySource {
    /// The key as a JWK.
    var asJWK: JWK { get }
}

extension JWKConvertible {
    /// Returns a set of this key alone. Verifiers and decrypters call it once.
    public func current() throws(JOSEError) -> KeySet { KeySet(asJWK) }
}

extension JWK: JWKConvertible {
    /// The JWK itself.
    public var asJWK: JWK { self }
}

extension PublicKey: JWKConvertible {
    /// The key as a JWK without private members.
    public var asJWK: JWK { .publicKey(self) }
}

extension PrivateKey: JWKConvertible {
    /// The key as a JWK with private members, which verifies with its public key.
    public var asJWK: JWK { .privateKey(self) }
}

extension SecretKey: JWKConvertible {
    /// The key as a JWK of kind `oct`.
    public var asJWK: JWK { .symmetricKey(self) }
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

extension SignatureBatch {
    /// Creates a batch under one key, whose type names its kind.
    ///
    /// - Parameters:
    ///   - key: The key that verifies the signatures; of a private key, its public key.
    ///   - algorithm: The algorithm of all signatures.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm.
    @_disfavoredOverload
    public init(key: any JWKConvertible, algorithm: SignatureAlgorithm) throws(JOSEError) {
        try self.init(key: key.asJWK, algorithm: algorithm)
    }
}
