public import JOSE
public import JOSETokens

/// Why something was refused, as one stable word: coarser than the errors themselves, and what a test should name.
public enum Refusal: String, CaseIterable, Hashable, Sendable {
    /// Not the form, the base64url or the JSON that it must be.
    case malformed
    /// A header that says what it may not say.
    case headerInvalid = "header_invalid"
    /// Not on the policy's list, or `none`.
    case algorithmNotAllowed = "alg_not_allowed"
    /// `crit` names what nobody here understands.
    case criticalUnsupported = "crit_unsupported"
    /// No key by that `kid`, or none at all.
    case noKey = "no_key"
    /// The source of the keys has none yet.
    case keysUnavailable = "jwks_unavailable"
    /// The source of the keys has none any more.
    case keysExpired = "jwks_expired"
    /// A key of another kind, curve, use or algorithm.
    case keyMismatch = "key_mismatch"
    /// A key that is none.
    case keyInvalid = "key_invalid"
    /// A key under the algorithm's least size.
    case keyTooSmall = "key_too_small"
    /// A signature or MAC that does not hold.
    case signatureInvalid = "signature_invalid"
    /// Anything from unwrapping the key to the tag.
    case decryptionFailed = "decryption_failed"
    /// Decrypted, and not one whole DEFLATE stream.
    case decompressionFailed = "decompression_failed"
    /// Over a limit of bytes, depth or members.
    case tooLarge = "too_large"
    /// Over the limit of PBKDF2's rounds.
    case tooExpensive = "too_expensive"
    /// `exp` has passed.
    case expired
    /// `nbf` or `iat` has not come.
    case notYetValid = "not_yet_valid"
    /// A claim that must be there.
    case claimMissing = "claim_missing"
    /// A claim of a wrong type or value.
    case claimInvalid = "claim_invalid"
    /// `iss`.
    case issuerMismatch = "issuer_mismatch"
    /// `aud`.
    case audienceMismatch = "audience_mismatch"
    /// `typ` or `cty`.
    case typeMismatch = "typ_mismatch"
    /// A token that was used before.
    case replayed
    /// Too many private-key operations at once; the token was not judged.
    case overloaded
    /// Not the input's fault: the library's, the policy's or the caller's type.
    case other

    /// Of an error of one layer. JSON that is too deep or too wide is `malformed`.
    public init(_ error: JOSEError) { self.init(ErrorWord(error)) }

    /// Of several claims that failed, the first.
    public init(_ error: TokenError) { self.init(ErrorWord(error)) }

    /// Of a claim that failed.
    public init(_ failure: ClaimFailure) { self.init(ErrorWord(failure)) }

    /// The words are the same, but for the one of what is nobody's refusal.
    private init(_ word: ErrorWord) { self = Refusal(rawValue: word.rawValue) ?? .other }
}
