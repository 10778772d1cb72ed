/// A registered JWE `alg` (RFC 7518, 4.1). RSA1_5 is not among them.
public struct KeyManagementAlgorithm: Hashable, Sendable {
    package enum Core: UInt8, CaseIterable, Sendable {
        case rsaOAEP, rsaOAEP256, rsaOAEP384, rsaOAEP512
        case ecdhES, ecdhESA128KW, ecdhESA192KW, ecdhESA256KW
        case a128kw, a192kw, a256kw, dir
    }
    package let core: Core

    package init(_ core: Core) { self.core = core }

    /// `RSA-OAEP`: OAEP with SHA-1, which is sound there.
    public static let rsaOAEP = Self(.rsaOAEP)
    public static let rsaOAEP256 = Self(.rsaOAEP256)
    public static let rsaOAEP384 = Self(.rsaOAEP384)
    public static let rsaOAEP512 = Self(.rsaOAEP512)
    public static let ecdhES = Self(.ecdhES)
    public static let ecdhESA128KW = Self(.ecdhESA128KW)
    public static let ecdhESA192KW = Self(.ecdhESA192KW)
    public static let ecdhESA256KW = Self(.ecdhESA256KW)
    public static let a128kw = Self(.a128kw)
    public static let a192kw = Self(.a192kw)
    public static let a256kw = Self(.a256kw)
    /// The shared key is the content encryption key.
    public static let dir = Self(.dir)

    /// Every one, in the registry's order.
    public static let all: [Self] = Core.allCases.map(Self.init)

    /// By its registered name, compared byte by byte.
    public init?(name: String) {
        guard let found = Self.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = found
    }

    /// As it stands in a header.
    public var name: String { core.traits.name.description }
}

extension KeyManagementAlgorithm: CustomStringConvertible {
    public var description: String { name }
}
