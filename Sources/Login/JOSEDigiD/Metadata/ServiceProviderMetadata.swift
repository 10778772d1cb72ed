#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSERelyingParty

    /// The SAML metadata with which a service is registered at DigiD. The document is signed, and has no
    /// `cacheDuration`.
    public struct ServiceProviderMetadata: Sendable {
        /// The version of DigiD's SAML interface of the connection that the metadata describe.
        package var interface: DigiDConnection.Interface
        /// The entity ID of the service, which is the issuer of its messages.
        public var entityID: String
        /// The indices and the URLs of the assertion consumer services, to which DigiD redirects users. The first is
        /// the default, for requests without an index.
        package var assertionConsumers: [(index: UInt16, url: String)]
        /// The certificates of the signing keys: the current one and, during a key rotation, the next one.
        package var signing: [Certificate]
        /// The TLS client certificates with which the service resolves artifacts. Those in `signing` need not be
        /// repeated.
        public var tls: [Certificate] = []
        /// The certificates of the keys to which DigiD encrypts identification numbers. They are used in DigiD's SAML
        /// interface after version 3.7.
        public var encryption: [Certificate] = []
        /// Whether each assertion must have a signature of its own (`WantAssertionsSigned`).
        public var wantsSignedAssertions = true
        /// The endpoints that receive messages about logouts (`SingleLogoutService`), for services that joined DigiD's
        /// single sign-on: by SOAP and by HTTP-Redirect, with the URL for responses, in DigiD's SAML interface up to
        /// version 3.7, and by HTTP-POST first after that version.
        public var singleLogout: [SAMLEndpoint] = []
        /// The services for which users log in, for DigiD's SAML interface after version 3.7: an index, a name, and the
        /// UUID that DigiD assigned.
        public var services: [(index: UInt16, name: String, uuid: String)] = []
        /// The time from which the metadata is no longer valid (`validUntil`); nil to omit it.
        public var validUntil: NumericDate?

        /// Creates the SAML metadata of a service.
        ///
        /// - Parameters:
        ///   - interface: The version of DigiD's SAML interface.
        ///   - entityID: The entity ID of the service.
        ///   - assertionConsumers: The indices and the https URLs of the assertion consumer services, to which DigiD
        ///     redirects users.
        ///   - signing: The certificates of the signing keys.
        public init(
            _ interface: DigiDConnection.Interface = .saml3, entityID: String,
            assertionConsumers: [(index: UInt16, url: String)], signing: [Certificate]
        ) {
            self.interface = interface
            self.entityID = entityID
            self.assertionConsumers = assertionConsumers
            self.signing = signing
        }

        /// Returns the metadata as a signed XML document.
        ///
        /// - Parameter key: The signing key, whose certificate must be in `signing`.
        /// - Throws: `configurationError` if DigiD would reject the metadata: because of a duplicate index, a URL that
        ///   is not https, a signing key whose certificate is not in `signing`, services with `.saml3`, or endpoints
        ///   for logouts whose bindings are not those of the interface; `keyUnsuitable` if the key must not sign.
        public func signed(with key: SAMLKey) throws(RelyingPartyError) -> [UInt8] {
            do throws(RelyingPartyError.Reason) {
                return try draft(for: key.certificate).signed(with: key)
            } catch {
                throw RelyingPartyError(error, in: .configuration)
            }
        }

        /// Returns the metadata as an XML document that a key outside the process signed.
        ///
        /// - Parameters:
        ///   - signer: The signing key: RSA with 2048 to 8192 bits. The algorithm is RS256.
        ///   - certificate: The certificate of the key, which must be in `signing`.
        /// - Throws: The errors of ``signed(with:)``; `keyUnsuitable` if the key is not an RSA key or does not belong
        ///   to the certificate, and `internalFault` or `interrupted` if it does not sign.
        public func signed(
            by signer: any ExternalSigner, certificate: Certificate
        ) async throws(RelyingPartyError) -> [UInt8] {
            let key = try SAMLSigner(signer, certificate: certificate)
            do throws(RelyingPartyError.Reason) {
                return try await key.sign(draft(for: certificate))
            } catch {
                throw RelyingPartyError(error, in: .configuration)
            }
        }

        private func draft(for certificate: Certificate) throws(RelyingPartyError.Reason) -> SAMLDraft {
            guard isWhole, signing.contains(certificate) else { throw .configurationError }
            return try SAMLDraft(written(MessageID.fresh(), certificate))
        }

        private var isWhole: Bool {
            let indices = assertionConsumers.map(\.index)
            return EntityID.isValid(entityID) && !indices.isEmpty && Set(indices).count == indices.count
                && assertionConsumers.allSatisfy { EndpointURL.isValid($0.url) }
                && singleLogout.allSatisfy {
                    EndpointURL.isValid($0.location) && $0.responseLocation.map(EndpointURL.isValid) ?? true
                }
                && isOfInterface && Set(services.map(\.index)).count == services.count
                && services.allSatisfy { !$0.name.isEmpty && $0.uuid.isName }
                && validUntil.map { (0..<1e11).contains($0.secondsSince1970) } ?? true
        }

        /// Whether the services and the bindings of the endpoints for logouts are those of the interface.
        private var isOfInterface: Bool {
            switch interface {
            case .saml3:
                services.isEmpty
                    && singleLogout.allSatisfy { endpoint in
                        [SAMLNames.soapBinding, SAMLNames.redirectBinding].contains { bytesEqual(endpoint.binding, $0) }
                    }
            // DigiD responds to the first endpoint.
            case .saml4: singleLogout.first.map { bytesEqual($0.binding, SAMLNames.postBinding) } ?? true
            }
        }

        private func written(_ id: String, _ certificate: Certificate) -> XMLWriter {
            var writer = XMLWriter()
            let attributes: [(String, String?)] = [
                ("ID", id), ("entityID", entityID),
                ("validUntil", validUntil.map { XMLTime.text($0.secondsSince1970) }),
            ]
            writer.element(.md("EntityDescriptor"), declaring: [.md, .saml, .ds], attributes) { entity in
                entity.signature(of: id, by: certificate)
                let role: [(String, String?)] = [
                    ("AuthnRequestsSigned", "true"), ("WantAssertionsSigned", wantsSignedAssertions ? "true" : "false"),
                    ("protocolSupportEnumeration", SAMLNames.protocolSupport),
                ]
                entity.element(.md("SPSSODescriptor"), role) { role in
                    for certificate in signing + tls.filter({ !signing.contains($0) }) {
                        role.key(certificate, use: "signing")
                    }
                    for certificate in encryption { role.key(certificate, use: "encryption") }
                    for endpoint in singleLogout { role.write(endpoint, "SingleLogoutService") }
                    for (index, consumer) in assertionConsumers.enumerated() {
                        role.element(
                            .md("AssertionConsumerService"),
                            [
                                ("Binding", SAMLNames.artifactBinding), ("Location", consumer.url),
                                ("index", "\(consumer.index)"), ("isDefault", index == 0 ? "true" : nil),
                            ])
                    }
                    for service in services { role.write(service) }
                }
            }
            return writer
        }
    }

    extension XMLWriter {
        mutating func key(_ certificate: Certificate, use: String) {
            element(.md("KeyDescriptor"), [("use", use)]) { descriptor in
                descriptor.element(.ds("KeyInfo")) { info in
                    info.element(.ds("KeyName"), text: SAMLKey.name(of: certificate))
                    info.certificate(certificate.base64)
                }
            }
        }

        mutating func write(_ endpoint: SAMLEndpoint, _ name: String) {
            element(
                .md(name),
                [
                    ("Binding", endpoint.binding), ("Location", endpoint.location),
                    ("ResponseLocation", endpoint.responseLocation), ("index", endpoint.index.map { "\($0)" }),
                ])
        }

        fileprivate mutating func write(_ service: (index: UInt16, name: String, uuid: String)) {
            element(.md("AttributeConsumingService"), [("index", "\(service.index)")]) { consuming in
                // The prefix `xml` is always declared (Namespaces in XML 1.0, 3).
                consuming.element(.md("ServiceName"), [("xml:lang", "nl")], text: service.name)
                consuming.element(.md("RequestedAttribute"), [("Name", SAMLNames.serviceUUID)]) {
                    $0.element(.saml("AttributeValue"), text: service.uuid)
                }
            }
        }
    }
#endif
