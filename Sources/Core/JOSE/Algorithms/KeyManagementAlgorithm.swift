internal import JOSESupport

/// A registered key management algorithm of JWE, the value of `alg` (RFC 7518, 4.1).
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

    /// `RSA-OAEP`: RSAES-OAEP with SHA-1 (RFC 7518, 4.3). The collision attacks on SHA-1 do not affect OAEP.
    public static let rsaOAEP = Self(.rsaOAEP)
    /// `RSA-OAEP-256`: RSAES-OAEP and MGF1 with SHA-256 (RFC 7518, 4.3).
    public static let rsaOAEP256 = Self(.rsaOAEP256)
    /// `RSA-OAEP-384`: RSAES-OAEP and MGF1 with SHA-384 (registered by W3C Web Cryptography).
    public static let rsaOAEP384 = Self(.rsaOAEP384)
    /// `RSA-OAEP-512`: RSAES-OAEP and MGF1 with SHA-512 (registered by W3C Web Cryptography).
    public static let rsaOAEP512 = Self(.rsaOAEP512)
    /// `ECDH-ES`: direct key agreement. The derived key is the content encryption key, so a token can have only one
    /// recipient. Keys are on P-256, P-384, P-521, X25519 or X448 (RFC 7518, 4.6).
    public static let ecdhES = Self(.ecdhES)
    /// `ECDH-ES+A128KW`: key agreement. The derived key wraps the content encryption key with AES-128 (RFC 7518, 4.6).
    public static let ecdhESA128KW = Self(.ecdhESA128KW)
    /// `ECDH-ES+A192KW`: key agreement. The derived key wraps the content encryption key with AES-192 (RFC 7518, 4.6).
    public static let ecdhESA192KW = Self(.ecdhESA192KW)
    /// `ECDH-ES+A256KW`: key agreement. The derived key wraps the content encryption key with AES-256 (RFC 7518, 4.6).
    public static let ecdhESA256KW = Self(.ecdhESA256KW)
    /// `A128KW`: AES key wrap with a shared key of exactly 128 bits (RFC 7518, 4.4).
    public static let a128kw = Self(.a128kw)
    /// `A192KW`: AES key wrap with a shared key of exactly 192 bits (RFC 7518, 4.4).
    public static let a192kw = Self(.a192kw)
    /// `A256KW`: AES key wrap with a shared key of exactly 256 bits (RFC 7518, 4.4).
    public static let a256kw = Self(.a256kw)
    /// `dir`: direct encryption. The shared symmetric key is the content encryption key (RFC 7518, 4.5).
    public static let dir = Self(.dir)

    /// `A128GCMKW`: AES-GCM key wrap with a shared key of 128 bits; its own IV and tag are in the header (RFC 7518,
    /// 4.7).
    public static let a128gcmkw = Self(.a128gcmkw)
    /// `A192GCMKW`: AES-GCM key wrap with a shared key of 192 bits; its own IV and tag are in the header (RFC 7518,
    /// 4.7).
    public static let a192gcmkw = Self(.a192gcmkw)
    /// `A256GCMKW`: AES-GCM key wrap with a shared key of 256 bits; its own IV and tag are in the header (RFC 7518,
    /// 4.7).
    public static let a256gcmkw = Self(.a256gcmkw)
    /// `PBES2-HS256+A128KW`: PBKDF2 with HMAC-SHA-256 derives a key from a password, which a `SecretKey` contains. The
    /// derived key wraps the content encryption key with AES-128 (RFC 7518, 4.8).
    ///
    /// The sender chooses the number of iterations, up to `ParsingLimits.maxPBKDF2Iterations`.
    public static let pbes2HS256A128KW = Self(.pbes2HS256A128KW)
    /// `PBES2-HS384+A192KW`: PBKDF2 with HMAC-SHA-384 derives a key from a password, which a `SecretKey` contains. The
    /// derived key wraps the content encryption key with AES-192 (RFC 7518, 4.8).
    public static let pbes2HS384A192KW = Self(.pbes2HS384A192KW)
    /// `PBES2-HS512+A256KW`: PBKDF2 with HMAC-SHA-512 derives a key from a password, which a `SecretKey` contains. The
    /// derived key wraps the content encryption key with AES-256 (RFC 7518, 4.8).
    public static let pbes2HS512A256KW = Self(.pbes2HS512A256KW)
    /// `RSA1_5`: RSAES-PKCS1-v1_5, for decryption only. Allow it only for senders that support no other algorithm (RFC
    /// 7518, 4.2).
    ///
    /// An attacker who can often observe whether a token decrypts, and how long that takes, can learn the plaintext
    /// (RFC 7516, 11.5). Invalid padding and an invalid tag therefore take one code path and give one error. No
    /// encrypter supports the algorithm, and neither ``all`` nor ``init(name:)`` yields it: only a policy that names
    /// this constant allows it.
    public static let rsa1_5BrokenDecryptionOnly = Self(.rsa1_5)

    /// All key management algorithms except RSA1_5, in the order of the IANA registry.
    public static let all: [Self] = Core.allCases.map(Self.init).filter { $0.core.traits.encrypts }
    /// All key management algorithms except RSA1_5 and PBES2, with which the sender decides how expensive decryption
    /// is.
    public static let recommended: [Self] = all.filter {
        if case .password = $0.core.traits.engine { false } else { true }
    }

    /// Creates an algorithm from a name of the table, RSA1_5 included. Returns nil for any other name.
    package init?(registeredName name: String) {
        guard let core = Core.allCases.first(where: { bytesEqual($0.traits.name.description, name) })
        else { return nil }
        self.init(core)
    }

    /// Creates an algorithm from its registered name, compared byte by byte. Returns nil for any other name, and for
    /// RSA1_5.
    public init?(name: String) {
        guard let found = Self.all.first(where: { bytesEqual($0.name, name) }) else { return nil }
        self = found
    }

    /// The registered name, as it is written in headers.
    public var name: String { core.traits.name.description }
}

extension KeyManagementAlgorithm: Described {
    package var summary: String { name }
}
