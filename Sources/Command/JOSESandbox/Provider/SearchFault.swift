/// A way in which a search for a user goes on after the user has scanned the code. The table below is the only one:
/// pages and tests read it.
package enum SearchFault: String, CaseIterable, Sendable {
    case withoutImage = "no-qr-code"
    case unknownStatus = "unknown-status"
    case ended = "search-ended"
    case withoutIdentifier = "no-identifier"
    // The identifier of the user, when the service begins the login with it.
    case unknownUser = "unknown-user"
    case expiredHint = "identifier-expired"
    // The last one is not a fault.
    case tooMany = "too-many-requests"

    /// The title on the page, and the code with which a relying party must end the login, or nil if it must go on. A
    /// name in parentheses is the value that the reason carries.
    package var row: (title: String, failure: String?) {
        switch self {
        case .withoutImage: ("nobody yet, and no code to scan", "missing_parameter(qr_code)")
        case .unknownStatus: ("an unknown status", "invalid_parameter(status)")
        case .ended: ("the search is over", "token_expired")
        case .withoutIdentifier: ("found, without an identifier", "missing_parameter(user_identifier_token)")
        case .unknownUser: ("found, and the identifier is then unknown", "provider_error(unknown_user_id)")
        case .expiredHint: ("found, and the identifier has then expired", "provider_error(expired_login_hint_token)")
        case .tooMany: ("too many requests, and then rightly", nil)
        }
    }
}
