#if SAML
    public import JOSE
    internal import JOSEBytes
    public import JOSERelyingParty

    /// What a service says of itself, to be handed to DigiD: signed, and without a duration of caching.
    public struct ServiceProviderMetadata: Sendable {
        /// Who the service is: the issuer of what it sends.
        public var entityID: String
        /// Where DigiD sends users, by their indices; the first is the one for requests that name none.
        public var assertionConsumers: [(index: UInt16, url: String)]
        /// Certificates of the keys that sign, now and after a change.
        public var signing: [Certificate]
        /// Certificates that the service shows where it asks for messages, if they are others.
        public var tls: [Certificate] = []
        /// Certificates of the keys that numbers are encrypted to, in the later generation of the interface.
        public var encryption: [Certificate] = []
        /// Whether assertions bear a signature of their own.
        public var wantsSignedAssertions = true
        /// What logins are for, in the later generation: the UUIDs that DigiD gave out, by their indices.
        public var services: [(index: UInt16, name: String, uuid: String)] = []
        /// The time from which the metadata are no longer valid (`validUntil`); nil to name none.
        public var validUntil: NumericDate?

        /// Of a service that is nothing else yet.
        public init(entityID: String, assertionConsumers: [(index: UInt16, url: String)], signing: [Certificate]) {
            self.entityID = entityID
            self.assertionConsumers = assertionConsumers
            self.signing = signing
        }

        /// The whole file. Throws `configurationError` for what DigiD would refuse: an index twice, an address that is not https, no
        /// certificate of the key that signs.
        public func signed(with key: SAMLKey) throws(RelyingPartyError) -> [UInt8] {
            do throws(RelyingPartyError.Reason) {
                guard isWhole, signing.contains(key.certificate) else { throw .configurationError }
                let id = try MessageID.fresh()
                let document = try written(id, key).document()
                try document.root.sign(with: key)
                return try document.write()
            } catch {
                throw RelyingPartyError(error, in: .configuration)
            }
        }

        private var isWhole: Bool {
            let indices = assertionConsumers.map(\.index)
            return EntityID.isValid(entityID) && !indices.isEmpty && Set(indices).count == indices.count
                && assertionConsumers.allSatisfy { EndpointURL.isValid($0.url) }
                && Set(services.map(\.index)).count == services.count
                && services.allSatisfy { !$0.name.isEmpty && $0.uuid.isName }
                && validUntil.map { (0..<1e11).contains($0.secondsSince1970) } ?? true
        }

        private func written(_ id: String, _ key: SAMLKey) -> XMLWriter {
            var writer = XMLWriter()
            let attributes: [(String, String?)] = [
                ("ID", id), ("entityID", entityID), ("validUntil", validUntil.map { XMLTime.text($0.secondsSince1970) }),
            ]
            writer.element(.md("EntityDescriptor"), declaring: [.md, .saml, .ds], attributes) { entity in
                entity.signature(of: id, by: key)
                let role: [(String, String?)] = [
                    ("AuthnRequestsSigned", "true"), ("WantAssertionsSigned", wantsSignedAssertions ? "true" : "false"),
                    ("protocolSupportEnumeration", SAMLNames.protocolSupport),
                ]
                entity.element(.md("SPSSODescriptor"), role) { role in
                    for certificate in signing + tls.filter({ !signing.contains($0) }) {
                        role.key(certificate, use: "signing")
                    }
                    for certificate in encryption { role.key(certificate, use: "encryption") }
                    for (place, consumer) in assertionConsumers.enumerated() {
                        role.element(
                            .md("AssertionConsumerService"),
                            [
                                ("Binding", SAMLNames.artifactBinding), ("Location", consumer.url),
                                ("index", "\(consumer.index)"), ("isDefault", place == 0 ? "true" : nil),
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

        fileprivate mutating func write(_ service: (index: UInt16, name: String, uuid: String)) {
            element(.md("AttributeConsumingService"), [("index", "\(service.index)")]) { consuming in
                // `xml:` is declared everywhere (Namespaces in XML 1.0, 3).
                consuming.element(.md("ServiceName"), [("xml:lang", "nl")], text: service.name)
                consuming.element(.md("RequestedAttribute"), [("Name", SAMLNames.serviceUUID)]) {
                    $0.element(.saml("AttributeValue"), text: service.uuid)
                }
            }
        }
    }
#endif
