/// A way in which DigiD answers wrongly. The service gets no answer where the row has no failure.
package enum DigiDFault: WrongAnswerRow, WrongAnswer {
    // The app.
    case notFound = "not-found: the app is not on this device"
    case returnURLUnknown = "return-url-unknown: the return URL is not registered"
    case silence = "silence: no response for 15 minutes"
    case requestRefused = "request-refused: the request is refused -> provider_error(invalid_request_object)"
    case unknownError = "unknown-error: an error in DigiD itself -> provider_error(server_error)"
    // The token endpoint.
    case codeRefused = "code-refused: the code is refused -> provider_error(invalid_request)"
    case otherState = "other-state: wrong state in the token response -> state_mismatch"
    case missingIDToken = "missing-id-token: no ID token -> missing_parameter(id_token)"
    case otherParty = "other-azp: an access token of another service -> authorized_party_mismatch"
    // The ID token.
    case bareJWS = "bare-jws: ID token without encryption -> token_not_encrypted"
    case unsigned = "alg-none: ID token with alg none -> algorithm_not_allowed"
    case strangersKey = "strangers-key: ID token not signed with the key that kid names -> signature_invalid"
    case wrongIssuer = "wrong-iss: wrong iss -> issuer_mismatch"
    case clientAsAudience = "aud-is-client: aud is the client_id -> audience_mismatch"
    case expired = "expired: expired -> token_expired"
    case notYet = "nbf-before-exp: nbf in the future, one second before exp -> token_not_yet_valid"
    case wrongNonce = "wrong-nonce: wrong nonce -> nonce_mismatch"
    case wrongHash = "wrong-at-hash: at_hash of another access token -> hash_mismatch"
    case foreignToken = "other-azp-in-id-token: an ID token of another service -> authorized_party_mismatch"
    case unknownLevel = "unknown-acr: an unknown level -> acr_too_low"
    case otherSector = "other-sector: a SOFI number instead of a BSN -> sector_unexpected"
    case badNumber = "bad-bsn: a number with a wrong check digit (elfproef) -> claim_type_invalid(BSN)"
}
