/// The outcomes of a SAML login other than a valid assertion: the situations of DigiD's functional description (5.1 to
/// 5.10), and wrong answers. The table below is the only one: pages and tests read it.
package enum DigiDSituations: String, CaseIterable, Sendable {
    case notFound = "not-found"
    case notActivated = "not-activated"
    case switchedOff = "switched-off"
    case switchedOffForService = "switched-off-here"
    case returnURLUnknown = "return-url-unknown"
    case returnURLTold = "return-url-told"
    case silence = "silence"
    case toThePage = "to-the-page"
    case fault = "fault"
    // The resolution.
    case late = "late"
    case refused = "resolution-refused"
    // The assertion.
    case strangersKey = "strangers-key"
    case tampered = "tampered"
    case otherRequest = "other-request"
    case otherAudience = "other-audience"
    case expired = "expired"
    case otherSector = "other-sector"
    case badNumber = "bad-bsn"

    /// The outcomes of the resolution and of the assertion, which a login on DigiD's web page has too.
    package static let resolution: [DigiDSituations] = [
        .late, .refused, .strangersKey, .tampered, .otherRequest, .otherAudience, .expired, .otherSector, .badNumber,
    ]

    /// The title on the page, and the code with which a relying party must end the login, or nil if the service gets no
    /// answer and ends the login by itself. A name in parentheses is the value that the reason carries; `|` separates
    /// the codes of the two generations where they differ. Situations 5.3, 5.7 and 5.8 are actions of the user: a low
    /// level, three wrong PINs, cancelling.
    package var row: (title: String, failure: String?) {
        switch self {
        case .notFound: ("5.1: the app is not on this device", nil)
        case .notActivated: ("5.2: the app is not activated", "app_not_activated")
        case .switchedOff: ("5.4: logins by app are off", "app_login_switched_off|provider_error(RequestDenied)")
        case .switchedOffForService:
            ("5.5: logins from this service's app are off", "app_login_switched_off_for_service")
        case .returnURLUnknown: ("5.6: the return URL is not registered", nil)
        case .returnURLTold: ("5.6: the same, as a release of the app tells it", "return_url_unknown")
        case .silence: ("5.9: no response for 15 minutes", nil)
        case .toThePage: ("the artifact goes to the assertion consumer service", "state_mismatch")
        case .fault: ("5.10: an error in DigiD itself", "provider_error(internal_error)")
        case .late: ("the artifact is too old", "token_expired")
        case .refused: ("the artifact is refused", "provider_error(RequestDenied)")
        case .strangersKey: ("signed with another key", "signature_invalid")
        case .tampered: ("one character changed", "signature_invalid")
        case .otherRequest: ("the answer to another request", "in_response_to_mismatch")
        case .otherAudience: ("an assertion for another service", "audience_mismatch")
        case .expired: ("an expired assertion", "token_expired")
        case .otherSector: ("a number of another sector", "sector_unexpected")
        case .badNumber: ("a number with a wrong check digit (elfproef)", "claim_type_invalid(BSN)")
        }
    }
}
