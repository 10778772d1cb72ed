/// The outcomes of a SAML login other than a valid assertion: the situations of DigiD's functional description (5.1 to
/// 5.10), and wrong answers. Where the row has no failure, the service gets no answer and ends the login by itself;
/// `|` separates the failures of the two generations where they differ. Situations 5.3, 5.7 and 5.8 are actions of the user: a low level,
/// three wrong PINs, cancelling.
package enum DigiDSituations: WrongAnswerRow, WrongAnswer {
    case notFound = "not-found: 5.1: the app is not on this device"
    case notActivated = "not-activated: 5.2: the app is not activated -> app_not_activated"
    case switchedOff = """
        switched-off: 5.4: logins by app are off -> app_login_switched_off|provider_error(RequestDenied)
        """
    case switchedOffForService = """
        switched-off-here: 5.5: logins from this service's app are off -> app_login_switched_off_for_service
        """
    case returnURLUnknown = "return-url-unknown: 5.6: the return URL is not registered"
    case returnURLTold = "return-url-told: 5.6: the same, as a release of the app tells it -> return_url_unknown"
    case silence = "silence: 5.9: no response for 15 minutes"
    case toThePage = "to-the-page: the artifact goes to the assertion consumer service -> state_mismatch"
    case fault = "fault: 5.10: an error in DigiD itself -> provider_error(internal_error)"
    // The resolution.
    case late = "late: the artifact is too old -> token_expired"
    case refused = "resolution-refused: the artifact is refused -> provider_error(RequestDenied)"
    // The assertion.
    case strangersKey = "strangers-key: signed with another key -> signature_invalid"
    case tampered = "tampered: one character changed -> signature_invalid"
    case otherRequest = "other-request: the answer to another request -> in_response_to_mismatch"
    case otherAudience = "other-audience: an assertion for another service -> audience_mismatch"
    case expired = "expired: an expired assertion -> token_expired"
    case otherSector = "other-sector: a number of another sector -> sector_unexpected"
    case badNumber = "bad-bsn: a number with a wrong check digit (elfproef) -> claim_type_invalid(BSN)"

    /// The outcomes of the resolution and of the assertion, which a login on DigiD's web page has too.
    package static let resolution: [DigiDSituations] = [
        .late, .refused, .strangersKey, .tampered, .otherRequest, .otherAudience, .expired, .otherSector, .badNumber,
    ]
}
