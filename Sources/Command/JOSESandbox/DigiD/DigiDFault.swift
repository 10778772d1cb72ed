/// A way in which DigiD answers wrongly, or not at all. The table below is the only one: pages and tests read it.
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
    case wrongHash = "wrong-at-hash"
    case foreignToken = "other-azp-in-id-token"
    case unknownLevel = "unknown-acr"
    case otherSector = "other-sector"
    case badNumber = "bad-bsn"

    /// The title on the page, and the code with which a relying party must end the login, or nil if the service gets no
    /// answer. A name in parentheses is the value that the reason carries.
    package var row: (title: String, failure: String?) {
        switch self {
        case .notFound: ("the app is not on this device", nil)
        case .returnURLUnknown: ("the return URL is not registered", nil)
        case .silence: ("no response for 15 minutes", nil)
        case .requestRefused: ("the request is refused", "provider_error(invalid_request_object)")
        case .unknownError: ("an error in DigiD itself", "provider_error(server_error)")
        case .codeRefused: ("the code is refused", "provider_error(invalid_request)")
        case .otherState: ("wrong state in the token response", "state_mismatch")
        case .missingIDToken: ("no ID token", "missing_parameter(id_token)")
        case .otherParty: ("an access token of another service", "authorized_party_mismatch")
        case .bareJWS: ("ID token without encryption", "token_not_encrypted")
        case .unsigned: ("ID token with alg none", "algorithm_not_allowed")
        case .strangersKey: ("ID token not signed with the key that kid names", "signature_invalid")
        case .wrongIssuer: ("wrong iss", "issuer_mismatch")
        case .clientAsAudience: ("aud is the client_id", "audience_mismatch")
        case .expired: ("expired", "token_expired")
        case .notYet: ("nbf in the future, one second before exp", "token_not_yet_valid")
        case .wrongNonce: ("wrong nonce", "nonce_mismatch")
        case .wrongHash: ("at_hash of another access token", "hash_mismatch")
        case .foreignToken: ("an ID token of another service", "authorized_party_mismatch")
        case .unknownLevel: ("an unknown level", "acr_too_low")
        case .otherSector: ("a SOFI number instead of a BSN", "sector_unexpected")
        case .badNumber: ("a number with a wrong check digit (elfproef)", "claim_type_invalid(BSN)")
        }
    }
}
