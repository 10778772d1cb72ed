import JOSE
import JOSETokens

/// The ten ways in which a token of the demo is broken, each with its own error.
enum DemoFault: Int, CaseIterable, Sendable {
    /// One bit of the RS256 signature is changed before the token is encrypted.
    case signatureChanged
    /// One bit of the encryption's authentication tag is changed.
    case tagChanged
    case expired
    case notYetValid
    case otherIssuer
    case otherAudience
    /// The token is signed with HS256, and the text of the public key is the HMAC key.
    case hmacOfPublicKey
    case unknownKeyID
    /// The last part of the token is missing.
    case cutShort
    case noExpiration

    /// Returns the fault of the token with this index: one token in 500 has one, and the ways take turns. Other tokens
    /// have none.
    init?(of index: Int) {
        guard index % 500 == 250 else { return nil }
        self = Self.allCases[index / 500 % Self.allCases.count]
    }

    /// The error by which a verifier must reject the token.
    var error: TokenError {
        switch self {
        case .signatureChanged: .jose(.signatureInvalid, layer: .signature)
        case .tagChanged: .jose(.decryptionFailed, layer: .encryption)
        case .expired: .claim(.expired)
        case .notYetValid: .claim(.notYetValid)
        case .otherIssuer: .claim(.issuerMismatch)
        case .otherAudience: .claim(.audienceMismatch)
        case .hmacOfPublicKey: .jose(.algorithmNotAllowed(.signature), layer: .signature)
        case .unknownKeyID: .jose(.keyNotFound, layer: .signature)
        case .cutShort: .jose(.malformed(ParseFailure(.token, .parts)), layer: .encryption)
        case .noExpiration: .claim(.missing("exp"))
        }
    }
}
