/// The eight types into which ZenKey's SDK sorts errors. That the user said no is not one of them: it is an outcome of its own,
/// `access_denied` as well as `cancelled`.
public enum ZenKeyErrorType: Sendable, Equatable, CaseIterable {
    /// A parameter is wrong, in form or in value.
    case invalidRequest
    /// The user, or the carrier for them, refused.
    case requestDenied
    /// The user did not answer in time.
    case requestTimeout
    /// The carrier cannot answer now.
    case serverError
    /// No connection.
    case networkFailure
    /// The registration of the service does not allow this.
    case configurationError
    /// What discovery said is not true any more: the carrier has no such user, or cannot read the hint.
    case discoveryStateError
    /// Everything else.
    case unknownError

    /// By the table of ZenKey's guide.
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

    /// What a service does about it. A callback's transaction is used up by then, so that nothing is simply sent again.
    public static func remedy(_ code: ProviderErrorCode) -> Remedy {
        // The verifier was another's: whoever brought the code did not begin the login.
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
