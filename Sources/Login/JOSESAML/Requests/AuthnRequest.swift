#if SAML
    internal import JOSEBytes
    internal import JOSECrypto
    package import JOSERelyingParty

    /// The two generations of DigiD's SAML interface.
    package enum SAMLGeneration: Sendable, Hashable {
        /// Until 3.7: the request is signed beside the message, and numbers are in the assertion in clear.
        case saml3
        /// After it: the request carries its signature, and numbers are encrypted.
        case saml4
    }

    /// A request to log a user in (SAML 2.0 Core, 3.4.1), as DigiD takes them. There is no way to make one that it refuses.
    package struct AuthnRequest: Sendable {
        /// Where the answer goes: never both, and an index leaves no room for a binding.
        package enum Consumer: Sendable, Hashable {
            case index(UInt16)
            case url(String)
        }
        /// What the login is for; with the later generation alone, which wants it.
        package enum Service: Sendable, Hashable {
            case index(UInt16)
            case audience(String, serviceUUID: String)
        }
        package struct Content: Sendable {
            package var generation: SAMLGeneration
            /// The entity ID of the service.
            package var issuer: String
            /// Where the request is sent: DigiD's app posts it there, and takes none without.
            package var destination: String
            package var consumer: Consumer
            /// The lowest level, in DigiD's words.
            package var classReference: String
            package var forceAuthn = false
            package var providerName: String?
            package var service: Service?
            /// The entity that the request is made for, where that is another.
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
        /// An answer must name it.
        package let id: String
        /// Two seconds before it was made: DigiD takes none from the future, by its own clock.
        package let issueInstant: Double

        /// Throws `configurationError` for what DigiD would refuse.
        package init(_ content: Content, now: Double) throws(RelyingPartyError.Reason) {
            guard content.isSendable, (0..<1e11).contains(now) else { throw .configurationError }
            self.content = content
            id = try MessageID.fresh()
            issueInstant = now.rounded(.down) - 2
            _ = try xml()
        }

        /// Without a signature: for the redirect binding, which signs the octets of its query.
        package func xml() throws(RelyingPartyError.Reason) -> [UInt8] { try written(nil).bytes() }

        /// The value of `SAMLRequest` (SAML 2.0 Bindings, 3.4.4.1) before it is percent-encoded.
        package func redirectValue() throws(RelyingPartyError.Reason) -> String {
            let xml = try xml()
            do throws(Deflate.Fault) {
                let deflated = try Deflate.deflate(xml.span)
                return deflated.withBytes { Base64.encode($0) }
            } catch {
                throw .internalFault
            }
        }

        /// With an enveloped signature: for the form of the later generation.
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
                // By the name alone: DigiD knows the certificate, and it would not fit into a link.
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
        /// One value of its name.
        mutating func element(attribute name: String, _ value: String) {
            element(.saml("Attribute"), [("Name", name)]) { $0.element(.saml("AttributeValue"), text: value) }
        }
    }
#endif
