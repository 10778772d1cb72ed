/// A way in which an app with ZenKey's SDK hands over a wrong code or message. The table below is the only one: pages
/// and tests read it.
package enum ZenKeyAppFault: String, CaseIterable, Sendable {
    case handleAgain = "handle-again"
    case otherSession = "other-session"
    case shortVerifier = "short-verifier"
    case longVerifier = "long-verifier"
    case plusVerifier = "verifier-with-plus"
    case otherVerifier = "other-verifier"
    case ownNonce = "own-nonce"
    case otherRequest = "code-of-other-request"
    case otherCarrier = "other-carrier"
    case slash = "redirect-uri-with-slash"
    // The last one is not a fault.
    case moreMembers = "more-members"

    /// The title on the page, and the code with which a relying party must end the login, or nil if it must go on. A
    /// name in parentheses is the value that the reason carries.
    package var row: (title: String, failure: String?) {
        switch self {
        case .handleAgain: ("the message a second time", "state_mismatch")
        case .otherSession: ("the message in another session", "state_mismatch")
        case .shortVerifier: ("a verifier of 42 characters", "invalid_parameter(code_verifier)")
        case .longVerifier: ("a verifier of 129 characters", "invalid_parameter(code_verifier)")
        case .plusVerifier: ("a verifier with +", "invalid_parameter(code_verifier)")
        case .otherVerifier: ("the verifier of another request", "provider_error(request_denied)")
        case .ownNonce: ("the nonce of the SDK", "nonce_mismatch")
        case .otherRequest: ("the code of a request with another nonce", "nonce_mismatch")
        case .otherCarrier: ("the other carrier", "provider_error(invalid_grant)")
        case .slash: ("a redirect URI with one more slash", "invalid_parameter(redirect_uri)")
        case .moreMembers: ("an issuer and a token endpoint besides, which are ignored", nil)
        }
    }
}
