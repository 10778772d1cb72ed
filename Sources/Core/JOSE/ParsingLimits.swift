package import JOSESupport

/// Limits on the size of untrusted input. Input that exceeds a limit is rejected with `JOSEError.limitExceeded`, unless
/// the limit's description says otherwise.
public struct ParsingLimits: Sendable, Equatable {
    /// The largest size of a whole token, in bytes of its text. The default is 256 KiB.
    public var tokenBytes = 256 * 1024
    /// The largest size of one header, in bytes after decoding. The default is 16 KiB.
    public var headerBytes = 16 * 1024
    /// The largest size of a plaintext or of a signed payload, in bytes. The default is 256 KiB.
    public var plaintextBytes = 256 * 1024
    /// The largest size of one signature or MAC of a JWS, in bytes after decoding. The default is 16 KiB; the largest
    /// signatures of the supported algorithms are those of ML-DSA-87, with 4 627 bytes.
    public var signatureBytes = 16 * 1024
    /// The deepest nesting of JSON objects and arrays; the outermost one counts as 1. The default is 32.
    public var jsonDepth = 32
    /// The largest number of members of one JSON object, at any depth. The default is 1 000.
    public var objectMembers = 1_000
    /// The largest number of keys of one key set. The default is 100.
    public var keysInSet = 100
    /// The largest number of keys that are tried for one token: those that fit its algorithm and have its `kid` or, for
    /// a token without `kid`, all that fit. The default is 8. A token that more keys fit is rejected with
    /// `keyUnsuitable(.ambiguous)`, because each key costs an attempt.
    public var candidateKeys = 8
    /// The largest number of signatures of one JWS in the general JSON serialization. The default is 16.
    public var signatures = 16
    /// The largest number of recipients of one JWE in the general JSON serialization. The default is 16.
    public var recipients = 16
    /// The smallest number of PBKDF2 iterations of a PBES2 token (RFC 7518, 4.8.1.2). The default is 1 000. A token
    /// with fewer is rejected with `headerInvalid`.
    public var iterationFloor = 1_000
    /// The largest number of PBKDF2 iterations for one PBES2 token: `p2c` times the number of keys that fit it, summed
    /// over its recipients. The default is 1 000 000, which takes less than half a second on one core. Reading a PKCS
    /// #12 file may take four times as many.
    public var maxPBKDF2Iterations = 1_000_000
    /// The largest number of certificates of one chain, and of one path to a root. The default is 10.
    public var certificates = 10
    /// The largest size of one certificate, in bytes of its DER. The default is 16 KiB.
    public var certificateBytes = 16 * 1024

    /// The default limits.
    public static let standard = ParsingLimits()

    /// Creates limits with the default values.
    public init() {}

    /// Throws if the decoded bytes of a payload would exceed `plaintextBytes`.
    @inline(__always)
    package func check(encodedPayload count: Int) throws(JOSEError) {
        guard Base64URL.decodedCount(count) ?? 0 <= plaintextBytes else { throw .limitExceeded(.plaintextBytes) }
    }

    /// Throws if the decoded bytes of a signature would exceed `signatureBytes`.
    @inline(__always)
    package func check(encodedSignature count: Int) throws(JOSEError) {
        guard Base64URL.decodedCount(count) ?? 0 <= signatureBytes else { throw .limitExceeded(.signatureBytes) }
    }

    /// The limits on JSON text.
    package var json: JSONLimits { JSONLimits(depth: jsonDepth, members: objectMembers) }
}

/// The limit that was exceeded. Its description names the property of ``ParsingLimits`` to raise; it has names for the
/// limits that a program counts.
public struct ParsingLimit: Equatable, Sendable, CustomStringConvertible {
    /// All conditions. The static members of the same names describe them.
    package enum Condition: Equatable, Sendable {
        case tokenBytes, headerBytes, plaintextBytes, signatureBytes, jsonDepth, objectMembers, keysInSet
        case signatures, recipients, iterations, certificates, certificateBytes, revocationData
    }
    package let condition: Condition

    /// ``ParsingLimits/tokenBytes``: the size of the token.
    public static var tokenBytes: Self { Self(condition: .tokenBytes) }
    /// ``ParsingLimits/plaintextBytes``: the size of the plaintext, compressed or not, or of the signed payload.
    public static var plaintextBytes: Self { Self(condition: .plaintextBytes) }
    /// ``ParsingLimits/maxPBKDF2Iterations``: the iterations that a PBES2 token or a PKCS #12 file requires.
    public static var iterations: Self { Self(condition: .iterations) }
    /// ``ParsingLimits/headerBytes``: the size of a header.
    package static var headerBytes: Self { Self(condition: .headerBytes) }
    /// ``ParsingLimits/signatureBytes``: the size of a signature or MAC.
    package static var signatureBytes: Self { Self(condition: .signatureBytes) }
    /// ``ParsingLimits/jsonDepth``: the nesting of JSON.
    package static var jsonDepth: Self { Self(condition: .jsonDepth) }
    /// ``ParsingLimits/objectMembers``: the number of members of a JSON object.
    package static var objectMembers: Self { Self(condition: .objectMembers) }
    /// ``ParsingLimits/keysInSet``: the number of keys of a key set.
    package static var keysInSet: Self { Self(condition: .keysInSet) }
    /// ``ParsingLimits/signatures``: the number of signatures of a JWS.
    package static var signatures: Self { Self(condition: .signatures) }
    /// ``ParsingLimits/recipients``: the number of recipients of a JWE.
    package static var recipients: Self { Self(condition: .recipients) }
    /// ``ParsingLimits/certificates``: the number of certificates of a chain or a path.
    package static var certificates: Self { Self(condition: .certificates) }
    /// ``ParsingLimits/certificateBytes``: the size of a certificate.
    package static var certificateBytes: Self { Self(condition: .certificateBytes) }
    /// The bounds of ``CertificateRevocation``: 1,024 lists or responses, and 8 MiB in all, or 64 KiB for one
    /// OCSP response.
    package static var revocationData: Self { Self(condition: .revocationData) }
}
