internal import JOSEBytes

/// How much of an input is looked at. Each bound has its own error, `JOSEError.limitExceeded`.
public struct ParsingLimits: Sendable, Equatable {
    /// Bytes of a whole token, as text.
    public var tokenBytes = 256 * 1024
    /// Bytes of one header, decoded.
    public var headerBytes = 16 * 1024
    /// Bytes of a plaintext, decrypted.
    public var plaintextBytes = 256 * 1024
    /// Objects and arrays inside one another, the outermost being the first.
    public var jsonDepth = 32
    /// Members of one JSON object, at any depth.
    public var objectMembers = 1_000
    /// Keys of one key set.
    public var keysInSet = 100
    /// Signatures of one JWS in the general JSON serialization.
    public var signatures = 16
    /// Recipients of one JWE in the general JSON serialization.
    public var recipients = 16
    /// Rounds of PBKDF2 that a PBES2 token must ask for at least (RFC 7518, 4.8.1.2); fewer are the header's fault.
    public var iterationFloor = 1_000
    /// Rounds of PBKDF2 that a PBES2 token may cost in all: `p2c` times the keys that fit it, for all its recipients
    /// together. Under half a second of one core. A file of PKCS#12 may cost four times as much.
    public var maxPBKDF2Iterations = 1_000_000
    /// Certificates of one chain, and of one path to a root.
    public var certificates = 10
    /// Bytes of one certificate, as DER.
    public var certificateBytes = 16 * 1024

    /// The values above.
    public static let standard = ParsingLimits()

    /// The values above.
    public init() {}

    var json: JSONLimits {
        var limits = JSONLimits()
        limits.depth = jsonDepth
        limits.members = objectMembers
        return limits
    }
}

/// Which bound of `ParsingLimits` was met.
@nonexhaustive public enum ParsingLimit: Equatable, Sendable {
    /// The member of ``ParsingLimits`` with that name.
    case tokenBytes, headerBytes, plaintextBytes, jsonDepth, objectMembers, keysInSet, signatures, recipients
    /// ``ParsingLimits/maxPBKDF2Iterations``.
    case iterations
    /// The member of ``ParsingLimits`` with that name.
    case certificates, certificateBytes
}
