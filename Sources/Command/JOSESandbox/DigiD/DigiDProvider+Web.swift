#if SAML
    internal import JOSE
    internal import JOSECrypto
    internal import JOSERelyingParty
    internal import JOSEDigiD
    internal import Synchronization

    /// The pages of DigiD's web site: a user logs in, and logs out.
    extension DigiDProvider {
        /// The question of a page of the web site to its user.
        enum WebTask: Sendable {
            case login(AuthenticationRequest, relayState: String?)
            case logout(DigiDSAML.LogoutRequest)
        }

        /// A page of the web site, which belongs to one browser.
        struct WebVisit: Sendable {
            let isLater: Bool
            let task: WebTask
            /// The digest of the browser's cookie.
            let browser: String
        }

        private static let cookie = "__Host-sandbox-web"

        /// Answers a request to the pages of the web site, or returns nil if it is for another page.
        func answerWeb(_ request: WebRequest) -> TransportResponse? {
            let address = "https://" + request.authority.lowercased() + request.path
            for one in saml {
                switch address {
                case one.signOn: return beginLogin(one, request)
                case one.logout: return beginLogout(one, request)
                default: continue
                }
            }
            switch request.path {
            case "/": return request.isRead ? sessionsPage() : .methodNotAllowed("GET")
            case "/saml/decision": return request.method == "POST" ? decideWeb(request) : .methodNotAllowed("POST")
            default: return nil
            }
        }

        /// The page of a request that DigiD cannot read or whose signature is invalid. Nothing returns to the service.
        static var unknownRequest: TransportResponse {
            .page("DigiD (sandbox): not found", status: 404, "<p role=\"alert\">This request is not known here.</p>")
        }

        private func beginLogin(_ saml: DigiDSAML, _ request: WebRequest) -> TransportResponse {
            let message: DigiDSAML.BrowserMessage
            let received: AuthenticationRequest
            do throws(RelyingPartyError.Reason) {
                message = try saml.message(request)
                received = try saml.request(message)
            } catch {
                return Self.unknownRequest
            }
            guard received.issueInstant <= now, now - received.issueInstant <= 300,
                received.consumerURL == saml.urls.consumer
            else { return Self.unknownRequest }
            let answers: [any WrongAnswer] = DigiDWebFault.allCases + DigiDSituations.resolution
            return show(
                .login(received, relayState: message.relayState), saml, "DigiD (sandbox): log in",
                asking: "who you are",
                """
                \(FormParts.people())
                \(FormParts.levels(Self.webLevels))
                \(FormParts.answers(answers))
                <p><button name="decision" value="approve">Log in</button>
                <button name="decision" value="refuse">Cancel</button></p>
                """)
        }

        private static let webLevels =
            [(DigiDLevel.basis, "a name and a password"), (.midden, "a text message besides")] + highLevels

        /// Returns a page of a task, with a form that its browser alone can submit.
        func show(_ task: WebTask, _ saml: DigiDSAML, _ title: String, asking question: String, _ fields: Markup)
            -> TransportResponse
        {
            let (id, browser) = (Randomness.text(), Randomness.text())
            let visit = WebVisit(isLater: saml.isLater, task: task, browser: Randomness.digest(browser))
            state.withLock { $0.webVisits.insert(visit, under: id, now: now) }
            return .page(
                title, formTargets: [saml.urls.consumer.origin],
                """
                <p>The service <strong>\(saml.service)</strong> asks \(question).</p>
                <form method="post" action="/saml/decision">
                <input type="hidden" name="visit" value="\(id)">
                \(fields)
                </form>
                """, [TransportHeaderField("Set-Cookie", WebCookie.text(Self.cookie, browser))])
        }

        private func decideWeb(_ request: WebRequest) -> TransportResponse {
            let now = now
            guard request.isFromOwnPages, let form = request.form, let id = form["visit"],
                let browser = request.cookie(Self.cookie).map(Randomness.digest),
                let visit = state.withLock({ $0.webVisits.value(id, now: now) }),
                Randomness.isSame(visit.browser, browser),
                state.withLock({ $0.webVisits.take(id, now: now) }) != nil,
                let saml = saml.first(where: { $0.isLater == visit.isLater })
            else { return refusal("This page was answered before, or is not yours, or has expired.") }
            do {
                switch visit.task {
                case .login(let received, let relayState):
                    return try decide(saml, received, relayState, form) ?? refusal("There is no such answer.")
                case .logout(let request):
                    return try decide(saml, request, form) ?? refusal("There is no such answer.")
                }
            } catch {
                return TransportResponse(status: 500)
            }
        }

        /// Redirects to the assertion consumer service with an artifact, also for a user who cancels.
        private func decide(
            _ saml: DigiDSAML, _ received: AuthenticationRequest, _ relayState: String?, _ form: FormFields
        ) throws -> TransportResponse? {
            let word = form["misbehaviour"] ?? ""
            let fault = DigiDWebFault.named(word)
            let situation = DigiDSituations.resolution.first { $0.name == word }
            guard let person = form.person, let level = Self.level(form["level"] ?? "substantieel"),
                word == "" || fault != nil || situation != nil
            else { return nil }
            var found = DigiDSAML.Artifact(request: received, person: person, level: level, situation: situation)
            found.isCancelled = form["decision"] != "approve"
            let source = fault == .otherSource ? "https://other.test/metadata" : nil
            let text = try saml.artifact(found, from: source, hasPlus: fault == .plus, now: now)
            let state = fault == .otherRelayState ? Randomness.text() : relayState
            var fields = FormFields()
            if fault != .missingArtifact { fields.add("SAMLart", text) }
            if fault == .doubledArtifact { fields.add("SAMLart", text) }
            if let state { fields.add("RelayState", state) }
            let app = DigiDReturn(artifact: text, relayState: state, errorMessage: nil).query
            switch fault {
            case .toTheApp: return .seeOther(saml.urls.app + "?" + app)
            case .appValue: return .seeOther(received.consumerURL + "?" + fields.encoded + "&" + app)
            case .plus:
                return .seeOther(received.consumerURL + "?" + fields.encoded.replacing("%2B", with: "+"))
            case .post: return Self.form(fields, to: received.consumerURL)
            default: return .seeOther(received.consumerURL + "?" + fields.encoded)
            }
        }

        /// Returns the page of a form that submits itself.
        static func form(_ fields: FormFields, to url: String) -> TransportResponse {
            let form = BrowserForm(
                url: url, fields: fields.items.map { ($0.name, $0.value) }, title: "Back to the service")
            return .form(form)
        }
    }
#endif
