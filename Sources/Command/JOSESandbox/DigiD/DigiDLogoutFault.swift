/// A way in which DigiD answers a logout that the service began. The table below is the only one: pages and tests read
/// it.
package enum DigiDLogoutFault: String, CaseIterable, Sendable {
    case strangersKey = "strangers-key"
    case tampered = "tampered"
    case otherIssuer = "other-issuer"
    case otherDestination = "other-destination"
    case otherRequest = "other-request"
    case old = "old"
    case future = "from-the-future"
    case otherStatus = "other-status"
    // The last two are not faults.
    case emptyDestination = "empty-destination"
    case noDestination = "no-destination"

    /// The title on the page, and the code with which a relying party must reject the answer, or nil if it must accept
    /// it.
    package var row: (title: String, failure: String?) {
        switch self {
        case .strangersKey: ("signed with another key", "signature_invalid")
        case .tampered: ("changed after it was signed", "signature_invalid")
        case .otherIssuer: ("of another issuer", "issuer_mismatch")
        case .otherDestination: ("for another address", "audience_mismatch")
        case .otherRequest: ("the answer to another request", "in_response_to_mismatch")
        case .old: ("six minutes old", "token_too_old")
        case .future: ("a minute ahead of the time", "token_issued_in_future")
        case .otherStatus: ("an error of the request", "provider_error(Requester)")
        case .emptyDestination: ("with an empty destination", nil)
        case .noDestination: ("without a destination", nil)
        }
    }
}

/// A way in which DigiD's request to end a user's sessions is wrong. The service must answer each with status 403, and
/// end no session.
package enum DigiDLogoutRequestFault: String, CaseIterable, Sendable {
    case wrapped = "wrapped"
    case strangersKey = "strangers-key"
    case tampered = "tampered"
    case otherIssuer = "other-issuer"
    case otherDestination = "other-destination"
    case old = "old"
    case withoutCertificate = "no-certificate"

    /// The title on the page.
    package var title: String {
        switch self {
        case .wrapped: "a forged request around a signed one"
        case .strangersKey: "signed with another key"
        case .tampered: "another user's name after it was signed"
        case .otherIssuer: "of another issuer"
        case .otherDestination: "for another address"
        case .old: "six minutes old"
        case .withoutCertificate: "without a client certificate"
        }
    }
}
