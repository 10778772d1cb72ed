/// The reasons for which a login with DigiD fails, as sections 5.1 to 5.10 of DigiD's functional description define them, with
/// the reaction of the service's app. In each situation the service ends its local session at once.
public enum DigiDSituation: Hashable, CaseIterable, Sendable {
    /// DigiD's app is not installed, or the link did not open it (section 5.1).
    case appNotFound
    /// DigiD's app is installed, but not activated (section 5.2).
    case notActivated
    /// The login did not reach the required level (section 5.3).
    case levelTooLow
    /// Logins with the app are switched off for all services (section 5.4).
    case switchedOff
    /// Logins from this service's app are switched off (section 5.5).
    case switchedOffForService
    /// DigiD does not know the return URL (section 5.6). Nothing is returned, except by one release of DigiD's app.
    case returnURLUnknown
    /// The user entered three wrong PINs, and DigiD has deactivated the app (section 5.7).
    case pinBlocked
    /// The user cancelled the login (section 5.8).
    case cancelled
    /// DigiD's app did not return within 15 minutes, by the service's own timer (section 5.9).
    case sessionExpired
    /// Any other error (section 5.10).
    case technicalFault

    /// Creates the situation of an error.
    ///
    /// - Parameter error: The error of a login with DigiD.
    public init(_ error: RelyingPartyError) {
        self =
            switch error.reason {
            case .appNotFound: .appNotFound
            case .notActivated: .notActivated
            case .acrTooLow: .levelTooLow
            case .switchedOff: .switchedOff
            case .switchedOffForService: .switchedOffForService
            case .returnURLUnknown: .returnURLUnknown
            case .pinBlocked: .pinBlocked
            case .cancelled: .cancelled
            case .sessionExpired: .sessionExpired
            default: .technicalFault
            }
    }

    /// The reaction of the service's app to a situation.
    public enum Advice: Sendable {
        /// The app shows where to get DigiD's app, and offers DigiD's web page.
        case offerApp
        /// The app explains that DigiD's app must be activated, or activated again.
        case explainActivation
        /// The app explains which level is required, and how to reach it.
        case explainLevel
        /// The app shows DigiD's generic message, and offers another way to log in.
        case offerAnotherWay
        /// The app returns to its login page, and says that the user cancelled.
        case tellCancelled
        /// The app says that the login took too long, and offers a new one.
        case offerAgain
        /// The app shows DigiD's generic message, and someone at the service checks its configuration.
        case showFault
    }
    /// The reaction of the service's app to this situation.
    public var advice: Advice {
        switch self {
        case .appNotFound: .offerApp
        case .notActivated, .pinBlocked: .explainActivation
        case .levelTooLow: .explainLevel
        case .switchedOff: .offerAnotherWay
        case .cancelled: .tellCancelled
        case .sessionExpired: .offerAgain
        case .switchedOffForService, .returnURLUnknown, .technicalFault: .showFault
        }
    }
}

/// The ways in which DigiD's app may fail to respond, as the service's app observes them.
public enum DigiDTimeout: Sendable {
    /// The link did not open DigiD's app.
    case notOpened
    /// DigiD's app did not return within 15 minutes.
    case noAnswer

    /// The error of the login. A login by SAML is ended with it; one by OpenID Connect expires by itself, once the app has
    /// discarded its binding.
    public var error: RelyingPartyError {
        RelyingPartyError(self == .notOpened ? .appNotFound : .sessionExpired, in: .callback)
    }
}

extension RelyingPartyError {
    /// Returns the error of an `ErrorMessage`, with the values of the interface and of the releases of DigiD's app.
    static func digiD(message: String) -> RelyingPartyError {
        switch message {
        case "_by_user", "cancelled_by_user": RelyingPartyError(.cancelled, in: .callback)
        case "not_activated", "app_is_pending": RelyingPartyError(.notActivated, in: .callback)
        case "pin_blocked", "puk_blocked": RelyingPartyError(.pinBlocked, in: .callback)
        case "invalid_return_url": RelyingPartyError(.returnURLUnknown, in: .callback)
        case "timeout": RelyingPartyError(.tooOld, in: .callback)
        case "icon_missing":
            RelyingPartyError(.missingParameter("Icon"), in: .callback, remedy: .fixConfiguration)
        default:
            // A text that is not an error code must not be logged.
            ProviderErrorCode(message).map { RelyingPartyError(.providerError($0), in: .callback, remedy: .restart) }
                ?? RelyingPartyError(.invalidParameter("ErrorMessage"), in: .callback)
        }
    }

    /// Returns the error of a status (SAML 2.0 Core, 3.2.2.2).
    ///
    /// At the top level, `Requester` stands for a fault of the requester, and so of one service, and `Responder` for a fault of
    /// the provider, and so of all services.
    ///
    /// - Parameters:
    ///   - top: The last word of the top-level code.
    ///   - second: The last word of the second-level code.
    ///   - isInner: Whether the status is that of the response, and not that of the artifact resolution.
    ///   - isFirstInterface: Whether the interface is that up to 3.7.
    package static func digiD(
        top: String, second: String?, isInner: Bool, isFirstInterface: Bool
    ) -> RelyingPartyError {
        guard let code = ProviderErrorCode(second ?? top) else {
            return RelyingPartyError(.malformed, in: .artifactResponse)
        }
        func told(_ remedy: Remedy) -> RelyingPartyError {
            RelyingPartyError(.providerError(code), in: .artifactResponse, remedy: remedy)
        }
        switch (top, second) {
        case ("Responder", "AuthnFailed"): return RelyingPartyError(.cancelled, in: .artifactResponse)
        case ("Responder", "NoAuthnContext"): return RelyingPartyError(.acrTooLow, in: .artifactResponse)
        case ("Responder", "RequestDenied") where isInner && isFirstInterface:
            return RelyingPartyError(.switchedOff, in: .artifactResponse)
        case ("Requester", "RequestDenied") where isInner:
            return RelyingPartyError(.switchedOffForService, in: .artifactResponse)
        // The artifact was late, or it was resolved a second time: someone has to find out why.
        case ("Requester", "RequestDenied"): return told(.investigate)
        case ("Requester", _), ("VersionMismatch", _): return told(.fixConfiguration)
        default: return told(.tellUser)
        }
    }
}
