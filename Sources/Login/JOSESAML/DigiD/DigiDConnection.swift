#if SAML
    public import JOSE
    public import JOSERelyingParty

    /// The connection of a service with DigiD for logins by SAML, as both parties have registered it in their metadata.
    public struct DigiDConnection: Sendable {
        /// A version of DigiD's SAML interface.
        public enum Interface: String, Sendable {
            /// The versions of the interface up to 3.7 (`digid.saml3`): the signature of a request is outside its XML, and the
            /// numbers in an assertion are not encrypted.
            case saml3 = "digid.saml3"
            /// The versions of the interface after 3.7 (`digid.saml4`): the request contains its signature, and the numbers in an
            /// assertion are encrypted to the service.
            case saml4 = "digid.saml4"
        }
        /// The service for which users log in. The versions of the interface after 3.7 require it.
        public enum Service: Sendable, Equatable {
            /// A service that the connection's own SAML metadata declare, by the index of its `AttributeConsumingService`.
            case index(UInt16)
            /// A service of another party, by its entity ID and the UUID that DigiD assigned.
            case audience(String, serviceUUID: String)
        }
        /// The assertion consumer service: the URL to which DigiD sends users who log in on its web page. Every assertion is
        /// issued for this URL, also one whose artifact came through the app.
        public struct Consumer: Sendable, Equatable {
            /// The index of the assertion consumer service in the service's metadata.
            public let index: UInt16
            /// The URL of the assertion consumer service in the service's metadata.
            public let url: String

            /// Creates an assertion consumer service with the index and the URL that the service's metadata contain.
            public init(index: UInt16 = 0, url: String) {
                self.index = index
                self.url = url
            }
        }

        /// The version of DigiD's interface.
        public let interface: Interface
        /// The entity ID of the service.
        public let entityID: String
        /// The apps that are registered with DigiD, at most `DigiDApp.limit`. A login that names no app uses the first.
        public let apps: [DigiDApp]
        /// The assertion consumer service for which assertions are issued.
        public let consumer: Consumer
        /// DigiD's metadata, whose signature was verified when they were read.
        public let provider: IdentityProviderMetadata
        let key: PrivateKey
        let samlKey: SAMLKey

        /// The lowest accepted level of a login that names none.
        public var level = DigiDLevel.midden
        /// The sectors whose numbers the service accepts.
        public var sectors: Set<DigiDSector> = [.bsn]
        /// Whether each assertion must have a signature of its own, as the service's metadata declare.
        public var wantsSignedAssertions = true
        /// The service for which users log in. The versions of the interface after 3.7 require it, and the earlier ones have
        /// none.
        public var service: Service?
        /// The decryption keys besides the signing key. During a key rotation, numbers may be encrypted to either key.
        public var decryption: [SAMLKey] = []
        /// Whether users may act on behalf of another person, whom `DigiDUser.mandate` then names. If false, the login of a user
        /// who does so is rejected, because the number is not that of the person concerned.
        public var acceptsMandates = false
        /// The link that opens DigiD's app. A sandbox has its own.
        public var appLink = DigiDAppRequest.base
        /// The test environment of DigiD; nil in production.
        public var host: String?
        /// Whether artifacts may have another length than the standard's 44 bytes, as an older sample of the interface has them.
        public var acceptsShortArtifacts = false

        /// Creates a connection.
        ///
        /// - Parameters:
        ///   - interface: The version of DigiD's interface.
        ///   - entityID: The entity ID of the service.
        ///   - apps: The apps that are registered with DigiD.
        ///   - consumer: The assertion consumer service for which assertions are issued.
        ///   - provider: DigiD's metadata.
        ///   - key: The service's signing key: RSA with 2048 to 8192 bits.
        ///   - certificate: The certificate of `key` in the service's metadata.
        /// - Throws: `configurationError` for no app, too many apps, or apps with the same name or return URL; `keyUnsuitable`
        ///   for a key that is not RSA or does not belong to the certificate.
        public init(
            _ interface: Interface = .saml3, entityID: String, apps: [DigiDApp], consumer: Consumer,
            provider: IdentityProviderMetadata, key: PrivateKey, certificate: Certificate
        ) throws(RelyingPartyError) {
            try DigiDApp.check(apps)
            self.interface = interface
            self.entityID = entityID
            self.apps = apps
            self.consumer = consumer
            self.provider = provider
            self.key = key
            samlKey = try SAMLKey(key, certificate: certificate)
        }

        var generation: SAMLGeneration { interface == .saml3 ? .saml3 : .saml4 }

        /// Returns the URL that receives requests. DigiD's app accepts no request without it.
        func destination() throws(RelyingPartyError.Reason) -> String {
            let binding = interface == .saml3 ? "HTTP-Redirect" : "HTTP-POST"
            return try Self.location(of: provider.signOn, "urn:oasis:names:tc:SAML:2.0:bindings:" + binding)
        }

        /// Returns the URL at which artifacts are resolved, from the signed metadata alone.
        func resolution() throws(RelyingPartyError.Reason) -> String {
            let first = provider.artifactResolution.filter { $0.index ?? 0 == 0 }
            return try Self.location(of: first, "urn:oasis:names:tc:SAML:2.0:bindings:SOAP")
        }

        private static func location(
            of endpoints: [SAMLEndpoint], _ binding: String
        ) throws(RelyingPartyError.Reason) -> String {
            guard let found = endpoints.first(where: { $0.binding.utf8.elementsEqual(binding.utf8) }) else {
                throw .discoveryMismatch
            }
            return found.location
        }
    }
#endif
