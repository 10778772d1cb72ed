/// A way in which an app with ZenKey's SDK hands over a wrong code or message. Where the row has no
/// failure, the service must go on.
package enum ZenKeyAppFault: WrongAnswerRow, WrongAnswer {
    case handleAgain = "handle-again: the message a second time -> state_mismatch"
    case otherSession = "other-session: the message in another session -> state_mismatch"
    case shortVerifier = "short-verifier: a verifier of 42 characters -> invalid_parameter(code_verifier)"
    case longVerifier = "long-verifier: a verifier of 129 characters -> invalid_parameter(code_verifier)"
    case plusVerifier = "verifier-with-plus: a verifier with + -> invalid_parameter(code_verifier)"
    case otherVerifier = "other-verifier: the verifier of another request -> provider_error(request_denied)"
    case ownNonce = "own-nonce: the nonce of the SDK -> nonce_mismatch"
    case otherRequest = "code-of-other-request: the code of a request with another nonce -> nonce_mismatch"
    case otherCarrier = "other-carrier: the other carrier -> provider_error(invalid_grant)"
    case slash = "redirect-uri-with-slash: a redirect URI with one more slash -> invalid_parameter(redirect_uri)"
    // The last one is not a fault.
    case moreMembers = "more-members: an issuer and a token endpoint besides, which are ignored"
}
