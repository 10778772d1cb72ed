#if SAML
    package import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    package import JOSERelyingParty

    /// A version of DigiD's SAML interface.
    package enum SAMLGeneration: Sendable, Hashable {
        /// DigiD's SAML interface up to version 3.7: the signature of a request is outside its XML, and the
        /// identification numbers in an assertion are not encrypted.
        case saml3
        /// DigiD's SAML interface after version 3.7: a request contains its signature, and the identification numbers
        /// in an assertion are encrypted to the service.
        case saml4
    }

    /// A login request (AuthnRequest) as DigiD accepts it (SAML 2.0 Core, 3.4.1). A request that DigiD would reject
    /// cannot be created.
    package struct AuthnRequest: Sendable {
        /// The assertion consumer service that receives the response. A request contains its index or its URL, and a
        /// `ProtocolBinding` only with the URL.
        package enum Consumer: Sendable, Hashable {
            case index(UInt16)
            case url(String)
        }
        /// The service for which the user logs in. It is required in DigiD's SAML interface after version 3.7, and does
        /// not exist up to that version.
        package enum Service: Sendable, Hashable {
            case index(UInt16)
            case audience(String, serviceUUID: String)
        }
        package struct Content: Sendable {
            package var generation: SAMLGeneration
            /// The entity ID of the service, which is the issuer of the request.
            package var issuer: String
            /// The URL of DigiD's endpoint for login requests. DigiD's app sends the request there, and accepts no
            /// request without this URL.
            package var destination: String
            package var consumer: Consumer
            /// The lowest accepted level of assurance, as the URI of an authentication context class.
            package var classReference: String
            package var forceAuthn = false
            package var providerName: String?
            package var service: Service?
            /// The entity ID of the party on whose behalf the request is made (`RequesterID`); nil if that is the
            /// issuer.
            package var requesterID: String?

            package init(
                _ generation: SAMLGeneration, issuer: String, destination: String, consumer: Consumer,
                classReference: String
            ) {
                self.generation = generation
                self.issuer = issuer
                self.destination = destination
                self.consumer = consumer
                self.classReference = classReference
            }
        }

        package let content: Content
        /// The ID of the request, which the response must contain as `InResponseTo`.
        package let id: String
        /// The time of issue in seconds since 1970: two seconds before the request was created, because DigiD rejects a
        /// request whose time of issue is later than DigiD's own time.
        package let issueInstant: Double

        /// Creates a request. Throws `configurationError` if DigiD would reject one of the values.
        package init(_ content: Content, now: Double) throws(RelyingPartyError.Reason) {
            guard content.isSendable, (0..<1e11).contains(now) else { throw .configurationError }
            self.content = content
            id = try MessageID.fresh()
            issueInstant = now.rounded(.down) - 2
            _ = try xml()
        }

        /// Returns the message without a signature, for the redirect binding, in which the octets of the query are
        /// signed.
        package func xml() throws(RelyingPartyError.Reason) -> [UInt8] { try written(nil).bytes() }

        /// Returns the value of `SAMLRequest` before percent-encoding (SAML 2.0 Bindings, 3.4.4.1).
        package func redirectValue() throws(RelyingPartyError.Reason) -> String {
            try DigiDRequestText.write(try xml())
        }

        /// Returns the message with an enveloped signature to fill, as DigiD's SAML interface after version 3.7
        /// requires.
        package func draft(for certificate: Certificate) throws(RelyingPartyError.Reason) -> SAMLDraft {
            try SAMLDraft(written(certificate))
        }

        private func written(_ certificate: Certificate?) -> XMLWriter {
            var writer = XMLWriter()
            var attributes: [(String, String?)] = [
                ("ID", id), ("Version", "2.0"), ("IssueInstant", XMLTime.text(issueInstant)),
                ("Destination", content.destination), ("ForceAuthn", content.forceAuthn ? "true" : nil),
                ("ProviderName", content.providerName),
            ]
            switch content.consumer {
            case .index(let index): attributes.append(("AssertionConsumerServiceIndex", "\(index)"))
            case .url(let url):
                attributes.append(("AssertionConsumerServiceURL", url))
                attributes.append(("ProtocolBinding", SAMLNames.artifactBinding))
            }
            if case .index(let index)? = content.service {
                attributes.append(("AttributeConsumingServiceIndex", "\(index)"))
            }
            writer.element(.samlp("AuthnRequest"), declaring: [.samlp, .saml], attributes) { request in
                request.element(.saml("Issuer"), text: content.issuer)
                // The signature names its key without the certificate: DigiD knows the certificate, which would not fit
                // into a link.
                if let certificate { request.signature(of: id, by: certificate, showsCertificate: false) }
                if case .audience(let audience, let uuid)? = content.service {
                    request.element(.samlp("Extensions")) { extensions in
                        extensions.element(attribute: SAMLNames.intendedAudience, audience)
                        extensions.element(attribute: SAMLNames.serviceUUID, uuid)
                    }
                }
                request.element(.samlp("RequestedAuthnContext"), [("Comparison", "minimum")]) {
                    $0.element(.saml("AuthnContextClassRef"), text: content.classReference)
                }
                if let requester = content.requesterID {
                    request.element(.samlp("Scoping")) { $0.element(.samlp("RequesterID"), text: requester) }
                }
            }
            return writer
        }
    }

    extension AuthnRequest.Content {
        fileprivate var isSendable: Bool {
            guard EntityID.isValid(issuer), EndpointURL.isValid(destination), classReference.isName else {
                return false
            }
            if case .url(let url) = consumer, !EndpointURL.isValid(url) { return false }
            guard providerName.map({ (1...200).contains($0.utf8.count) }) ?? true,
                requesterID.map(EntityID.isValid) ?? true
            else { return false }
            switch service {
            case nil: return generation == .saml3
            case .index: return generation == .saml4
            case .audience(let audience, let uuid):
                return generation == .saml4 && EntityID.isValid(audience) && uuid.isName
            }
        }
    }

    extension XMLWriter {
        /// Writes an attribute with a single value.
        mutating func element(attribute name: String, _ value: String) {
            element(.saml("Attribute"), [("Name", name)]) { $0.element(.saml("AttributeValue"), text: value) }
        }
    }
#endif
