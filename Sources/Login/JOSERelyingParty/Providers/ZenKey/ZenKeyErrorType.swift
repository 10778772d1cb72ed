/// The eight types into which ZenKey's SDK sorts errors. A login that the user declined is not one of them: it is reported as
/// `access_denied` or as `cancelled`.
public enum ZenKeyErrorType: Sendable, Equatable, CaseIterable {
    /// A parameter is wrong, in form or in value.
    case invalidRequest
    /// The user declined, or the carrier on their behalf.
    case requestDenied
    /// The user did not respond in time.
    case requestTimeout
    /// The carrier is temporarily unavailable.
    case serverError
    /// The connection failed.
    case networkFailure
    /// The service's registration with ZenKey does not allow the request.
    case configurationError
    /// The answer of discovery is out of date: the carrier has no such user, or cannot read the hint.
    case discoveryStateError
    /// Any other error.
    case unknownError

    /// Creates the type of an error code, by the table in ZenKey's guide.
    ///
    /// - Parameter code: The error code.
    public init(_ code: ProviderErrorCode) {
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

    /// Returns the remedy for an error code. When the callback has been handled, its login is used up, so that no request can
    /// simply be repeated.
    ///
    /// - Parameter code: The error code.
    public static func remedy(_ code: ProviderErrorCode) -> Remedy {
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
