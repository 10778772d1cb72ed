public import JOSE
public import JOSETokens

/// The reason for a rejection as one stable word. It is coarser than the errors themselves, and is what a test should compare.
public enum Refusal: String, CaseIterable, Hashable, Sendable {
    /// The serialization, the base64url or the JSON is malformed.
    case malformed
    /// A header parameter is invalid or not accepted.
    case headerInvalid = "header_invalid"
    /// The algorithm is not in the policy's list, or is `none`.
    case algorithmNotAllowed = "alg_not_allowed"
    /// `crit` names an extension that is not understood.
    case criticalUnsupported = "crit_unsupported"
    /// There is no key with this `kid`, or no key at all.
    case noKey = "no_key"
    /// The key source has no keys yet.
    case keysUnavailable = "jwks_unavailable"
    /// The keys of the key source are too old.
    case keysExpired = "jwks_expired"
    /// The key is of another kind, curve, use or algorithm.
    case keyMismatch = "key_mismatch"
    /// The key or the certificate is invalid.
    case keyInvalid = "key_invalid"
    /// The key is smaller than the algorithm requires.
    case keyTooSmall = "key_too_small"
    /// The signature or the MAC is not valid.
    case signatureInvalid = "signature_invalid"
    /// Decryption failed, from unwrapping the key to the authentication tag.
    case decryptionFailed = "decryption_failed"
    /// The decrypted content is not exactly one DEFLATE stream.
    case decompressionFailed = "decompression_failed"
    /// A limit of bytes or of the number of keys, signatures, recipients or certificates is exceeded.
    case tooLarge = "too_large"
    /// The limit of PBKDF2 iterations is exceeded.
    case tooExpensive = "too_expensive"
    /// The token has expired or is too old.
    case expired
    /// `nbf`, `iat` or `auth_time` is in the future.
    case notYetValid = "not_yet_valid"
    /// A required claim is absent.
    case claimMissing = "claim_missing"
    /// A claim has a wrong type or value.
    case claimInvalid = "claim_invalid"
    /// `iss` is not an accepted issuer.
    case issuerMismatch = "issuer_mismatch"
    /// `aud` contains no accepted audience.
    case audienceMismatch = "audience_mismatch"
    /// `typ` is not the required type.
    case typeMismatch = "typ_mismatch"
    /// The token was used before.
    case replayed
    /// Too many private-key operations ran at the same time; the token was not verified.
    case overloaded
    /// The cause is not the token but the library, the policy or the caller's type.
    case other

    /// Creates the reason for an error of one layer. JSON that is nested too deep or has too many members is `malformed`.
    public init(_ error: JOSEError) { self.init(ErrorWord(error)) }

    /// Creates the reason for an error of a token; of several failed claims the first one determines it.
    public init(_ error: TokenError) { self.init(ErrorWord(error)) }

    /// Creates the reason for a failed claim.
    public init(_ failure: ClaimFailure) { self.init(ErrorWord(failure)) }

    /// Creates the reason from the internal word, which is the same except for `other`.
    private init(_ word: ErrorWord) { self = Refusal(rawValue: word.rawValue) ?? .other }
}
