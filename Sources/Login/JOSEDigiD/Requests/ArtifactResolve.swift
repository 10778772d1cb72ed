#if SAML
    package import JOSE
    package import JOSERelyingParty

    /// A request to resolve an artifact (SAML 2.0 Core, 3.5.1), sent in SOAP 1.1.
    package struct ArtifactResolve: Sendable {
        /// The ID of the request, which the response must contain as `InResponseTo`.
        package let id: String
        private let issuer: String
        private let destination: String?
        private let artifact: String
        private let issueInstant: Double

        /// Creates a request. Throws `configurationError` if a value cannot be sent.
        package init(
            _ artifact: String, issuer: String, destination: String? = nil, now: Double
        ) throws(RelyingPartyError.Reason) {
            guard EntityID.isValid(issuer), destination.map(EndpointURL.isValid) ?? true, artifact.isName,
                (0..<1e11).contains(now)
            else { throw .configurationError }
            self.issuer = issuer
            self.destination = destination
            self.artifact = artifact
            issueInstant = now.rounded(.down) - 2
            id = try MessageID.fresh()
        }

        /// Returns the request with a signature to fill, in its SOAP envelope, which is the whole body to send as
        /// `text/xml`.
        package func draft(for certificate: Certificate) throws(RelyingPartyError.Reason) -> SAMLDraft {
            try SAMLDraft { body in
                body.element(
                    .samlp("ArtifactResolve"), declaring: [.samlp, .saml],
                    [
                        ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(issueInstant)),
                        ("Destination", destination),
                    ]
                ) { resolve in
                    resolve.element(.saml("Issuer"), text: issuer)
                    resolve.signature(of: id, by: certificate)
                    resolve.element(.samlp("Artifact"), text: artifact)
                }
            }
        }
    }

    /// A SOAP 1.1 envelope with one message in its body.
    enum SOAPEnvelope {
        static func written(_ content: (inout XMLWriter) -> Void) -> XMLWriter {
            var writer = XMLWriter()
            writer.element(.soap("Envelope"), declaring: [.soap]) { $0.element(.soap("Body")) { content(&$0) } }
            return writer
        }

        /// Returns the only element of the body. Throws `malformed` if there is none, or if there are several.
        static func body(of document: XMLDocument) throws(RelyingPartyError.Reason) -> XMLElement {
            let envelope = document.root
            guard envelope.has(.soap("Envelope")) else { throw .malformed }
            let parts = envelope.children
            guard parts.last?.has(.soap("Body")) ?? false,
                parts.count == 1 || (parts.count == 2 && parts[0].has(.soap("Header"))),
                let content = parts.last?.children, content.count == 1
            else { throw .malformed }
            return content[0]
        }
    }
#endif
