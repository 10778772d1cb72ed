#if SAML
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSEDigiD

    /// A logout that DigiD begins: it asks the service by SOAP to end the sessions of a user.
    extension DigiDProvider {
        /// The name of a user who is not known at the service.
        private static let strangerName = "s00000000:999999990"

        func sessionsPage() -> TransportResponse {
            .page(
                "DigiD (sandbox): sessions",
                """
                <p>DigiD asks the service to end the sessions of a user who logged in on the web page.</p>
                <form method="post" action="/end-sessions">
                \(FormParts.people())
                \(FormParts.answers(DigiDLogoutRequestFault.allCases))
                <p><button name="send" value="once">Ask</button> <button name="send" value="twice">Ask twice</button></p>
                </form>
                """)
        }

        /// Returns whether the request makes DigiD ask the service.
        func asksService(_ request: WebRequest) -> Bool {
            request.authority.lowercased() == web && request.path == "/end-sessions" && request.method == "POST"
        }

        /// Sends the request of a form to the service, and returns a page with what the service answered.
        func endSessions(_ request: WebRequest) async -> TransportResponse {
            guard request.isFromOwnPages, let form = request.form, let calls, let person = form.person,
                let fault = form.answer(of: DigiDLogoutRequestFault.self),
                let saml = saml.first(where: { !$0.isLater })
            else { return refusal("There is no such request.") }
            guard let message = try? logoutRequest(saml, person, fault) else { return TransportResponse(status: 500) }
            let transport = fault == .withoutCertificate ? calls.plain : calls.certified
            var rows: [Markup] = []
            for (index, word) in ["status", "again"].enumerated() where index == 0 || form["send"] == "twice" {
                var request = TransportRequest(url: saml.urls.logout)
                request.method = .post
                request.headers = [TransportHeaderField("Content-Type", "text/xml; charset=utf-8")]
                request.body = message.envelope
                request.deadline = .seconds(60)
                request.connectDeadline = .seconds(60)
                let response = try? await transport.send(request)
                let status = response.map { "\($0.status)" } ?? "none"
                let result = response.map { answer($0, saml, to: message.id) } ?? "none"
                rows.append(
                    """
                    <dt>Status</dt><dd id="\(word)">\(status)</dd><dt>Answer</dt><dd id="\(word)-answer">\(result)</dd>
                    """)
            }
            return .page("DigiD (sandbox): the service was asked", "<dl>\(rows)</dl>")
        }

        /// Returns a request in its envelope, with its ID.
        private func logoutRequest(
            _ saml: DigiDSAML, _ person: Person, _ fault: DigiDLogoutRequestFault?
        ) throws -> (id: String, envelope: [UInt8]) {
            let name = DigiDSAML.name(of: person)
            var values = DigiDText.LogoutRequest(
                id: try DigiDText.freshID(), issuer: saml.entityID, destination: saml.urls.logout, nameID: name,
                now: now)
            let key = fault == .strangersKey ? saml.stranger.saml : saml.key.saml
            func signed() throws -> [UInt8] {
                try DigiDText.signed(
                    DigiDText.envelope(DigiDText.logoutRequest(values, by: key)), by: key, isInEnvelope: true)
            }
            switch fault {
            case .otherIssuer: values.issuer = "https://other.test/metadata"
            case .otherDestination: values.destination = "https://other.test/logout"
            case .old: values.now -= 360
            case .tampered:
                values.nameID = Self.strangerName
                let text = String(decoding: try signed(), as: UTF8.self)
                return (values.id, Array(text.replacing(Self.strangerName, with: name).utf8))
            case .wrapped:
                var inner = values
                inner.id = try DigiDText.freshID()
                inner.nameID = Self.strangerName
                let text = Array(DigiDText.logoutRequest(inner, by: key).text.utf8)
                let content = String(decoding: try DigiDText.signed(text, by: key), as: UTF8.self)
                let outer = DigiDText.logoutRequest(values, by: nil, content: Markup(stringLiteral: content))
                return (values.id, DigiDText.envelope(outer))
            case .strangersKey, .withoutCertificate, nil: break
            }
            return (values.id, try signed())
        }

        /// Returns the status of the service's response, or what is wrong in it.
        private func answer(_ response: TransportResponse, _ saml: DigiDSAML, to id: String) -> String {
            guard response.status == 200 else { return "none" }
            do throws(RelyingPartyError.Reason) {
                let body = try XMLDocument(response.body).root.one(.soap("Body"))
                let message = try body.one(.samlp("LogoutResponse"))
                try saml.verify(message)
                guard message.attribute("InResponseTo") == id, try message.text(of: .saml("Issuer")) == saml.service,
                    let status = try message.one(.samlp("Status")).one(.samlp("StatusCode")).attribute("Value")
                else { return "malformed" }
                return status.split(separator: ":").last.map(String.init) ?? ""
            } catch {
                return error.code
            }
        }
    }
#endif
