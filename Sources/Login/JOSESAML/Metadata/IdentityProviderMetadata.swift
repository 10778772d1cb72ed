#if SAML
    public import JOSE
    internal import JOSEBytes
    public import JOSERelyingParty

    /// What an identity provider says of itself (SAML 2.0 Metadata), signed, as it hands it out when a service joins.
    public struct IdentityProviderMetadata: Sendable {
        /// Who it is: the issuer of what it sends.
        public let entityID: String
        /// Where users are sent.
        public let signOn: [SAMLEndpoint]
        /// Where artifacts become messages.
        public let artifactResolution: [SAMLEndpoint]
        /// The time from which the metadata are no longer valid (`validUntil`); nil if they do not name one.
        public let validUntil: NumericDate?
        /// Every certificate that may sign, in its order: two while one takes the other's place.
        package let signing: [SAMLCertificate]

        /// Throws `discoveryMismatch` for another entity and for a signature of nobody in `certificates`; `malformed` for what are no
        /// metadata; `expired` after their end; `keyNotFound` where none of their certificates is valid at `now`.
        public init(
            _ xml: [UInt8], entityID: String, signedBy certificates: [Certificate], now: NumericDate
        ) throws(RelyingPartyError) {
            do throws(RelyingPartyError.Reason) {
                try self.init(reading: xml, entityID, certificates, now.secondsSince1970)
            } catch {
                throw RelyingPartyError(error, in: .discovery)
            }
        }

        private init(
            reading xml: [UInt8], _ expected: String, _ certificates: [Certificate], _ now: Double
        ) throws(RelyingPartyError.Reason) {
            let document = try XMLDocument(xml)
            let entity = document.root
            guard entity.has(.md("EntityDescriptor")) else { throw .malformed }
            var trusted: [SAMLCertificate] = []
            for certificate in certificates { trusted.append(try SAMLCertificate(certificate)) }
            do throws(RelyingPartyError.Reason) {
                try entity.verify(by: trusted)
            } catch {
                throw error == .internalFault ? error : .discoveryMismatch
            }
            guard entity.attribute("entityID").isSame(as: expected) else { throw .discoveryMismatch }
            entityID = expected
            validUntil = try entity.time("validUntil").map { NumericDate(secondsSince1970: $0) }
            if let validUntil, now >= validUntil.secondsSince1970 { throw .expired }
            let role = try entity.one(.md("IDPSSODescriptor"))
            guard let protocols = role.attribute("protocolSupportEnumeration"),
                protocols.split(separator: " ").contains(where: { String($0).isSame(as: SAMLNames.protocolSupport) })
            else { throw .malformed }
            signing = try Self.signing(of: role)
            guard signing.contains(where: { $0.isValid(at: now) }) else { throw .keyNotFound }
            signOn = try SAMLEndpoint.all(of: role, "SingleSignOnService")
            artifactResolution = try SAMLEndpoint.all(of: role, "ArtifactResolutionService")
        }

        private static func signing(of role: XMLElement) throws(RelyingPartyError.Reason) -> [SAMLCertificate] {
            var found: [SAMLCertificate] = []
            for descriptor in role.all(.md("KeyDescriptor")) {
                // One that says nothing of its use is for both elsewhere (SAML 2.0 Metadata, 2.4.1.1); DigiD always says it.
                guard descriptor.attribute("use").isSame(as: "signing") else { continue }
                let info = try descriptor.one(.ds("KeyInfo"))
                var names: [String] = []
                for name in info.all(.ds("KeyName")) { names.append(try name.text()) }
                for data in info.all(.ds("X509Data")) {
                    for element in data.all(.ds("X509Certificate")) {
                        let base64 = try element.text().filter { !$0.isWhitespace }
                        found.append(try SAMLCertificate(try certificate(base64), names: names))
                    }
                }
            }
            guard found.count <= 10 else { throw .tooLarge }
            return found
        }

        private static func certificate(_ base64: String) throws(RelyingPartyError.Reason) -> Certificate {
            do throws(JOSEError) { return try Certificate(base64: base64) } catch { throw .malformed }
        }

        /// Those that are valid now; `keyNotFound` where none is.
        package func signingCertificates(at now: Double) throws(RelyingPartyError.Reason) -> [SAMLCertificate] {
            let valid = signing.filter { $0.isValid(at: now) }
            guard !valid.isEmpty, validUntil.map({ now < $0.secondsSince1970 }) ?? true else { throw .keyNotFound }
            return valid
        }
    }

    /// An address of metadata (SAML 2.0 Metadata, 2.2.2 and 2.2.3).
    public struct SAMLEndpoint: Sendable, Hashable {
        /// How messages are carried there, as a URI.
        public let binding: String
        /// Its URL.
        public let location: String
        /// By which artifacts name it.
        public let index: Int?

        /// Of no metadata that were read: for those of a service.
        public init(binding: String, location: String, index: Int? = nil) {
            self.binding = binding
            self.location = location
            self.index = index
        }

        fileprivate static func all(
            of role: XMLElement, _ name: String
        ) throws(RelyingPartyError.Reason) -> [SAMLEndpoint] {
            var found: [SAMLEndpoint] = []
            for element in role.all(.md(name)) {
                guard let binding = element.attribute("Binding"), let location = element.attribute("Location"),
                    EndpointURL.isValid(location)
                else { throw .malformed }
                let index = element.attribute("index")
                let number = index.flatMap { Int($0) }
                guard index == nil || number.map({ (0...65_535).contains($0) }) ?? false else { throw .malformed }
                found.append(SAMLEndpoint(binding: binding, location: location, index: number))
            }
            return found
        }
    }

    extension XMLElement {
        /// Seconds since 1970; `malformed` for what is no time.
        func time(_ attribute: String) throws(RelyingPartyError.Reason) -> Double? {
            guard let text = self.attribute(attribute) else { return nil }
            guard let time = XMLTime.seconds(text) else { throw .malformed }
            return time
        }
    }
#endif
