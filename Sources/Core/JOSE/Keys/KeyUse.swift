internal import JOSESupport

/// The `use` of a JWK (RFC 7517, 4.2).
public enum KeyUse: Hashable, Sendable {
    /// Signatures and MACs: `sig`.
    case signature
    /// Encryption: `enc`.
    case encryption
    /// Another value. A key with it cannot be used with any algorithm of the library, except that one with `jwt-svid`,
    /// as SPIFFE bundles have it, verifies signatures (SPIFFE Trust Domain and Bundle, 4.2.2).
    case other(String)

    init(_ text: String) {
        self = bytesEqual(text, "sig") ? .signature : bytesEqual(text, "enc") ? .encryption : .other(text)
    }

    /// Whether a key with this use may verify signatures.
    var allowsVerification: Bool {
        switch self {
        case .signature: true
        case .encryption: false
        case .other(let text): bytesEqual(text, "jwt-svid")
        }
    }

    /// The value of `use`.
    package var text: String {
        switch self {
        case .signature: "sig"
        case .encryption: "enc"
        case .other(let text): text
        }
    }
}

/// The `key_ops` of a JWK: the only operations that it may be used for (RFC 7517, 4.3).
public struct KeyOperations: OptionSet, Hashable, Sendable {
    /// The bits of the set, which have no meaning outside this type.
    public let rawValue: UInt16
    /// Creates a set of operations from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `sign`: computes signatures or MACs.
    public static let sign = Self(rawValue: 1)
    /// `verify`: verifies signatures or MACs.
    public static let verify = Self(rawValue: 2)
    /// `encrypt`: encrypts content (`dir`) or a content encryption key (RSA-OAEP).
    public static let encrypt = Self(rawValue: 4)
    /// `decrypt`: decrypts content (`dir`) or a content encryption key (RSA-OAEP).
    public static let decrypt = Self(rawValue: 8)
    /// `wrapKey`: encrypts a content encryption key (AES key wrap, RSA-OAEP, PBES2).
    public static let wrapKey = Self(rawValue: 16)
    /// `unwrapKey`: decrypts a content encryption key (AES key wrap, RSA-OAEP, PBES2).
    public static let unwrapKey = Self(rawValue: 32)
    /// `deriveKey`: derives a key, by key agreement (ECDH-ES) or from a password (PBES2).
    public static let deriveKey = Self(rawValue: 64)
    /// `deriveBits`: derives bits that are not used as a key. The library treats it like `deriveKey`.
    public static let deriveBits = Self(rawValue: 128)
    /// An operation that RFC 7517 does not register.
    public static let other = Self(rawValue: 1 << 15)

    static let ofSignatures: Self = [.sign, .verify]
    static let ofEncryption: Self = [.encrypt, .decrypt, .wrapKey, .unwrapKey, .deriveKey, .deriveBits]

    /// The operations in the registry's order, without `other`.
    package static let named: [(operation: Self, name: String)] = [
        (.sign, "sign"), (.verify, "verify"), (.encrypt, "encrypt"), (.decrypt, "decrypt"), (.wrapKey, "wrapKey"),
        (.unwrapKey, "unwrapKey"), (.deriveKey, "deriveKey"), (.deriveBits, "deriveBits"),
    ]

    /// The operations of the public half of a private key that has these.
    var ofPublicHalf: Self {
        var result = subtracting([.sign, .decrypt, .unwrapKey])
        if contains(.sign) { result.insert(.verify) }
        if contains(.decrypt) { result.insert(.encrypt) }
        if contains(.unwrapKey) { result.insert(.wrapKey) }
        return result
    }

    /// Returns whether the operations are consistent with `use` (RFC 7517, 4.3).
    func agrees(with use: KeyUse) -> Bool {
        switch use {
        case .signature: isDisjoint(with: Self.ofEncryption)
        case .encryption: isDisjoint(with: Self.ofSignatures)
        case .other: true
        }
    }
}
