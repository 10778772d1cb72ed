/// A registered JWE `alg` (RFC 7518, 4.1).
public struct KeyManagementAlgorithm: Hashable, Sendable {
    package enum Core: UInt8, CaseIterable, Sendable {
        case rsaOAEP, rsaOAEP256, rsaOAEP384, rsaOAEP512
        case ecdhES, ecdhESA128KW, ecdhESA192KW, ecdhESA256KW
        case a128kw, a192kw, a256kw, dir
        case a128gcmkw, a192gcmkw, a256gcmkw
        case pbes2HS256A128KW, pbes2HS384A192KW, pbes2HS512A256KW
        case rsa1_5
    }
    package let core: Core

    package init(_ core: Core) { self.core = core }

    /// `RSA-OAEP`: OAEP with SHA-1, which is sound there.
    public static let rsaOAEP = Self(.rsaOAEP)
    /// OAEP and MGF1 with SHA-256 (RFC 7518, 4.3).
    public static let rsaOAEP256 = Self(.rsaOAEP256)
    /// OAEP and MGF1 with SHA-384 (registered by W3C's Web Cryptography).
    public static let rsaOAEP384 = Self(.rsaOAEP384)
    /// OAEP and MGF1 with SHA-512 (registered by W3C's Web Cryptography).
    public static let rsaOAEP512 = Self(.rsaOAEP512)
    /// The agreed key is the content encryption key (RFC 7518, 4.6): one recipient, and P-256, P-384, P-521, X25519 or
    /// X448.
    public static let ecdhES = Self(.ecdhES)
    /// The agreed key wraps the content encryption key with AES-128 (RFC 7518, 4.6).
    public static let ecdhESA128KW = Self(.ecdhESA128KW)
    /// The same with AES-192.
    public static let ecdhESA192KW = Self(.ecdhESA192KW)
    /// The same with AES-256.
    public static let ecdhESA256KW = Self(.ecdhESA256KW)
    /// AES key wrap with a shared key of just 128 bits (RFC 7518, 4.4).
    public static let a128kw = Self(.a128kw)
    /// The same with 192 bits.
    public static let a192kw = Self(.a192kw)
    /// The same with 256 bits.
    public static let a256kw = Self(.a256kw)
    /// The shared key is the content encryption key.
    public static let dir = Self(.dir)

    /// AES-GCM key wrapping: its own IV and tag stand in the header.
    public static let a128gcmkw = Self(.a128gcmkw)
    /// The same with a shared key of 192 bits.
    public static let a192gcmkw = Self(.a192gcmkw)
    /// The same with a shared key of 256 bits.
    public static let a256gcmkw = Self(.a256gcmkw)
    /// A `SecretKey` whose bytes are a password. The sender sets how long the derivation takes, up to
    /// `ParsingLimits.maxPBKDF2Iterations`, over all the keys that fit.
    public static let pbes2HS256A128KW = Self(.pbes2HS256A128KW)
    /// The same with SHA-384 and AES-192.
    public static let pbes2HS384A192KW = Self(.pbes2HS384A192KW)
    /// The same with SHA-512 and AES-256.
    public static let pbes2HS512A256KW = Self(.pbes2HS512A256KW)
    /// `RSA1_5`, for tokens of a sender who cannot do better: an attacker who may ask often whether a token opens, and how
    /// long that takes, reads what was encrypted (RFC 7516, 11.5). Here a bad padding and a bad tag are one error on
    /// one path. It never encrypts, it is in no list, and no name yields it: only this word allows it.
    public static let rsa1_5BrokenDecryptionOnly = Self(.rsa1_5)

    /// Every one that encrypts, in the registry's order.
    public static let all: [Self] = Core.allCases.map(Self.init).filter { $0.core.traits.encrypts }
    /// Those of `all` in which a stranger cannot choose how much work a token is: all but PBES2.
    public static let recommended: [Self] = all.filter {
        if case .password = $0.core.traits.engine { false } else { true }
    }

    /// Of every row of the table, RSA1_5 too.
    package init?(registeredName name: String) {
        guard let core = Core.allCases.first(where: { $0.traits.name.description.utf8.elementsEqual(name.utf8) })
        else { return nil }
        self.init(core)
    }

    /// By its registered name, compared byte by byte; nil for RSA1_5.
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
