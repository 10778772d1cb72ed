/// A way for DigiD to answer wrongly, or not at all. The table below is the only one: pages and tests read it.
package enum DigiDFault: String, CaseIterable, Sendable {
    // The app.
    case notFound = "not-found"
    case returnURLUnknown = "return-url-unknown"
    case silence = "silence"
    case requestRefused = "request-refused"
    case unknownError = "unknown-error"
    // The token endpoint.
    case codeRefused = "code-refused"
    case otherState = "other-state"
    case missingIDToken = "missing-id-token"
    case otherParty = "other-azp"
    // The ID token.
    case bareJWS = "bare-jws"
    case unsigned = "alg-none"
    case strangersKey = "strangers-key"
    case wrongIssuer = "wrong-iss"
    case clientAsAudience = "aud-is-client"
    case expired = "expired"
    case notYet = "nbf-before-exp"
    case wrongNonce = "wrong-nonce"
    case unknownLevel = "unknown-acr"
    case otherSector = "other-sector"
    case badNumber = "bad-bsn"

    /// The failure that a relying party must end with, by the names of `RelyingPartyError.Reason`; nil where the service hears nothing.
    package var row: (title: String, failure: String?) {
        switch self {
        case .notFound: ("the app is not on this device", nil)
        case .returnURLUnknown: ("the return URL is not registered", nil)
        case .silence: ("nothing, for a quarter of an hour", nil)
        case .requestRefused: ("the request is refused", "providerError(invalid_request_object)")
        case .unknownError: ("a fault of DigiD", "providerError(server_error)")
        case .codeRefused: ("the code is refused", "providerError(invalid_request)")
        case .otherState: ("another state beside the tokens", "stateMismatch")
        case .missingIDToken: ("no ID token", "missingParameter(id_token)")
        case .otherParty: ("an access token of another service", "authorizedPartyMismatch")
        case .bareJWS: ("ID token without encryption", "notEncrypted")
        case .unsigned: ("ID token with alg none", "algorithmNotAllowed")
        case .strangersKey: ("ID token signed by a stranger under our kid", "signatureInvalid")
        case .wrongIssuer: ("another iss", "issuerMismatch")
        case .clientAsAudience: ("the client as aud", "audienceMismatch")
        case .expired: ("expired", "expired")
        case .notYet: ("nbf in the future, and before exp", "notYetValid")
        case .wrongNonce: ("another nonce", "nonceMismatch")
        case .unknownLevel: ("a level that nobody knows", "acrTooLow")
        case .otherSector: ("a number of another sector", "sectorUnexpected")
        case .badNumber: ("a number that fails the eleven-test", "claimType(BSN)")
        }
    }
}
