internal import JOSECrypto
internal import JOSESupport

/// A registered signature or MAC algorithm of JWS, the value of `alg` (RFC 7518, 3.1; RFC 8037; RFC 8812; RFC 9864; RFC
/// 9964). There is no `none`.
public struct SignatureAlgorithm: Hashable, Sendable {
    package enum Core: UInt8, CaseIterable, Sendable {
        case hs256, hs384, hs512, rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512, edDSA, ed25519
        case es256k, ed448, mlDSA44, mlDSA65, mlDSA87
    }
    package let core: Core

    package init(_ core: Core) { self.core = core }

    /// `HS256`: HMAC with SHA-256 and a shared key of at least 256 bits (RFC 7518, 3.2).
    public static let hs256 = Self(.hs256)
    /// `HS384`: HMAC with SHA-384 and a shared key of at least 384 bits (RFC 7518, 3.2).
    public static let hs384 = Self(.hs384)
    /// `HS512`: HMAC with SHA-512 and a shared key of at least 512 bits (RFC 7518, 3.2).
    public static let hs512 = Self(.hs512)
    /// `RS256`: RSASSA-PKCS1-v1_5 with SHA-256 and a modulus of at least 2048 bits (RFC 7518, 3.3).
    public static let rs256 = Self(.rs256)
    /// `RS384`: RSASSA-PKCS1-v1_5 with SHA-384 and a modulus of at least 2048 bits (RFC 7518, 3.3).
    public static let rs384 = Self(.rs384)
    /// `RS512`: RSASSA-PKCS1-v1_5 with SHA-512 and a modulus of at least 2048 bits (RFC 7518, 3.3).
    public static let rs512 = Self(.rs512)
    /// `PS256`: RSASSA-PSS with SHA-256 and a salt of exactly the hash's length (RFC 7518, 3.5).
    public static let ps256 = Self(.ps256)
    /// `PS384`: RSASSA-PSS with SHA-384 and a salt of exactly the hash's length (RFC 7518, 3.5).
    public static let ps384 = Self(.ps384)
    /// `PS512`: RSASSA-PSS with SHA-512 and a salt of exactly the hash's length (RFC 7518, 3.5).
    public static let ps512 = Self(.ps512)
    /// `ES256`: ECDSA on P-256 with SHA-256 (RFC 7518, 3.4).
    public static let es256 = Self(.es256)
    /// `ES384`: ECDSA on P-384 with SHA-384 (RFC 7518, 3.4).
    public static let es384 = Self(.es384)
    /// `ES512`: ECDSA on P-521 with SHA-512 (RFC 7518, 3.4).
    public static let es512 = Self(.es512)
    /// `ES256K`: ECDSA on secp256k1 with SHA-256 (RFC 8812, 3.2).
    public static let es256k = Self(.es256k)
    /// `EdDSA`: Ed25519 or Ed448, depending on the key (RFC 8037, 3.1).
    public static let edDSA = Self(.edDSA)
    /// `Ed25519`: EdDSA on Ed25519, under its fully-specified name (RFC 9864).
    public static let ed25519 = Self(.ed25519)
    /// `Ed448`: EdDSA on Ed448, under its fully-specified name (RFC 9864).
    public static let ed448 = Self(.ed448)
    /// `ML-DSA-44`: ML-DSA with security category 2 and signatures of 2420 bytes (RFC 9964). It needs OpenSSL 3.5 or
    /// later at run time; see ``isAvailable``.
    public static let mlDSA44 = Self(.mlDSA44)
    /// `ML-DSA-65`: ML-DSA with security category 3 and signatures of 3309 bytes (RFC 9964). It needs OpenSSL 3.5 or
    /// later at run time; see ``isAvailable``.
    public static let mlDSA65 = Self(.mlDSA65)
    /// `ML-DSA-87`: ML-DSA with security category 5 and signatures of 4627 bytes (RFC 9964). It needs OpenSSL 3.5 or
    /// later at run time; see ``isAvailable``.
    public static let mlDSA87 = Self(.mlDSA87)

    /// All signature and MAC algorithms, in the order of the IANA registry.
    public static let all: [Self] = Core.allCases.map(Self.init)
    /// All signature algorithms that verify with a public key, which excludes the MAC algorithms `HS256`, `HS384` and
    /// `HS512`.
    public static let asymmetric: [Self] = all.filter { $0.core.traits.key != .octets }

    /// Creates an algorithm from its registered name, compared byte by byte. Returns nil for any other name, `none`
    /// included.
    public init?(name: String) {
        guard let found = Self.all.first(where: { bytesEqual($0.name, name) }) else { return nil }
        self = found
    }

    /// A Boolean value that indicates whether the loaded OpenSSL implements the algorithm. If it is false, generating
    /// or reading a key for the algorithm throws `keyInvalid(.unsupportedKind)`.
    public var isAvailable: Bool {
        if case .scheme(let scheme) = core.traits.engine { scheme.isAvailable } else { true }
    }

    /// The registered name, as it is written in headers.
    public var name: String { core.traits.name.description }
}

extension SignatureAlgorithm: Described {
    package var summary: String { name }
}
