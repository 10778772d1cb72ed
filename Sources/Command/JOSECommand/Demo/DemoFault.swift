import JOSETokens

/// The ten ways in which a token of the demo is broken, each with an answer of its own.
enum DemoFault: Int, CaseIterable, Sendable {
    /// One bit of the RS256 signature, before it was encrypted.
    case signatureChanged
    /// One bit of the encryption's tag.
    case tagChanged
    case expired
    case notYetValid
    case otherIssuer
    case otherAudience
    /// HS256, keyed with the text of the public key.
    case hmacOfPublicKey
    case unknownKeyID
    /// The last part is missing.
    case cutShort
    case noExpiration

    /// One in 500, each way in turn.
    init?(of index: Int) {
        guard index % 500 == 250 else { return nil }
        self = Self.allCases[index / 500 % Self.allCases.count]
    }

    var error: ErrorWord {
        switch self {
        case .signatureChanged: .signatureInvalid
        case .tagChanged: .decryptionFailed
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .otherIssuer: .issuerMismatch
        case .otherAudience: .audienceMismatch
        case .hmacOfPublicKey: .algorithmNotAllowed
        case .unknownKeyID: .noKey
        case .cutShort: .malformed
        case .noExpiration: .claimMissing
        }
    }
}
