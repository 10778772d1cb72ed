internal import JOSE
internal import JOSEDigiD
internal import JOSEKeySets
internal import JOSERelyingParty
internal import Synchronization

extension DigiDProvider {
    /// A login request of the service by SAML.
    struct AuthenticationRequest: Sendable {
        let id: String
        let level: DigiDLevel
        /// The time of issue in seconds since 1970.
        let issueInstant: Double
        /// The URL of the assertion consumer service that the request selects by its index.
        let consumerURL: String
    }

    /// A SAML login at the page that stands for the app.
    struct AppLogin: Sendable {
        let isLater: Bool
        let request: AuthenticationRequest
        let relayState: String?
        var returnURL: String
    }

    /// Redirects to the service's app by its link, with the parameters of either interface.
    private func back(_ login: AppLogin, artifact: String? = nil, message: String? = nil) -> TransportResponse {
        let answer = DigiDReturn(artifact: artifact, relayState: login.relayState, errorMessage: message)
        return .seeOther(login.returnURL + "?" + answer.query)
    }

    func cancelled(_ login: AppLogin) -> TransportResponse {
        back(login, message: login.isLater ? "cancelled_by_user" : "_by_user")
    }

    /// Answers that DigiD has deactivated the app (situation 5.7).
    func blocked(_ login: AppLogin) -> TransportResponse { back(login, message: "pin_blocked") }

    #if SAML
        /// Answers the link that a service's app has opened.
        func answerAppLink(_ request: WebRequest) -> TransportResponse {
            let asked: DigiDAppRequest
            do throws(RelyingPartyError.Reason) {
                asked = try DigiDAppRequest(link: "https://" + app + "/digid-app?" + request.rawQuery)
            } catch {
                return refusal("The app cannot read this link.")
            }
            guard let saml = saml.first(where: { $0.isLater == (asked.signature == nil) }) else {
                return refusal("The app cannot read this link.")
            }
            // Nothing is sent to an address that is not registered, byte for byte (situation 5.6).
            guard asked.returnURL == saml.urls.app else { return refusal(Self.returnURLUnknown) }
            let received: AuthenticationRequest
            do throws(RelyingPartyError.Reason) { received = try saml.request(asked) } catch {
                return refusal("The request is not one of a service that is known here.")
            }
            let login = AppLogin(
                isLater: saml.isLater, request: received, relayState: asked.relayState, returnURL: asked.returnURL)
            switch DigiDFreshness(of: received.issueInstant, at: now) {
            case .old: return back(login, message: "timeout")
            case .ahead: return refusal("The request is from the future.")
            case .fresh: break
            }
            let id = Randomness.text()
            state.withLock { $0.visits.insert(Visit(parameters: FormFields(), login: login), under: id, now: now) }
            return present(id, request)
        }

        func approve(_ asked: AppLogin, _ form: FormFields) -> TransportResponse {
            var login = asked
            guard let situation = form.answer(of: DigiDSituations.self), let person = form.person,
                let level = Self.level(form["level"] ?? "substantieel"), level > .basis,
                let saml = saml.first(where: { $0.isLater == login.isLater })
            else { return refusal("There is no such answer.") }
            if form["opens"] == "browser" { login.returnURL = saml.urls.page }
            switch situation {
            case .notFound: return Self.notFound
            case .silence: return Self.silence
            case .returnURLUnknown: return refusal(Self.returnURLUnknown)
            case .returnURLTold: return back(login, message: "invalid_return_url")
            case .notActivated: return back(login, message: "not_activated")
            case .fault: return back(login, message: "internal_error")
            default: break
            }
            let found = DigiDSAML.Artifact(
                request: login.request, person: person, level: level, situation: situation)
            guard let text = try? saml.artifact(found, now: now) else { return TransportResponse(status: 500) }
            guard situation == .toThePage else { return back(login, artifact: text) }
            var fields = FormFields()
            fields.add("SAMLart", text)
            if let state = login.relayState { fields.add("RelayState", state) }
            return .seeOther(saml.urls.consumer + "?" + fields.encoded)
        }
    #endif
}
