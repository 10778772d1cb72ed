#if SAML
    package import JOSERelyingParty

    /// A request to end a user's session (SAML 2.0 Core, 3.7.1).
    package struct LogoutRequest: Sendable {
        /// The ID of the request, which the response must contain as `InResponseTo`.
        package let id: String
        private let issuer: String
        private let destination: String
        private let nameID: String
        private let issueInstant: Double

        /// Creates a request. Throws `configurationError` if a value cannot be sent.
        package init(
            of nameID: String, issuer: String, destination: String, now: Double
        ) throws(RelyingPartyError.Reason) {
            guard EntityID.isValid(issuer), EndpointURL.isValid(destination), nameID.isName, (0..<1e11).contains(now)
            else { throw .configurationError }
            self.issuer = issuer
            self.destination = destination
            self.nameID = nameID
            issueInstant = now.rounded(.down) - 2
            id = try MessageID.fresh()
        }

        /// Returns the message without a signature, for the redirect binding.
        package func xml() throws(RelyingPartyError.Reason) -> [UInt8] { try written(nil).bytes() }

        /// Returns the message with an enveloped signature.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let document = try written(key).document()
            try document.root.sign(with: key)
            return try document.write()
        }

        /// Returns the signed message in a SOAP envelope, as DigiD sends it, for a sandbox and for tests.
        package func envelope(signedWith key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            try SOAPEnvelope.signed(with: key) { write(to: &$0, key) }
        }

        private func written(_ key: SAMLKey?) -> XMLWriter {
            var writer = XMLWriter()
            write(to: &writer, key)
            return writer
        }

        /// Writes the message, which has no `SessionIndex`: it ends all sessions of the user.
        private func write(to writer: inout XMLWriter, _ key: SAMLKey?) {
            writer.element(
                .samlp("LogoutRequest"), declaring: [.samlp, .saml],
                [
                    ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(issueInstant)),
                    ("Destination", destination),
                ]
            ) { request in
                request.element(.saml("Issuer"), text: issuer)
                if let key { request.signature(of: id, by: key) }
                request.element(.saml("NameID"), text: nameID)
            }
        }
    }

    /// A response to a request to end a user's session (SAML 2.0 Core, 3.7.2).
    package struct LogoutResponse: Sendable {
        package var issuer: String
        package var destination: String?
        /// The ID of the request.
        package var requestID: String
        /// The status, as the last parts of the status URIs; nil for Success.
        package var status: (top: String, second: String?)?
        package var now: Double

        package init(to requestID: String, issuer: String, destination: String? = nil, now: Double) {
            self.requestID = requestID
            self.issuer = issuer
            self.destination = destination
            self.now = now
        }

        /// Returns the message without a signature, for the redirect binding.
        package func xml() throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            var writer = XMLWriter()
            write(to: &writer, id, nil)
            return try writer.bytes()
        }

        /// Returns the message with an enveloped signature.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            var writer = XMLWriter()
            write(to: &writer, id, key)
            let document = try writer.document()
            try document.root.sign(with: key)
            return try document.write()
        }

        /// Returns the signed message in a SOAP envelope.
        package func envelope(signedWith key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            return try SOAPEnvelope.signed(with: key) { write(to: &$0, id, key) }
        }

        private func write(to writer: inout XMLWriter, _ id: String, _ key: SAMLKey?) {
            writer.element(
                .samlp("LogoutResponse"), declaring: [.samlp, .saml],
                [
                    ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(now)), ("Destination", destination),
                    ("InResponseTo", requestID),
                ]
            ) { response in
                response.element(.saml("Issuer"), text: issuer)
                if let key { response.signature(of: id, by: key) }
                response.write(status: status)
            }
        }
    }
#endif
