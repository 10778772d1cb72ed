package import JOSE

/// A stable word for the cause of an error, coarser than `code`: it groups errors that a test treats alike. `JOSETesting`
/// publishes the words as `Refusal`.
package enum ErrorWord: String, CaseIterable, Sendable {
    case malformed
    case headerInvalid = "header_invalid"
    case algorithmNotAllowed = "alg_not_allowed"
    case criticalUnsupported = "crit_unsupported"
    case noKey = "no_key"
    /// The key source has no keys yet, or has none any more.
    case keysUnavailable = "jwks_unavailable"
    case keysExpired = "jwks_expired"
    case keyMismatch = "key_mismatch"
    case keyInvalid = "key_invalid"
    case keyTooSmall = "key_too_small"
    case signatureInvalid = "signature_invalid"
    case decryptionFailed = "decryption_failed"
    case decompressionFailed = "decompression_failed"
    case tooLarge = "too_large"
    case tooExpensive = "too_expensive"
    case expired
    case notYetValid = "not_yet_valid"
    case claimMissing = "claim_missing"
    case claimInvalid = "claim_invalid"
    case issuerMismatch = "issuer_mismatch"
    case audienceMismatch = "audience_mismatch"
    case typeMismatch = "typ_mismatch"
    case replayed
    /// Too many private-key operations ran at the same time; the token was not verified.
    case overloaded
    /// The cause is not the token: memory, the cryptographic library, the policy or the caller's type.
    case backend

    /// Creates the word for an error of one layer.
    package init(_ error: JOSEError) {
        self =
            switch error {
            case .malformed: .malformed
            // Depth and number of members are bounds of the JSON text; the other limits are sizes.
            case .limitExceeded(.jsonDepth), .limitExceeded(.objectMembers): .malformed
            case .limitExceeded(.iterations): .tooExpensive
            case .limitExceeded: .tooLarge
            case .headerInvalid(.type): .typeMismatch
            case .headerInvalid: .headerInvalid
            case .algorithmNotAllowed: .algorithmNotAllowed
            case .criticalHeaderUnknown: .criticalUnsupported
            // The word is that of a missing key in both cases; `isRetryable` distinguishes them.
            case .keyNotFound, .keysUnavailable(.refreshIncomplete): .noKey
            case .keysUnavailable(.expired): .keysExpired
            case .keysUnavailable: .keysUnavailable
            case .keyUnsuitable(.tooSmall): .keyTooSmall
            case .keyUnsuitable: .keyMismatch
            case .keyInvalid, .certificateInvalid: .keyInvalid
            case .signatureInvalid: .signatureInvalid
            case .decryptionFailed: .decryptionFailed
            case .decompressionFailed: .decompressionFailed
            case .overloaded: .overloaded
            case .externalKey, .backend: .backend
            }
    }

    /// Creates the word for a failed claim.
    package init(_ failure: ClaimFailure) {
        self =
            switch failure {
            case .issuerMismatch: .issuerMismatch
            case .audienceMismatch: .audienceMismatch
            case .expired, .tooOld: .expired
            case .notYetValid: .notYetValid
            case .missing: .claimMissing
            case .invalid, .forbidden, .lifetimeTooLong, .headerCopyDiffers: .claimInvalid
            }
    }

    /// Creates the word for an error; of several failed claims the first one determines it.
    package init(_ error: TokenError) {
        self =
            switch error {
            case .jose(let error, _): Self(error)
            case .issuerUnknown: .issuerMismatch
            case .claim(let failure): Self(failure)
            case .claims(let failures): failures.first.map(Self.init) ?? .claimInvalid
            case .replay(.seen): .replayed
            case .disclosure: .claimInvalid
            case .replay, .policyInvalid, .notDecodable, .notEncodable: .backend
            }
    }
}
