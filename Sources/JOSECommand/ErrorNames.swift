import JOSE
import JOSETokens

/// The name of an error in answers for programs: one table for `check` and for `--output json`.
enum ErrorName: String, CaseIterable, Sendable {
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
    /// Memory or the cryptographic library, and not the token.
    case backend

    var index: Int { Self.places[self] ?? 0 }
    private static let places = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))

    init(_ error: JOSEError) {
        self =
            switch error {
            case .malformed: .malformed
            // How deep and how wide JSON may be is its grammar's bound; the others are sizes.
            case .limitExceeded(.jsonDepth), .limitExceeded(.objectMembers): .malformed
            case .limitExceeded(.iterations): .tooExpensive
            case .limitExceeded: .tooLarge
            case .headerInvalid(.type): .typeMismatch
            case .headerInvalid: .headerInvalid
            case .algorithmNotAllowed: .algorithmNotAllowed
            case .criticalHeaderUnknown: .criticalUnsupported
            case .keyNotFound: .noKey
            case .keyUnsuitable(.tooSmall): .keyTooSmall
            case .keyUnsuitable: .keyMismatch
            case .keyInvalid, .certificateInvalid: .keyInvalid
            case .signatureInvalid: .signatureInvalid
            case .decryptionFailed: .decryptionFailed
            case .decompressionFailed: .decompressionFailed
            case .externalKey, .backend: .backend
            }
    }

    init(_ failure: ClaimFailure) {
        self =
            switch failure {
            case .issuerMismatch: .issuerMismatch
            case .audienceMismatch: .audienceMismatch
            case .expired, .tooOld: .expired
            case .notYetValid: .notYetValid
            case .missing: .claimMissing
            case .invalid, .forbidden, .headerCopyDiffers: .claimInvalid
            }
    }

    /// Of several claims the first, as the checks run.
    init(_ error: TokenError) {
        self =
            switch error {
            case .jose(let error, _): Self(error)
            case .claim(let failure): Self(failure)
            case .claims(let failures): failures.first.map(Self.init) ?? .claimInvalid
            case .policyInvalid: .malformed
            case .notDecodable, .replay(.seen), .disclosure: .claimInvalid
            case .replay: .backend
            }
    }
}
