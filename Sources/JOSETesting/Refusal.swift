public import JOSE
public import JOSETokens

/// Why something was refused, as one stable word: coarser than the errors themselves, and what a test should name.
public enum Refusal: String, CaseIterable, Hashable, Sendable {
    case malformed
    case headerInvalid = "header_invalid"
    case algorithmNotAllowed = "alg_not_allowed"
    case criticalUnsupported = "crit_unsupported"
    case noKey = "no_key"
    case keyMismatch = "key_mismatch"
    case keyInvalid = "key_invalid"
    case keyTooSmall = "key_too_small"
    case signatureInvalid = "signature_invalid"
    case decryptionFailed = "decryption_failed"
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
    /// Not the input's fault: the library's, the policy's or the caller's type.
    case other

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
        case .keyInvalid: self = .keyInvalid
        case .signatureInvalid: self = .signatureInvalid
        case .decryptionFailed: self = .decryptionFailed
        case .backend: self = .other
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
