/// A way in which a search for a user goes on after the user has scanned the code. Where the row has no
/// failure, the relying party must go on.
package enum SearchFault: WrongAnswerRow, WrongAnswer {
    case withoutImage = "no-qr-code: nobody yet, and no code to scan -> missing_parameter(qr_code)"
    case unknownStatus = "unknown-status: an unknown status -> invalid_parameter(status)"
    case ended = "search-ended: the search is over -> token_expired"
    case withoutIdentifier = "no-identifier: found, without an identifier -> missing_parameter(user_identifier_token)"
    // The identifier of the user, when the service begins the login with it.
    case unknownUser = "unknown-user: found, and the identifier is then unknown -> provider_error(unknown_user_id)"
    case expiredHint = """
        identifier-expired: found, and the identifier has then expired -> provider_error(expired_login_hint_token)
        """
    // The last one is not a fault.
    case tooMany = "too-many-requests: too many requests, and then rightly"
}
