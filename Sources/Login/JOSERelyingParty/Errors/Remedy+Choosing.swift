extension Remedy {
    /// Creates the remedy that follows from the reason and the step. A profile gives the provider's own error codes
    /// more specific remedies.
    init(for failure: RelyingPartyError.Reason, in step: LoginStep) {
        switch failure {
        case .configurationError, .discoveryMismatch, .metadataMissing, .metadataInvalid, .untrustedIssuer:
            self = .fixConfiguration
        case .switchedOffForService, .returnURLUnknown: self = .fixConfiguration
        case .cancelled, .loginPending, .acrTooLow, .authenticationTooOld: self = .tellUser
        case .appNotFound, .notActivated, .switchedOff, .pinBlocked: self = .tellUser
        case .providerError(let code): self = Self.ofOAuth[code.description] ?? .fixConfiguration
        case .unreachable, .storeUnavailable, .storeFull, .interrupted, .internalFault, .unexpectedStatus:
            self = Self.isBeforeUse(step) ? .retry : .restart
        case .stateMismatch, .bindingMismatch, .redirectLoop: self = .restart
        case .expired, .notYetValid, .issuedInFuture, .tooOld, .sessionExpired: self = .restart
        case .missingParameter, .duplicateParameter, .invalidParameter:
            switch step {
            case .request, .configuration: self = .fixConfiguration
            case .callback: self = .restart
            default: self = .investigate
            }
        case .certificateRevoked, .certificateUnknown, .keyNotFound, .keyUnsuitable: self = .investigate
        default: self = .investigate
        }
    }

    /// Returns whether nothing is used up yet when this step fails.
    private static func isBeforeUse(_ step: LoginStep) -> Bool {
        switch step {
        case .configuration, .request, .discovery, .pushedRequest, .store: true
        default: false
        }
    }

    /// The remedies of the error codes of OAuth (RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6; RFC 6750,
    /// 3.1).
    private static let ofOAuth: [String: Remedy] = [
        "access_denied": .tellUser, "temporarily_unavailable": .retry, "server_error": .retry,
        "login_required": .restart, "interaction_required": .restart, "consent_required": .restart,
        "account_selection_required": .restart, "invalid_grant": .restart, "invalid_token": .restart,
    ]
}

extension RelyingPartyError {
    /// This error with the remedy ``Remedy/restart`` in place of ``Remedy/retry``, for use once a value that is
    /// accepted only once, such as the authorization code, has been used and a repeated call cannot succeed.
    package var usedUp: RelyingPartyError {
        remedy == .retry ? RelyingPartyError(reason, in: step, remedy: .restart) : self
    }
}
