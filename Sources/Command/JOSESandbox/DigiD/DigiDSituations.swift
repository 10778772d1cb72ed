/// What may become of a login by SAML besides an assertion that is right: the situations of DigiD's functional description (5.1 to 5.10), and
/// answers that are wrong. The table below is the only one: pages and tests read it.
package enum DigiDSituations: String, CaseIterable, Sendable {
    case notFound = "not-found"
    case notActivated = "not-activated"
    case switchedOff = "switched-off"
    case switchedOffForService = "switched-off-here"
    case returnURLUnknown = "return-url-unknown"
    case returnURLTold = "return-url-told"
    case silence = "silence"
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

    /// The failure that a relying party must end with, by the names of `RelyingPartyError.Reason`; nil where the service hears nothing, and
    /// ends the login by itself. `|` parts those of the two generations, where they differ. 5.3, 5.7 and 5.8 are what its user does: a low
    /// level, three wrong PINs, a way back.
    package var row: (title: String, failure: String?) {
        switch self {
        case .notFound: ("5.1: the app is not on this device", nil)
        case .notActivated: ("5.2: the app is not activated", "notActivated")
        case .switchedOff: ("5.4: logins by app are off", "switchedOff|providerError(RequestDenied)")
        case .switchedOffForService: ("5.5: logins from this service's app are off", "switchedOffForService")
        case .returnURLUnknown: ("5.6: the return URL is not registered", nil)
        case .returnURLTold: ("5.6: the same, as a release of the app tells it", "returnURLUnknown")
        case .silence: ("5.9: nothing, for a quarter of an hour", nil)
        case .fault: ("5.10: a fault of DigiD", "providerError(internal_error)")
        case .late: ("the artifact is too old", "expired")
        case .refused: ("the artifact is refused", "providerError(RequestDenied)")
        case .strangersKey: ("signed by a stranger", "signatureInvalid")
        case .tampered: ("one character changed", "signatureInvalid")
        case .otherRequest: ("the answer to another request", "inResponseToMismatch")
        case .otherAudience: ("an assertion for another service", "audienceMismatch")
        case .expired: ("an assertion that is over", "expired")
        case .otherSector: ("a number of another sector", "sectorUnexpected")
        case .badNumber: ("a number that fails the eleven-test", "claimType(BSN)")
        }
    }
}
