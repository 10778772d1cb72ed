#if SAML
    internal import JOSESupport
    internal import JOSERelyingParty
    internal import JOSEDigiD

    /// The messages of the service that a browser delivers.
    extension DigiDSAML {
        /// A message of the service whose signature is valid.
        struct BrowserMessage {
            /// The value of `SAMLRequest`.
            let text: String
            let xml: [UInt8]
            let relayState: String?
        }

        /// A request of the service to end a user's session.
        struct LogoutRequest: Sendable {
            let id: String
            let relayState: String?
            /// The name of the session.
            let name: String
        }

        /// Returns a request of the service, whose signature was verified: by HTTP-POST in the later generation (SAML
        /// 2.0 Bindings, 3.5), and by HTTP-Redirect in the other one (3.4).
        func message(_ request: WebRequest) throws(RelyingPartyError.Reason) -> BrowserMessage {
            guard let fields = isLater ? request.form : request.query, fields.repeated == nil,
                request.isRead != isLater, let text = fields["SAMLRequest"]
            else { throw .malformed }
            if isLater {
                guard let xml = Base64.decode(Array(text.utf8)) else { throw .malformed }
                try verify(try XMLDocument(xml).root)
                return BrowserMessage(text: text, xml: xml, relayState: fields["RelayState"])
            }
            guard let signature = fields["Signature"], fields["SigAlg"] == RedirectSignature.algorithm else {
                throw .algorithmNotAllowed
            }
            // The signature covers the octets that were sent, in this order.
            let pairs = request.rawQuery.split(separator: "&")
            let signed = ["SAMLRequest=", "RelayState=", "SigAlg="].compactMap { name in
                pairs.first { $0.hasPrefix(name) }
            }
            try verify(RedirectSignature(octets: Array(signed.joined(separator: "&").utf8)), signature)
            return BrowserMessage(text: text, xml: try DigiDRequestText.read(text), relayState: fields["RelayState"])
        }

        /// Returns a request of the service to end a user's session. The name of the session is that of a login, and
        /// there is no `SessionIndex`.
        func logoutRequest(_ request: WebRequest, now: Double) throws(RelyingPartyError.Reason) -> LogoutRequest {
            let message = try message(request)
            let root = try XMLDocument(message.xml).root
            guard root.has(.samlp("LogoutRequest")), root.attribute("Version") == "2.0",
                root.attribute("Destination") == logout, try root.text(of: .saml("Issuer")) == service,
                root.all(.samlp("SessionIndex")).isEmpty, let id = root.attribute("ID"),
                let name = try root.text(of: .saml("NameID")), hasSession(name, now: now),
                let issued = root.attribute("IssueInstant").flatMap(XMLTime.seconds), issued <= now, now - issued <= 300
            else { throw .malformed }
            return LogoutRequest(id: id, relayState: message.relayState, name: name)
        }
    }
#endif
