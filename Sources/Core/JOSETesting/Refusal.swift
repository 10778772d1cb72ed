package import JOSE
package import JOSETokens

/// The reason why a token is rejected, for comparison in tests.
///
/// The raw value is the `code` of the error. If errors with one code have several reasons, a detail follows in
/// parentheses, as in `limit_exceeded(iterations)`. Errors with different codes may have one reason: an error with the
/// code `certificate_invalid` has the reason ``keyInvalid``, and one whose code begins with `header_` the reason
/// ``headerInvalid``, unless its code is `header_typ_mismatch` or `header_copy_differs`.
package enum Refusal: String, CaseIterable, Hashable, Sendable {
    /// The serialization, the base64url or the JSON is malformed.
    case malformed
    /// A header parameter is invalid or not accepted.
    case headerInvalid = "header_invalid"
    /// The algorithm is not in the policy's list, or is `none`.
    case algorithmNotAllowed = "algorithm_not_allowed"
    /// `crit` names an extension that is not understood.
    case criticalUnsupported = "critical_header_unknown"
    /// There is no key with this `kid`, or no key at all.
    case noKey = "key_not_found"
    /// The key source has no keys yet.
    case keysUnavailable = "keys_unavailable"
    /// The keys of the key source are too old.
    case keysExpired = "keys_unavailable(expired)"
    /// The key is of another kind, curve, use or algorithm.
    case keyMismatch = "key_unsuitable"
    /// The key or the certificate is invalid.
    case keyInvalid = "key_invalid"
    /// The key is smaller than the algorithm requires.
    case keyTooSmall = "key_unsuitable(too_small)"
    /// The signature or the MAC is not valid.
    case signatureInvalid = "signature_invalid"
    /// Decryption failed, from unwrapping the key to the authentication tag.
    case decryptionFailed = "decryption_failed"
    /// The decrypted content is not exactly one DEFLATE stream.
    case decompressionFailed = "decompression_failed"
    /// A limit on size, or on the number of keys, signatures, recipients or certificates, is exceeded.
    case tooLarge = "limit_exceeded"
    /// The limit on PBKDF2 iterations is exceeded.
    case tooExpensive = "limit_exceeded(iterations)"
    /// The token has expired or is too old.
    case expired = "token_expired"
    /// `nbf` is in the future.
    case notYetValid = "token_not_yet_valid"
    /// `iat` or `auth_time` is in the future.
    case issuedInFuture = "token_issued_in_future"
    /// A required claim is absent.
    case claimMissing = "claim_missing"
    /// A claim has a wrong type or value.
    case claimInvalid = "claim_invalid"
    /// `iss` is not an accepted issuer.
    case issuerMismatch = "issuer_mismatch"
    /// `aud` contains no accepted audience.
    case audienceMismatch = "audience_mismatch"
    /// `typ` is not the required type.
    case typeMismatch = "header_typ_mismatch"
    /// The token was used before.
    case replayed = "token_replayed"
    /// Too many private-key operations ran at the same time; the token was not verified.
    case overloaded
    /// The cause is not the token, but the library, an external key, the replay store, the policy or the caller's
    /// `Codable` type.
    case other

    /// Creates the reason for an error of a signature or encryption layer. JSON that is nested too deep or has too many
    /// members is `malformed`.
    package init(_ error: JOSEError) {
        self =
            switch error {
            // Depth and number of members are bounds of the JSON text; the other limits are sizes.
            case .limitExceeded(.jsonDepth), .limitExceeded(.objectMembers): .malformed
            case .limitExceeded(.iterations): .tooExpensive
            case .headerInvalid(.type): .typeMismatch
            case .headerInvalid: .headerInvalid
            // The reason is that of a missing key in both cases; `isRetryable` distinguishes them.
            case .keysUnavailable(.refreshIncomplete): .noKey
            case .keysUnavailable(.expired): .keysExpired
            case .keyUnsuitable(.tooSmall), .keyUnsuitable(.secretTooShort), .keyUnsuitable(.secretEmpty),
                .keyUnsuitable(.generatedTooShort):
                .keyTooSmall
            case .certificateInvalid: .keyInvalid
            case .configurationInvalid(.noAlgorithms): .algorithmNotAllowed
            case .configurationInvalid(.noKeys): .noKey
            case .configurationInvalid(.noSuitableKey(let reason)): Self(JOSEError.keyUnsuitable(reason))
            default: Self(rawValue: error.code) ?? .other
            }
    }

    /// Creates the reason for a token error. If several claims failed, the first failure determines the reason.
    package init(_ error: TokenError) {
        self =
            switch error {
            case .jose(let error, _): Self(error)
            case .issuerUnknown: .issuerMismatch
            case .claim(let failure): Self(failure)
            case .claims(let failures): failures.first.map { Self($0) } ?? .claimInvalid
            case .disclosure: .claimInvalid
            default: Self(rawValue: error.code) ?? .other
            }
    }

    /// Creates the reason for a failed claim.
    package init(_ failure: ClaimFailure) {
        if case .tooOld = failure { self = .expired } else { self = Self(rawValue: failure.code) ?? .claimInvalid }
    }
}
