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
    /// Not the input's fault: the library's, the policy's or the caller's type.
    case other

    /// Of an error of one layer. JSON that is too deep or too wide is `malformed`.
    public init(_ error: JOSEError) {
        switch error {
        case .malformed: self = .malformed
        // JSON that is too deep or too wide is not the JSON that is asked for (threats T35, T36).
        case .limitExceeded(.jsonDepth), .limitExceeded(.objectMembers): self = .malformed
        case .limitExceeded(.iterations): self = .tooExpensive
        case .limitExceeded: self = .tooLarge
        case .headerInvalid(.type): self = .typeMismatch
        case .headerInvalid: self = .headerInvalid
        case .algorithmNotAllowed: self = .algorithmNotAllowed
        case .criticalHeaderUnknown: self = .criticalUnsupported
        case .keyNotFound: self = .noKey
        case .keyUnsuitable(.tooSmall): self = .keyTooSmall
        case .keyUnsuitable: self = .keyMismatch
        case .keyInvalid, .certificateInvalid: self = .keyInvalid
        case .signatureInvalid: self = .signatureInvalid
        case .decryptionFailed: self = .decryptionFailed
        case .decompressionFailed: self = .decompressionFailed
        case .externalKey, .backend: self = .other
        }
    }

    /// Of several claims that failed, the first.
    public init(_ error: TokenError) {
        switch error {
        case .jose(let error, layer: _): self.init(error)
        case .claim(let failure): self.init(failure)
        case .claims(let failures): self = failures.first.map { Refusal($0) } ?? .other
        case .replay(.seen): self = .replayed
        case .disclosure: self = .claimInvalid
        case .policyInvalid, .notDecodable, .replay: self = .other
        }
    }

    /// Of a claim that failed.
    public init(_ failure: ClaimFailure) {
        switch failure {
        case .issuerMismatch: self = .issuerMismatch
        case .audienceMismatch: self = .audienceMismatch
        case .expired, .tooOld: self = .expired
        case .notYetValid: self = .notYetValid
        case .missing: self = .claimMissing
        case .invalid, .forbidden, .headerCopyDiffers: self = .claimInvalid
        }
    }
}
