public import JOSERelyingParty

/// The reason why a login with DigiD failed, as DigiD's functional description defines it in sections 5.1 to 5.10.
package enum DigiDSituation: Hashable, CaseIterable, Sendable {
    /// DigiD's app is not installed, or the link did not open it (DigiD's functional description, 5.1).
    case appNotFound
    /// DigiD's app is installed, but not activated (DigiD's functional description, 5.2).
    case notActivated
    /// The login did not reach the required level of assurance (DigiD's functional description, 5.3).
    case levelTooLow
    /// Logins with DigiD's app are switched off for all services (DigiD's functional description, 5.4).
    case switchedOff
    /// Logins from this service's app are switched off (DigiD's functional description, 5.5).
    case switchedOffForService
    /// The return URL is not registered with DigiD (DigiD's functional description, 5.6). DigiD's app reports this in
    /// one of its releases; in all others it does not return.
    case returnURLUnknown
    /// The user entered three wrong PINs, and DigiD has deactivated the app (DigiD's functional description, 5.7).
    case pinBlocked
    /// The user cancelled the login (DigiD's functional description, 5.8).
    case cancelled
    /// DigiD's app did not return within 15 minutes, as measured by the service's own timer (DigiD's functional
    /// description, 5.9).
    case sessionExpired
    /// Any other error (DigiD's functional description, 5.10).
    case technicalFault

    /// Creates the situation that corresponds to an error.
    ///
    /// - Parameter error: The error of a login with DigiD.
    package init(_ error: RelyingPartyError) {
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

    /// The reaction of the service's app to this situation.
    package var advice: DigiDAdvice {
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

/// The reaction of the service's app to a login that failed, by DigiD's functional description, sections 5.1 to 5.10.
/// `RelyingPartyError.reason` is the reason of the failure. Whatever the reason, the service ends its local session at
/// once.
public enum DigiDAdvice: Sendable {
    /// The service's app shows where to get DigiD's app, and offers a login on DigiD's web page.
    case offerApp
    /// The service's app explains that DigiD's app must be activated, or activated again.
    case explainActivation
    /// The service's app explains which level of assurance is required, and how to reach it.
    case explainLevel
    /// The service's app shows DigiD's generic message, and offers another way to log in.
    case offerAnotherWay
    /// The service's app returns to its login page, and says that the user cancelled.
    case tellCancelled
    /// The service's app says that the login took too long, and offers a new one.
    case offerAgain
    /// The service's app shows DigiD's generic message, and the operator of the service checks its configuration.
    case showFault

    /// Creates the reaction to the error of a login with DigiD.
    ///
    /// - Parameter error: The error of the login.
    public init(_ error: RelyingPartyError) { self = DigiDSituation(error).advice }
}

/// A failure of DigiD's app to respond, as the service's app observes it.
public enum DigiDTimeout: Sendable {
    /// The link did not open DigiD's app.
    case notOpened
    /// DigiD's app did not return within 15 minutes.
    case noAnswer

    /// The error with which the login ends. A login by SAML must be ended with
    /// `DigiDRelyingParty.endLogin(_:binding:)`. A login by OpenID Connect expires by itself, once the app has
    /// discarded its binding.
    package var error: RelyingPartyError {
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
            RelyingPartyError(.missingParameter("Icon"), in: .callback, action: .fixConfiguration)
        default:
            // A text that is not an error code must not be logged.
            ProviderErrorCode(message).map { RelyingPartyError(.providerError($0), in: .callback, action: .restart) }
                ?? RelyingPartyError(.invalidParameter("ErrorMessage"), in: .callback)
        }
    }

    /// Returns the error that a SAML status stands for (SAML 2.0 Core, 3.2.2.2).
    ///
    /// The top-level code `Requester` means that the requester is at fault, so that one service is affected.
    /// `Responder` means that the provider is at fault, so that all services are affected.
    ///
    /// - Parameters:
    ///   - top: The part of the top-level status code after its last colon.
    ///   - second: The part of the second-level status code after its last colon; nil if there is none.
    ///   - isInner: Whether the status is that of the Response, and not that of the ArtifactResponse that contains it.
    ///   - isFirstInterface: Whether the login uses DigiD's SAML interface up to version 3.7.
    ///   - step: The step in which the status was received.
    package static func digiD(
        top: String, second: String?, isInner: Bool, isFirstInterface: Bool, in step: LoginStep = .artifactResponse
    ) -> RelyingPartyError {
        guard let code = ProviderErrorCode(second ?? top) else {
            return RelyingPartyError(.malformed, in: step)
        }
        func told(_ action: RelyingPartyError.Action) -> RelyingPartyError {
            RelyingPartyError(.providerError(code), in: step, action: action)
        }
        switch (top, second) {
        case ("Responder", "AuthnFailed"): return RelyingPartyError(.cancelled, in: step)
        case ("Responder", "NoAuthnContext"): return RelyingPartyError(.acrTooLow, in: step)
        case ("Responder", "RequestDenied") where isInner && isFirstInterface:
            return RelyingPartyError(.switchedOff, in: step)
        case ("Requester", "RequestDenied") where isInner:
            return RelyingPartyError(.switchedOffForService, in: step)
        // The artifact was late, or it was resolved a second time: someone has to find out why.
        case ("Requester", "RequestDenied"): return told(.investigate)
        case ("Requester", _), ("VersionMismatch", _): return told(.fixConfiguration)
        default: return told(.tellUser)
        }
    }
}
