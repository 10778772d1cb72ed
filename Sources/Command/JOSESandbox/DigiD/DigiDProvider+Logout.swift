#if SAML
    internal import JOSESupport
    internal import JOSERelyingParty
    internal import JOSEDigiD

    /// A logout that a service began: DigiD asks the user, and answers.
    extension DigiDProvider {
        func beginLogout(_ saml: DigiDSAML, _ request: WebRequest) -> TransportResponse {
            let received: DigiDSAML.LogoutRequest
            do throws(RelyingPartyError.Reason) { received = try saml.logoutRequest(request, now: now) } catch {
                return Self.unknownRequest
            }
            return show(
                .logout(received), saml, "DigiD (sandbox): log out", asking: "to log you out",
                """
                \(FormParts.answers(DigiDLogoutFault.allCases))
                <p><button name="decision" value="logout">Log out</button>
                <button name="decision" value="partial">Log out, but not at every service</button>
                <button name="decision" value="stay">Stay logged in</button></p>
                """)
        }

        /// Returns to the service with the response to its request, or returns nil if the form has no such answer.
        func decide(
            _ saml: DigiDSAML, _ request: DigiDSAML.LogoutRequest, _ form: FormFields
        ) throws -> TransportResponse? {
            guard let fault = form.answer(of: DigiDLogoutFault.self) else { return nil }
            var values = DigiDText.LogoutResponse(
                issuer: saml.entityID, destination: saml.urls.loggedOut, requestID: request.id, now: now)
            switch form["decision"] {
            case "logout": saml.endSession(request.name, now: now)
            case "partial":
                saml.endSession(request.name, now: now)
                values.status = ("Responder", "PartialLogout")
            case "stay": values.status = ("Responder", "RequestDenied")
            default: return nil
            }
            switch fault {
            case .otherIssuer: values.issuer = "https://other.test/metadata"
            case .otherDestination: values.destination = "https://other.test/logged-out"
            case .otherRequest: values.requestID = "_" + Randomness.uuid()
            case .old: values.now -= 360
            case .future: values.now += 60
            case .otherStatus: values.status = ("Requester", nil)
            case .emptyDestination: values.destination = ""
            case .noDestination: values.destination = nil
            case .strangersKey, .tampered, nil: break
            }
            let key = fault == .strangersKey ? saml.stranger : saml.key
            let relayState = fault == .tampered ? "changed" : request.relayState
            return saml.isLater
                ? try posted(values, key, saml, request, fault)
                : try redirected(values, key, saml, request.relayState, sentAs: relayState)
        }

        /// Returns the response by HTTP-Redirect: the signature covers the query.
        private func redirected(
            _ values: DigiDText.LogoutResponse, _ key: DigiDKey, _ saml: DigiDSAML, _ relayState: String?,
            sentAs sent: String?
        ) throws -> TransportResponse {
            let xml = Array(try DigiDText.logoutResponse(values, by: nil).text.utf8)
            let message = try DigiDRequestText.write(xml)
            func query(_ relayState: String?) -> FormFields {
                var fields = FormFields()
                fields.add("SAMLResponse", message)
                if let relayState { fields.add("RelayState", relayState) }
                fields.add("SigAlg", RedirectSignature.algorithm)
                return fields
            }
            var fields = query(sent)
            fields.add("Signature", try key.sign(query: query(relayState).encoded))
            return .seeOther(saml.urls.loggedOut + "?" + fields.encoded)
        }

        /// Returns the response by HTTP-POST, with an enveloped signature.
        private func posted(
            _ values: DigiDText.LogoutResponse, _ key: DigiDKey, _ saml: DigiDSAML,
            _ request: DigiDSAML.LogoutRequest, _ fault: DigiDLogoutFault?
        ) throws -> TransportResponse {
            let text = Array(try DigiDText.logoutResponse(values, by: key.saml).text.utf8)
            var xml = try DigiDText.signed(text, by: key.saml)
            if fault == .tampered {
                let text = String(decoding: xml, as: UTF8.self)
                xml = Array(text.replacing(request.id, with: "_" + Randomness.uuid()).utf8)
            }
            var fields = FormFields()
            fields.add("SAMLResponse", Base64.encode(xml.span))
            if let relayState = request.relayState { fields.add("RelayState", relayState) }
            return Self.form(fields, to: saml.urls.loggedOut)
        }
    }
#endif
