package import JOSERelyingParty

/// The eight types into which ZenKey's SDK classifies error codes.
package enum ZenKeyErrorType: Sendable, Equatable, CaseIterable {
    /// A parameter of the request has an invalid form or value.
    case invalidRequest
    /// The user declined the request, or the carrier declined it on the user's behalf.
    case requestDenied
    /// The user did not respond in time.
    case requestTimeout
    /// The carrier is temporarily unavailable.
    case serverError
    /// The network connection failed.
    case networkFailure
    /// The service's registration with ZenKey does not allow the request.
    case configurationError
    /// The result of discovery is out of date: the carrier does not know the user, or cannot read the login hint.
    case discoveryStateError
    /// Any other error.
    case unknownError

    /// Creates the type of an error code, as the table in ZenKey's guide defines it.
    ///
    /// - Parameter code: The error code.
    package init(_ code: ProviderErrorCode) {
        self =
            switch code.description {
            case "invalid_request", "unauthorized_client": .configurationError
            case "invalid_scope", "invalid_request_object": .invalidRequest
            case "access_denied", "device_unavailable", "request_denied": .requestDenied
            case "temporarily_unavailable", "server_error": .serverError
            case "network_failure": .networkFailure
            case "authentication_timed_out": .requestTimeout
            case "user_not_found", "user_unsupported", "invalid_login_hint", "invalid_login_hint_token":
                .discoveryStateError
            default: .unknownError
            }
    }

    /// Returns the action for an error code. It is never `retry`: a callback uses up its login, so that the request
    /// cannot be repeated.
    ///
    /// - Parameter code: The error code.
    package static func action(_ code: ProviderErrorCode) -> RelyingPartyError.Action {
        // The verifier was wrong: the sender of the code did not begin the login.
        if code.description == "request_denied" { return .investigate }
        switch ZenKeyErrorType(code) {
        case .configurationError, .invalidRequest: return .fixConfiguration
        case .requestDenied: return .tellUser
        case .requestTimeout, .serverError, .networkFailure, .discoveryStateError: return .restart
        case .unknownError:
            return code.description.utf8.suffix(9).elementsEqual("_required".utf8) ? .restart : .investigate
        }
    }
}
