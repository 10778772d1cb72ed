/// A way to answer wrongly, out of the providers' test lists. The table below is the only one: pages and tests read it.
package enum Misbehaviour: String, CaseIterable, Sendable {
    // The answer that the browser brings.
    case missingState = "missing-state"
    case wrongState = "wrong-state"
    case twoCodes = "two-codes"
    case missingCode = "missing-code"
    case otherIssuer = "other-iss"
    case answeredByGet = "answered-by-get"
    case busy = "busy"
    case unknownError = "unknown-error"
    // The token endpoint.
    case codeRefused = "code-refused"
    case missingIDToken = "missing-id-token"
    // The ID token's layers.
    case bareJWS = "bare-jws"
    case bareClaims = "bare-claims"
    case unsigned = "alg-none"
    case publicKeyAsSecret = "hs256"
    case rsa15 = "rsa1_5"
    case compressed = "zip"
    case critical = "crit"
    case tampered = "tampered"
    case strangersKey = "strangers-key"
    case unknownKey = "unknown-kid"
    case transactionKey = "transaction-key"
    // Its claims.
    case wrongIssuer = "wrong-iss"
    case wrongAudience = "wrong-aud"
    case wrongNonce = "wrong-nonce"
    case missingNonce = "missing-nonce"
    case expired = "expired"
    case future = "future"
    case wrongHash = "wrong-at-hash"
    case lowLevel = "low-level"
    case missingSubject = "missing-sub"
    // Userinfo.
    case otherSubject = "other-sub"
    case plainUserinfo = "plain-userinfo"
    case userinfoRefused = "userinfo-refused"

    package struct Row: Sendable {
        package let title: String
        /// The failure that a relying party must end with, by the names of `RelyingPartyError.Reason`; `|` parts those of signed tokens and of nested ones.
        package let failure: String
    }

    package var row: Row {
        switch self {
        case .missingState: Row(title: "state left out", failure: "stateMismatch")
        // No cookie of the browser is named by it.
        case .wrongState: Row(title: "another state", failure: "bindingMismatch")
        case .twoCodes: Row(title: "two codes", failure: "duplicateParameter(code)")
        case .missingCode: Row(title: "no code", failure: "missingParameter(code)")
        case .otherIssuer: Row(title: "another issuer beside the code", failure: "issuerMismatch")
        case .answeredByGet: Row(title: "answer by GET", failure: "invalidParameter(response_mode)")
        case .busy: Row(title: "temporarily unavailable", failure: "providerError(temporarily_unavailable)")
        case .unknownError: Row(title: "an error that nobody knows", failure: "providerError(sandbox_is_odd)")
        case .codeRefused: Row(title: "the code is refused", failure: "providerError(invalid_grant)")
        case .missingIDToken: Row(title: "no ID token", failure: "missingParameter(id_token)")
        case .bareJWS: Row(title: "ID token without encryption", failure: "notEncrypted")
        case .bareClaims: Row(title: "encrypted claims without signature", failure: "notSigned")
        case .unsigned: Row(title: "ID token with alg none", failure: "algorithmNotAllowed")
        case .publicKeyAsSecret: Row(title: "ID token with HS256 by the public key", failure: "algorithmNotAllowed")
        case .rsa15: Row(title: "ID token encrypted with RSA1_5", failure: "algorithmNotAllowed")
        case .compressed: Row(title: "compressed ID token", failure: "algorithmNotAllowed")
        case .critical: Row(title: "ID token with a critical extension", failure: "criticalNotUnderstood")
        case .tampered: Row(title: "ID token with one bit changed", failure: "decryptionFailed|signatureInvalid")
        case .strangersKey: Row(title: "ID token signed by a stranger under our kid", failure: "signatureInvalid")
        case .unknownKey: Row(title: "ID token under a kid that is not published", failure: "keyNotFound")
        case .transactionKey: Row(title: "ID token signed by the transaction key", failure: "keyUnsuitable")
        case .wrongIssuer: Row(title: "another iss", failure: "issuerMismatch")
        case .wrongAudience: Row(title: "another aud", failure: "audienceMismatch")
        case .wrongNonce: Row(title: "another nonce", failure: "nonceMismatch")
        case .missingNonce: Row(title: "no nonce", failure: "nonceMismatch")
        case .expired: Row(title: "expired", failure: "expired")
        case .future: Row(title: "issued in an hour", failure: "notYetValid|issuedInFuture")
        case .wrongHash: Row(title: "at_hash of another access token", failure: "hashMismatch")
        case .lowLevel: Row(title: "the lowest level", failure: "acrTooLow")
        case .missingSubject: Row(title: "no sub", failure: "claimMissing(sub)")
        case .otherSubject: Row(title: "userinfo of another sub", failure: "subjectMismatch")
        case .plainUserinfo: Row(title: "userinfo without encryption", failure: "notEncrypted")
        case .userinfoRefused: Row(title: "userinfo refused", failure: "providerError(invalid_token)")
        }
    }

    /// Where the service begins the login and asks for its outcome there is no answer by the browser, nor code or nonce.
    private static let ofBrowsers: Set<Self> = [
        .missingState, .wrongState, .twoCodes, .missingCode, .otherIssuer, .answeredByGet, .busy, .unknownError,
        .codeRefused, .wrongNonce, .missingNonce,
    ]

    /// Whether it is a fault under these rules, and one that can be made.
    package func applies(to client: Registration) -> Bool {
        if client.isBackChannel, Self.ofBrowsers.contains(self) { return false }
        return switch self {
        case .answeredByGet, .transactionKey: client.flavour == .mitID
        case .otherIssuer, .wrongHash: client.flavour == .mitID || client.flavour == .openID
        case .bareJWS, .bareClaims, .compressed, .plainUserinfo: client.tokens.isEncrypted
        case .rsa15: if case .nested = client.tokens { true } else { false }
        case .missingNonce: !client.flavour.isItsme || client.flavour == .itsmeNow || client.flavour == .itsmeV2
        default: true
        }
    }

    package static func all(for client: Registration) -> [Misbehaviour] { allCases.filter { $0.applies(to: client) } }
}
