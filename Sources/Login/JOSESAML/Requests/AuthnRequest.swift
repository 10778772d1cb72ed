#if SAML
    internal import JOSEBytes
    internal import JOSECrypto
    package import JOSERelyingParty

    /// A generation of DigiD's SAML interface.
    package enum SAMLGeneration: Sendable, Hashable {
        /// The interface up to 3.7: the request is signed beside the message, and numbers are in the assertion in clear.
        case saml3
        /// The interface after 3.7: the request contains its signature, and numbers are encrypted.
        case saml4
    }

    /// A login request as DigiD accepts it (SAML 2.0 Core, 3.4.1). A request that DigiD would reject cannot be created.
    package struct AuthnRequest: Sendable {
        /// The assertion consumer service that receives the response, by its index or its URL. The two exclude each other, and an
        /// index excludes a binding.
        package enum Consumer: Sendable, Hashable {
            case index(UInt16)
            case url(String)
        }
        /// The service for which the user logs in. The later generation requires it, and the earlier one has none.
        package enum Service: Sendable, Hashable {
            case index(UInt16)
            case audience(String, serviceUUID: String)
        }
        package struct Content: Sendable {
            package var generation: SAMLGeneration
            /// The entity ID of the service.
            package var issuer: String
            /// The URL that receives the request. DigiD's app posts it there, and accepts no request without it.
            package var destination: String
            package var consumer: Consumer
            /// The lowest accepted level, as an authentication context class.
            package var classReference: String
            package var forceAuthn = false
            package var providerName: String?
            package var service: Service?
            /// The entity ID of the party for which the request is made, if it is not the issuer.
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
        /// The time of issue in seconds since 1970: two seconds before the request was created, because DigiD rejects requests
        /// from the future by its own clock.
        package let issueInstant: Double

        /// Creates a request. Throws `configurationError` for values that DigiD would reject.
        package init(_ content: Content, now: Double) throws(RelyingPartyError.Reason) {
            guard content.isSendable, (0..<1e11).contains(now) else { throw .configurationError }
            self.content = content
            id = try MessageID.fresh()
            issueInstant = now.rounded(.down) - 2
            _ = try xml()
        }

        /// Returns the message without a signature, for the redirect binding, which signs the octets of the query.
        package func xml() throws(RelyingPartyError.Reason) -> [UInt8] { try written(nil).bytes() }

        /// Returns the value of `SAMLRequest` before percent-encoding (SAML 2.0 Bindings, 3.4.4.1).
        package func redirectValue() throws(RelyingPartyError.Reason) -> String {
            let xml = try xml()
            do throws(Deflate.Fault) {
                let deflated = try Deflate.deflate(xml.span)
                return deflated.withBytes { Base64.encode($0) }
            } catch {
                throw .internalFault
            }
        }

        /// Returns the message with an enveloped signature, as the later generation requires it.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            let document = try written(key).document()
            try document.root.sign(with: key)
            return try document.write()
        }

        private func written(_ key: SAMLKey?) -> XMLWriter {
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
                // The signature names its key without the certificate: DigiD knows the certificate, which would not fit into a
                // link.
                if let key { request.signature(of: id, by: key, showsCertificate: false) }
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
