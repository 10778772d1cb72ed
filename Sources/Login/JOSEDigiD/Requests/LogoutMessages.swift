#if SAML
    package import JOSE
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

        /// Returns the message with an enveloped signature to fill.
        package func draft(for certificate: Certificate) throws(RelyingPartyError.Reason) -> SAMLDraft {
            try SAMLDraft(written(certificate))
        }

        /// Returns the signed message in a SOAP envelope, as DigiD sends it, for a sandbox and for tests.
        package func envelope(signedWith key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            try SAMLDraft { write(to: &$0, key.certificate) }.signed(with: key)
        }

        private func written(_ certificate: Certificate?) -> XMLWriter {
            var writer = XMLWriter()
            write(to: &writer, certificate)
            return writer
        }

        /// Writes the message, which has no `SessionIndex`: it ends all sessions of the user.
        private func write(to writer: inout XMLWriter, _ certificate: Certificate?) {
            writer.element(
                .samlp("LogoutRequest"), declaring: [.samlp, .saml],
                [
                    ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(issueInstant)),
                    ("Destination", destination),
                ]
            ) { request in
                request.element(.saml("Issuer"), text: issuer)
                if let certificate { request.signature(of: id, by: certificate) }
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

        /// Returns the message with an enveloped signature, as DigiD sends it, for a sandbox and for tests.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            var writer = XMLWriter()
            write(to: &writer, id, key.certificate)
            return try SAMLDraft(writer).signed(with: key)
        }

        /// Returns the message with a signature to fill, in a SOAP envelope.
        package func envelope(for certificate: Certificate) throws(RelyingPartyError.Reason) -> SAMLDraft {
            let id = try MessageID.fresh()
            return try SAMLDraft { write(to: &$0, id, certificate) }
        }

        private func write(to writer: inout XMLWriter, _ id: String, _ certificate: Certificate?) {
            writer.element(
                .samlp("LogoutResponse"), declaring: [.samlp, .saml],
                [
                    ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(now)), ("Destination", destination),
                    ("InResponseTo", requestID),
                ]
            ) { response in
                response.element(.saml("Issuer"), text: issuer)
                if let certificate { response.signature(of: id, by: certificate) }
                response.write(status: status)
            }
        }
    }
#endif
