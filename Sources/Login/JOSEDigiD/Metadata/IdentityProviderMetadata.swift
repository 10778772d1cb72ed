#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSERelyingParty

    /// The signed SAML metadata of an identity provider (SAML 2.0 Metadata), which the provider supplies when a service
    /// is registered.
    public struct IdentityProviderMetadata: Sendable {
        /// The entity ID of the provider, which is the issuer of its messages.
        package let entityID: String
        /// The endpoints that receive login requests (`SingleSignOnService`).
        package let signOn: [SAMLEndpoint]
        /// The endpoints that resolve artifacts (`ArtifactResolutionService`).
        package let artifactResolution: [SAMLEndpoint]
        /// The endpoints that receive messages about logouts (`SingleLogoutService`); empty if the provider has none.
        package let singleLogout: [SAMLEndpoint]
        /// The time from which the metadata is no longer valid (`validUntil`); nil if it does not contain one.
        public let validUntil: NumericDate?
        /// The certificates of the signing keys, in the order of the metadata. During a key rotation there are two.
        package let signing: [SAMLCertificate]

        /// Creates metadata from a signed XML document, whose signature is verified.
        ///
        /// - Parameters:
        ///   - xml: The XML document.
        ///   - entityID: The expected entity ID.
        ///   - certificates: The trusted certificates. The key of one of them must have signed the document.
        ///   - now: The time at which the metadata must be valid.
        /// - Throws: `discoveryMismatch` if the entity ID differs, or if the key of none of the certificates signed the
        ///   document; `malformed` if the document is not metadata of an identity provider; `expired` if `now` is
        ///   `validUntil` or later; `keyNotFound` if no signing certificate is valid at `now`.
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
            guard bytesEqual(entity.attribute("entityID"), expected) else { throw .discoveryMismatch }
            entityID = expected
            validUntil = try entity.time("validUntil").map { NumericDate(secondsSince1970: $0) }
            if let validUntil, now >= validUntil.secondsSince1970 { throw .expired }
            let role = try entity.one(.md("IDPSSODescriptor"))
            guard let protocols = role.attribute("protocolSupportEnumeration"),
                protocols.split(separator: " ").contains(where: { bytesEqual(String($0), SAMLNames.protocolSupport) })
            else { throw .malformed }
            signing = try Self.signing(of: role)
            guard signing.contains(where: { $0.isValid(at: now) }) else { throw .keyNotFound }
            signOn = try SAMLEndpoint.all(of: role, "SingleSignOnService")
            artifactResolution = try SAMLEndpoint.all(of: role, "ArtifactResolutionService")
            singleLogout = try SAMLEndpoint.all(of: role, "SingleLogoutService")
        }

        private static func signing(of role: XMLElement) throws(RelyingPartyError.Reason) -> [SAMLCertificate] {
            var found: [SAMLCertificate] = []
            for descriptor in role.all(.md("KeyDescriptor")) {
                // A key without `use` serves both uses elsewhere (SAML 2.0 Metadata, 2.4.1.1). DigiD always names the
                // use.
                guard bytesEqual(descriptor.attribute("use"), "signing") else { continue }
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

        /// Returns the signing certificates that are valid at `now`, in seconds since 1970. Throws `keyNotFound` if
        /// there is none or if the metadata has expired.
        package func signingCertificates(at now: Double) throws(RelyingPartyError.Reason) -> [SAMLCertificate] {
            let valid = signing.filter { $0.isValid(at: now) }
            guard !valid.isEmpty, validUntil.map({ now < $0.secondsSince1970 }) ?? true else { throw .keyNotFound }
            return valid
        }
    }

    /// An endpoint in SAML metadata (SAML 2.0 Metadata, 2.2.2 and 2.2.3).
    public struct SAMLEndpoint: Sendable, Hashable {
        /// The URI of the binding with which the endpoint receives messages.
        package let binding: String
        /// The URL of the endpoint.
        package let location: String
        /// The URL of the endpoint for responses (`ResponseLocation`), if that is another one.
        package let responseLocation: String?
        /// The index by which artifacts refer to the endpoint; nil if it has none.
        package let index: Int?

        /// Creates an endpoint.
        ///
        /// - Parameters:
        ///   - binding: The URI of the binding.
        ///   - location: The URL of the endpoint.
        ///   - responseLocation: The URL of the endpoint for responses, if that is another one.
        ///   - index: The index by which artifacts refer to the endpoint; nil for none.
        public init(binding: String, location: String, responseLocation: String? = nil, index: Int? = nil) {
            self.binding = binding
            self.location = location
            self.responseLocation = responseLocation
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
                let responses = element.attribute("ResponseLocation")
                guard responses.map(EndpointURL.isValid) ?? true else { throw .malformed }
                let index = element.attribute("index")
                let number = index.flatMap { Int($0) }
                guard index == nil || number.map({ (0...65_535).contains($0) }) ?? false else { throw .malformed }
                found.append(
                    SAMLEndpoint(binding: binding, location: location, responseLocation: responses, index: number))
            }
            return found
        }
    }

    extension XMLElement {
        /// Returns the value of an attribute in seconds since 1970; nil if there is none. Throws `malformed` if the
        /// value is not a time.
        func time(_ attribute: String) throws(RelyingPartyError.Reason) -> Double? {
            guard let text = self.attribute(attribute) else { return nil }
            guard let time = XMLTime.seconds(text) else { throw .malformed }
            return time
        }
    }
#endif
