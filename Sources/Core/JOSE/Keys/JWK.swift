/// A key of any of the three types, as a JSON Web Key gives one (RFC 7517).
public enum JWK: Sendable, Equatable {
    /// `kty` RSA, EC, OKP or AKP without private members.
    case publicKey(PublicKey)
    /// The same with all its private members.
    case privateKey(PrivateKey)
    /// `kty` `oct`.
    case symmetricKey(SecretKey)

    /// With its size, where the kind has several.
    public var kind: KeyKind {
        switch self {
        case .publicKey(let key): key.kind
        case .privateKey(let key): key.kind
        case .symmetricKey(let key): key.kind
        }
    }
    /// `kid`.
    public var keyID: String? { binding.keyID }
    /// `alg`, whether or not it is one that is known here.
    public var algorithm: String? { binding.algorithm }
    /// `use`.
    public var use: KeyUse? { binding.use }
    /// `key_ops`.
    public var operations: KeyOperations? { binding.operations }

    /// What may be shown to everyone; nil for a symmetric key.
    public var publicKey: PublicKey? {
        switch self {
        case .publicKey(let key): key
        case .privateKey(let key): key.publicKey
        case .symmetricKey: nil
        }
    }

    package var binding: KeyBinding {
        switch self {
        case .publicKey(let key): key.record.binding
        case .privateKey(let key): key.record.binding
        case .symmetricKey(let key): key.record.binding
        }
    }
    package var keyIDBytes: [UInt8]? { binding.keyIDBytes }
}

extension JWK: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .publicKey(let key): key.description
        case .privateKey(let key): key.description
        case .symmetricKey(let key): key.description
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
