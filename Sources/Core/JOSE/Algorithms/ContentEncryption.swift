package import JOSECrypto
internal import JOSESupport

/// A registered content encryption algorithm of JWE, the value of `enc` (RFC 7518, 5.1).
public struct ContentEncryption: Hashable, Sendable {
    package let core: ContentCipher

    package init(_ core: ContentCipher) { self.core = core }

    /// `A128CBC-HS256`: AES-128-CBC and HMAC-SHA-256, with a tag of 128 bits (RFC 7518, 5.2.3).
    public static let a128cbcHS256 = Self(.a128cbcHS256)
    /// `A192CBC-HS384`: AES-192-CBC and HMAC-SHA-384, with a tag of 192 bits (RFC 7518, 5.2.4).
    public static let a192cbcHS384 = Self(.a192cbcHS384)
    /// `A256CBC-HS512`: AES-256-CBC and HMAC-SHA-512, with a tag of 256 bits (RFC 7518, 5.2.5).
    public static let a256cbcHS512 = Self(.a256cbcHS512)
    /// `A128GCM`: AES-GCM with a key of 128 bits, an IV of 96 bits and a tag of 128 bits (RFC 7518, 5.3).
    public static let a128gcm = Self(.a128gcm)
    /// `A192GCM`: AES-GCM with a key of 192 bits, an IV of 96 bits and a tag of 128 bits (RFC 7518, 5.3).
    public static let a192gcm = Self(.a192gcm)
    /// `A256GCM`: AES-GCM with a key of 256 bits, an IV of 96 bits and a tag of 128 bits (RFC 7518, 5.3).
    public static let a256gcm = Self(.a256gcm)

    /// All content encryption algorithms, in the order of the IANA registry.
    public static let all: [Self] = [.a128cbcHS256, .a192cbcHS384, .a256cbcHS512, .a128gcm, .a192gcm, .a256gcm]

    /// Creates an algorithm from its registered name, compared byte by byte. Returns nil for any other name.
    public init?(name: String) {
        guard let found = Self.all.first(where: { bytesEqual($0.name, name) }) else { return nil }
        self = found
    }

    /// The registered name, as it is written in headers.
    public var name: String { core.registeredName.description }
    /// The length of the content encryption key in bytes.
    public var keyBytes: Int { core.keyBytes }
}

extension ContentEncryption: Described {
    package var summary: String { name }
}

extension ContentCipher {
    /// The name in the JOSE registry. The lengths are properties of the cipher itself.
    package var registeredName: StaticString {
        switch self {
        case .a128cbcHS256: "A128CBC-HS256"
        case .a192cbcHS384: "A192CBC-HS384"
        case .a256cbcHS512: "A256CBC-HS512"
        case .a128gcm: "A128GCM"
        case .a192gcm: "A192GCM"
        case .a256gcm: "A256GCM"
        }
    }
}
