#if SAML
    package import JOSERelyingParty

    /// An ArtifactResponse of an identity provider, for a sandbox and for tests. `text(signedWith:)` returns the
    /// message with empty signatures and cipher values, and `finished(_:with:)` fills them. A test can change the text
    /// in between.
    package struct ArtifactResponseMessage: Sendable {
        package var generation: SAMLGeneration
        package var issuer: String
        /// The entity ID of the service, for which the assertion is issued.
        package var audience: String
        package var consumerURL: String
        /// The ID of the ArtifactResolve to which the ArtifactResponse responds.
        package var resolveID: String
        /// The ID of the AuthnRequest to which the Response responds.
        package var requestID: String
        package var now: Double
        package var classReference: String
        /// The user's NameID, for DigiD's SAML interface up to version 3.7.
        package var nameID = ""
        /// The user's identifiers, for DigiD's SAML interface after version 3.7. Each is encrypted to every recipient.
        package var identifiers: [(qualifier: String, text: String)] = []
        /// The identifiers of the person on whose behalf the user acts, encrypted to every recipient; empty if the user
        /// acts for themselves.
        package var legalSubject: [(qualifier: String, text: String)] = []
        package var mandateServices: [String] = []
        /// The plaintext that is encrypted in place of the first NameID, as a faulty provider would do it; nil for the
        /// NameID itself.
        package var plaintext: [UInt8]?
        package var recipients: [(entityID: String, certificate: SAMLCertificate)] = []
        package var subjectLocality: String? = "127.0.0.1"
        package var signsAssertion = true
        /// The status of the ArtifactResponse, as the last parts of the status URIs; nil for Success.
        package var outerStatus: (top: String, second: String?)?
        /// The status of the Response, as the last parts of the status URIs; nil for Success.
        package var innerStatus: (top: String, second: String?)?
        /// Whether the ArtifactResponse contains no Response, as for an expired artifact.
        package var isEmpty = false

        package init(
            _ generation: SAMLGeneration, issuer: String, audience: String, consumerURL: String, resolveID: String,
            requestID: String, classReference: String, now: Double
        ) {
            self.generation = generation
            self.issuer = issuer
            self.audience = audience
            self.consumerURL = consumerURL
            self.resolveID = resolveID
            self.requestID = requestID
            self.classReference = classReference
            self.now = now
        }

        /// Returns the signed message in its SOAP envelope, which is the whole body of the HTTP response.
        package func envelope(signedWith key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            try finished(text(signedWith: key), with: key)
        }

        /// Fills the empty parts of a message: first the cipher values, then the assertion's signature, then the
        /// signature over the whole message.
        package func finished(_ text: [UInt8], with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let document = try XMLDocument(text)
            let response = try SOAPEnvelope.body(of: document)
            if let assertion = response.all(.samlp("Response")).first?.all(.saml("Assertion")).first {
                try encrypt(in: assertion)
                if !assertion.all(.ds("Signature")).isEmpty { try assertion.sign(with: key) }
            }
            try response.sign(with: key)
            return try document.write()
        }

        private func encrypt(in assertion: XMLElement) throws(RelyingPartyError.Reason) {
            let attributes = assertion.all(.saml("AttributeStatement")).flatMap { $0.all(.saml("Attribute")) }
                .flatMap { $0.all(.saml("AttributeValue")) }.flatMap { $0.all(.saml("EncryptedID")) }
            for (index, (attribute, identifier)) in zip(attributes, identifiers + legalSubject).enumerated() {
                var name = XMLWriter()
                name.element(.saml("NameID"), declaring: [.saml], [("NameQualifier", identifier.qualifier)]) {
                    $0.write(identifier.text)
                }
                var bytes = try name.bytes()
                if index == 0, let plaintext { bytes = plaintext }
                let keys = attribute.all(.xenc("EncryptedKey"))
                try attribute.one(.xenc("EncryptedData")).encrypt(
                    bytes, to: zip(keys, recipients).map { ($0, $1.certificate) })
            }
        }

        /// Returns the message in its SOAP envelope, with empty signatures and cipher values.
        package func text(signedWith key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let id = try MessageID.fresh()
            let inner = isEmpty || outerStatus != nil ? nil : try response(key)
            return try SOAPEnvelope.written { body in
                body.element(
                    .samlp("ArtifactResponse"), declaring: [.samlp, .saml, .ds],
                    [
                        ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(now)),
                        ("InResponseTo", resolveID),
                    ]
                ) { artifact in
                    artifact.element(.saml("Issuer"), text: issuer)
                    artifact.signature(of: id, by: key.certificate)
                    artifact.write(status: outerStatus)
                    if let inner { artifact.append(inner) }
                }
            }.bytes()
        }

        private func response(_ key: SAMLKey) throws(RelyingPartyError.Reason) -> XMLWriter {
            let id = try MessageID.fresh()
            let inner = innerStatus == nil ? try assertion(key) : nil
            var writer = XMLWriter()
            writer.element(
                .samlp("Response"),
                [
                    ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(now)), ("Destination", consumerURL),
                    ("InResponseTo", requestID),
                ]
            ) { response in
                response.element(.saml("Issuer"), text: issuer)
                response.write(status: innerStatus)
                if let inner { response.append(inner) }
            }
            return writer
        }
    }

    extension XMLWriter {
        mutating func write(status: (top: String, second: String?)?) {
            let words = "urn:oasis:names:tc:SAML:2.0:status:"
            element(.samlp("Status")) { element in
                element.element(.samlp("StatusCode"), [("Value", words + (status?.top ?? "Success"))]) { code in
                    if let second = status?.second { code.element(.samlp("StatusCode"), [("Value", words + second)]) }
                }
            }
        }
    }
#endif
