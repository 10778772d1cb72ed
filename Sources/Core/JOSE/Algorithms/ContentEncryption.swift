package import JOSECrypto

/// A registered JWE `enc` (RFC 7518, 5.1).
public struct ContentEncryption: Hashable, Sendable {
    package let core: ContentCipher

    package init(_ core: ContentCipher) { self.core = core }

    /// AES-CBC with 128 bits, and the first 16 bytes of an HMAC with SHA-256 (RFC 7518, 5.2.3).
    public static let a128cbcHS256 = Self(.a128cbcHS256)
    /// AES-CBC with 192 bits, and the first 24 bytes of an HMAC with SHA-384 (RFC 7518, 5.2.4).
    public static let a192cbcHS384 = Self(.a192cbcHS384)
    /// AES-CBC with 256 bits, and the first 32 bytes of an HMAC with SHA-512 (RFC 7518, 5.2.5).
    public static let a256cbcHS512 = Self(.a256cbcHS512)
    /// AES-GCM with a 96-bit IV and a 128-bit tag, no other (RFC 7518, 5.3).
    public static let a128gcm = Self(.a128gcm)
    /// As ``a128gcm``, with a key of 192 bits.
    public static let a192gcm = Self(.a192gcm)
    /// As ``a128gcm``, with a key of 256 bits.
    public static let a256gcm = Self(.a256gcm)

    /// Every one, in the registry's order.
    public static let all: [Self] = [.a128cbcHS256, .a192cbcHS384, .a256cbcHS512, .a128gcm, .a192gcm, .a256gcm]

    /// By its registered name, compared byte by byte.
    public init?(name: String) {
        guard let found = Self.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = found
    }

    /// As it stands in a header.
    public var name: String { core.registeredName.description }
    /// Bytes of the content encryption key.
    public var keyBytes: Int { core.keyBytes }
}

extension ContentEncryption: CustomStringConvertible {
    public var description: String { name }
}

extension ContentCipher {
    /// The lengths are the engine's own; the name is the registry's.
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
