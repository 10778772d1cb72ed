/// Why a user is not logged in with DigiD, as its functional description has them (5.1 to 5.10), and what the service's app does. In each the local
/// session is ended at once.
public enum DigiDSituation: Hashable, CaseIterable, Sendable {
    /// 5.1: DigiD's app is not there, or its link did not open it.
    case appNotFound
    /// 5.2: it is there, and not activated.
    case notActivated
    /// 5.3: the level that was asked for was not reached.
    case levelTooLow
    /// 5.4: logins with the app are off, for everybody.
    case switchedOff
    /// 5.5: logins from this service's app are off.
    case switchedOffForService
    /// 5.6: DigiD does not know the return URL; nothing comes back, but for what a release of its app says.
    case returnURLUnknown
    /// 5.7: three wrong PINs: DigiD has deactivated the app.
    case pinBlocked
    /// 5.8: the user went back.
    case cancelled
    /// 5.9: a quarter of an hour in silence, by the service's own timer.
    case sessionExpired
    /// 5.10: all else.
    case technicalFault

    /// Which one an error is.
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

    /// What the service's app does.
    public enum Advice: Sendable {
        /// Shows where DigiD's app is to be had, and offers DigiD's web page.
        case offerApp
        /// Says that the app is activated first, or anew, in DigiD's app.
        case explainActivation
        /// Says which level is wanted, and how it is reached.
        case explainLevel
        /// Shows DigiD's generic message, and offers another way in.
        case offerAnotherWay
        /// Goes back to the page of logins, and says that the user went back.
        case tellCancelled
        /// Says that the login took too long, and offers a new one.
        case offerAgain
        /// Shows DigiD's generic message; a person of the service looks at its settings.
        case showFault
    }
    /// What the service's app does.
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

/// What the service's app saw itself, when DigiD's said nothing.
public enum DigiDTimeout: Sendable {
    /// The link did not open DigiD's app.
    case notOpened
    /// Nothing came back in a quarter of an hour.
    case noAnswer

    /// What it is called. A login by SAML is ended with it; one by OpenID Connect runs out by itself, once the app has let its binding go.
    public var error: RelyingPartyError {
        RelyingPartyError(self == .notOpened ? .appNotFound : .sessionExpired, in: .callback)
    }
}

extension RelyingPartyError {
    /// Of an `ErrorMessage`, in the words of the interface and of DigiD's releases.
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
            // Texts that are no code are not for a log.
            ProviderErrorCode(message).map { RelyingPartyError(.providerError($0), in: .callback, remedy: .restart) }
                ?? RelyingPartyError(.invalidParameter("ErrorMessage"), in: .callback)
        }
    }

    /// Of a status (SAML 2.0 Core, 3.2.2.2): the last words of both its codes. `isInner`: of the response, and not of the artifact's
    /// resolution. At the top level `Requester` is a fault of who asks, and so of one service, `Responder` of who answers, and so for all.
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
        // Late, or a second time: somebody looks why.
        case ("Requester", "RequestDenied"): return told(.investigate)
        case ("Requester", _), ("VersionMismatch", _): return told(.fixConfiguration)
        default: return told(.tellUser)
        }
    }
}
