extension Remedy {
    /// What follows from the failure alone; a profile knows better of its provider's codes.
    init(for failure: RelyingPartyError.Reason, in step: LoginStep) {
        switch failure {
        case .configurationError, .discoveryMismatch, .untrustedIssuer: self = .fixConfiguration
        case .switchedOffForService, .returnURLUnknown: self = .fixConfiguration
        case .cancelled, .acrTooLow, .authenticationTooOld: self = .tellUser
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

    /// Whether nothing was used up where this step fails.
    private static func isBeforeUse(_ step: LoginStep) -> Bool {
        switch step {
        case .configuration, .request, .discovery, .pushedRequest, .store: true
        default: false
        }
    }

    /// RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6; RFC 6750, 3.1.
    private static let ofOAuth: [String: Remedy] = [
        "access_denied": .tellUser, "temporarily_unavailable": .retry, "server_error": .retry,
        "login_required": .restart, "interaction_required": .restart, "consent_required": .restart,
        "account_selection_required": .restart, "invalid_grant": .restart, "invalid_token": .restart,
    ]
}

extension RelyingPartyError {
    /// The same once what may be used once is gone: the same call cannot help.
    package var usedUp: RelyingPartyError {
        remedy == .retry ? RelyingPartyError(reason, in: step, remedy: .restart) : self
    }
}
