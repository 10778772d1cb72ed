/// `use` of a JWK (RFC 7517, 4.2).
public enum KeyUse: Hashable, Sendable {
    /// `sig`.
    case signature
    /// `enc`.
    case encryption
    /// A value that no algorithm here fits.
    case other(String)

    init(_ text: String) {
        self = bytesMatch(text, "sig") ? .signature : bytesMatch(text, "enc") ? .encryption : .other(text)
    }

    var text: String {
        switch self {
        case .signature: "sig"
        case .encryption: "enc"
        case .other(let text): text
        }
    }
}

/// `key_ops` of a JWK (RFC 7517, 4.3): the only operations that it may be used for.
public struct KeyOperations: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Make signatures or MACs.
    public static let sign = Self(rawValue: 1)
    /// Verify signatures or MACs.
    public static let verify = Self(rawValue: 2)
    /// Encrypt content (`dir`) or a content key (RSA-OAEP).
    public static let encrypt = Self(rawValue: 4)
    /// Decrypt content (`dir`) or a content key (RSA-OAEP).
    public static let decrypt = Self(rawValue: 8)
    /// Encrypt a content key: AES key wrap, RSA-OAEP, PBES2.
    public static let wrapKey = Self(rawValue: 16)
    /// Decrypt a content key: AES key wrap, RSA-OAEP, PBES2.
    public static let unwrapKey = Self(rawValue: 32)
    /// Agree on a key (ECDH-ES), or derive one from a password (PBES2).
    public static let deriveKey = Self(rawValue: 64)
    /// Agree on bits that are no key; serves as `deriveKey` does.
    public static let deriveBits = Self(rawValue: 128)
    /// At least one operation that is not registered by RFC 7517.
    public static let other = Self(rawValue: 1 << 15)

    static let ofSignatures: Self = [.sign, .verify]
    static let ofEncryption: Self = [.encrypt, .decrypt, .wrapKey, .unwrapKey, .deriveKey, .deriveBits]

    /// In the registry's order, without `other`.
    static let named: [(operation: Self, name: String)] = [
        (.sign, "sign"), (.verify, "verify"), (.encrypt, "encrypt"), (.decrypt, "decrypt"), (.wrapKey, "wrapKey"),
        (.unwrapKey, "unwrapKey"), (.deriveKey, "deriveKey"), (.deriveBits, "deriveBits"),
    ]

    /// What the public half may do where the private key may do this.
    var ofPublicHalf: Self {
        var result = subtracting([.sign, .decrypt, .unwrapKey])
        if contains(.sign) { result.insert(.verify) }
        if contains(.decrypt) { result.insert(.encrypt) }
        if contains(.unwrapKey) { result.insert(.wrapKey) }
        return result
    }

    /// Whether `use` says nothing else (RFC 7517, 4.3).
    func agrees(with use: KeyUse) -> Bool {
        switch use {
        case .signature: isDisjoint(with: Self.ofEncryption)
        case .encryption: isDisjoint(with: Self.ofSignatures)
        case .other: true
        }
    }
}

/// Names are compared by their bytes: `==` of two strings takes a Kelvin sign for a K.
func bytesMatch(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
