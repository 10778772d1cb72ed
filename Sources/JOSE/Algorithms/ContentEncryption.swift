package import JOSECrypto

/// A registered JWE `enc` (RFC 7518, 5.1).
public struct ContentEncryption: Hashable, Sendable {
    package let core: ContentCipher

    package init(_ core: ContentCipher) { self.core = core }

    public static let a128cbcHS256 = Self(.a128cbcHS256)
    public static let a192cbcHS384 = Self(.a192cbcHS384)
    public static let a256cbcHS512 = Self(.a256cbcHS512)
    public static let a128gcm = Self(.a128gcm)
    public static let a192gcm = Self(.a192gcm)
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
