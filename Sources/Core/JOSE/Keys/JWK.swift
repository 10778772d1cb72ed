/// A JSON Web Key: a public, private or symmetric key (RFC 7517).
public enum JWK: Sendable, Equatable {
    /// A public key: `kty` RSA, EC, OKP or AKP without private members.
    case publicKey(PublicKey)
    /// A private key: `kty` RSA, EC, OKP or AKP with its private members.
    case privateKey(PrivateKey)
    /// A symmetric key: `kty` `oct`.
    case symmetricKey(SecretKey)

    /// The kind of the key, which includes its curve or size.
    public var kind: KeyKind {
        switch self {
        case .publicKey(let key): key.kind
        case .privateKey(let key): key.kind
        case .symmetricKey(let key): key.kind
        }
    }

    /// The public key itself, or the one that belongs to the private key. It is nil for a symmetric key.
    public var publicKey: PublicKey? {
        switch self {
        case .publicKey(let key): key
        case .privateKey(let key): key.publicKey
        case .symmetricKey: nil
        }
    }

    /// The members of the key besides its parameters.
    package var storedBinding: KeyBinding {
        get {
            switch self {
            case .publicKey(let key): key.record.binding
            case .privateKey(let key): key.record.binding
            case .symmetricKey(let key): key.record.binding
            }
        }
        set {
            switch self {
            case .publicKey(var key):
                key.binding = newValue
                self = .publicKey(key)
            case .privateKey(var key):
                key.binding = newValue
                self = .privateKey(key)
            case .symmetricKey(var key):
                key.binding = newValue
                self = .symmetricKey(key)
            }
        }
    }
    package var keyIDBytes: [UInt8]? { binding.keyIDBytes }
}

extension PublicKey {
    /// Creates the public key that a JWK is.
    ///
    /// - Throws: `keyInvalid` for a private or symmetric key.
    package init(of key: JWK) throws(JOSEError) {
        guard case .publicKey(let key) = key else { throw .keyInvalid(.publicKeyRequired) }
        self = key
    }
}

extension PrivateKey {
    /// Creates the private key that a JWK is.
    ///
    /// - Throws: `keyInvalid` for a public or symmetric key.
    package init(of key: JWK) throws(JOSEError) {
        guard case .privateKey(let key) = key else { throw .keyInvalid(.privateKeyRequired) }
        self = key
    }
}

extension SecretKey {
    /// Creates the symmetric key that a JWK is.
    ///
    /// - Throws: `keyInvalid` for a public or private key.
    init(of key: JWK) throws(JOSEError) {
        guard case .symmetricKey(let key) = key else { throw .keyInvalid(.symmetricKeyRequired) }
        self = key
    }
}

extension JWK: Redacted {
    package var summary: String {
        switch self {
        case .publicKey(let key): key.description
        case .privateKey(let key): key.description
        case .symmetricKey(let key): key.description
        }
    }
}
