/// A way in which DigiD answers a logout that the service began. The service must accept the answers whose
/// row has no failure.
package enum DigiDLogoutFault: WrongAnswerRow, WrongAnswer {
    case strangersKey = "strangers-key: signed with another key -> signature_invalid"
    case tampered = "tampered: changed after it was signed -> signature_invalid"
    case otherIssuer = "other-issuer: of another issuer -> issuer_mismatch"
    case otherDestination = "other-destination: for another address -> audience_mismatch"
    case otherRequest = "other-request: the answer to another request -> in_response_to_mismatch"
    case old = "old: six minutes old -> token_too_old"
    case future = "from-the-future: a minute ahead of the time -> token_issued_in_future"
    case otherStatus = "other-status: an error of the request -> provider_error(Requester)"
    // The last two are not faults.
    case emptyDestination = "empty-destination: with an empty destination"
    case noDestination = "no-destination: without a destination"
}

/// A way in which DigiD's request to end a user's sessions is wrong. The service must answer each with status 403, and
/// end no session.
package enum DigiDLogoutRequestFault: WrongAnswerRow, WrongAnswer {
    case wrapped = "wrapped: a forged request around a signed one"
    case strangersKey = "strangers-key: signed with another key"
    case tampered = "tampered: another user's name after it was signed"
    case otherIssuer = "other-issuer: of another issuer"
    case otherDestination = "other-destination: for another address"
    case old = "old: six minutes old"
    case withoutCertificate = "no-certificate: without a client certificate"
}
