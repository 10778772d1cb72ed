#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSERelyingParty

    /// The registered connection of a service with DigiD for logins by SAML, as the SAML metadata of both parties
    /// describes it.
    public struct DigiDConnection: Sendable {
        /// A version of DigiD's SAML interface.
        public enum Interface: String, Sendable {
            /// DigiD's SAML interface up to version 3.7 (`digid.saml3`): the signature of a request is outside its XML,
            /// and the identification numbers in an assertion are not encrypted.
            case saml3 = "digid.saml3"
            /// DigiD's SAML interface after version 3.7 (`digid.saml4`): a request contains its signature, and the
            /// identification numbers in an assertion are encrypted to the service.
            case saml4 = "digid.saml4"
        }
        /// The service for which users log in, as it is registered with DigiD. It is required in DigiD's SAML interface
        /// after version 3.7.
        public enum Service: Sendable, Equatable {
            /// A service in the connection's own SAML metadata, selected by the index of its
            /// `AttributeConsumingService`.
            case index(UInt16)
            /// A service of another party, selected by the entity ID of that party and the UUID that DigiD assigned to
            /// the service.
            case audience(String, serviceUUID: String)
        }
        /// The assertion consumer service of the connection: the URL to which DigiD redirects users who log in on its
        /// web page. Every assertion is issued for this URL, even if its artifact is returned through the app.
        public struct Consumer: Sendable, Equatable {
            /// The index of the assertion consumer service in the service's SAML metadata.
            package let index: UInt16
            /// The URL of the assertion consumer service in the service's SAML metadata.
            package let url: String

            /// Creates an assertion consumer service with the index and the URL from the service's SAML metadata.
            public init(index: UInt16 = 0, url: String) {
                self.index = index
                self.url = url
            }
        }

        /// The endpoints of the service for logouts, as its SAML metadata has them.
        public struct Logout: Sendable, Equatable {
            /// The URL to which the browser returns from a logout that the service began: `ResponseLocation` of the
            /// endpoint by HTTP-Redirect in DigiD's SAML interface up to version 3.7, and the endpoint by HTTP-POST
            /// after it.
            package var responseURL: String
            /// The URL that receives requests of DigiD to end a user's sessions, by SOAP; nil for none. DigiD sends
            /// them in its SAML interface up to version 3.7 alone.
            package var requestURL: String?
            /// The SHA-256 digests of the TLS client certificates of DigiD, which the service's web server requires at
            /// `requestURL`.
            package var clientCertificates: Set<[UInt8]>

            /// Creates the endpoints.
            ///
            /// - Parameters:
            ///   - responseURL: The URL to which the browser returns from a logout that the service began.
            ///   - requestURL: The URL that receives requests of DigiD by SOAP; nil for none.
            ///   - clientCertificates: The SHA-256 digests of the TLS client certificates of DigiD, each of 32 bytes.
            public init(responseURL: String, requestURL: String? = nil, clientCertificates: Set<[UInt8]> = []) {
                self.responseURL = responseURL
                self.requestURL = requestURL
                self.clientCertificates = clientCertificates
            }
        }

        /// The version of DigiD's SAML interface.
        package let interface: Interface
        /// The entity ID of the service in its SAML metadata.
        package let entityID: String
        /// The apps that are registered with DigiD, at most three. A login request without a return URL uses
        /// the first app.
        package let apps: [DigiDApp]
        /// The assertion consumer service for which assertions are issued.
        package let consumer: Consumer
        /// The SAML metadata of DigiD, whose signature has been verified.
        package let provider: IdentityProviderMetadata
        let signer: SAMLSigner

        /// The lowest accepted level of assurance, for login requests that do not specify one.
        public var level = DigiDLevel.midden
        /// The accepted sectors. A login with an identification number of another sector is rejected.
        public var sectors: Set<DigiDSector> = [.bsn]
        /// Whether each assertion must have a signature of its own. The value must be that of `WantAssertionsSigned` in
        /// the service's SAML metadata.
        public var wantsSignedAssertions = true
        /// The service for which users log in. It is required in DigiD's SAML interface after version 3.7, and must be
        /// nil up to that version.
        public var service: Service?
        /// The decryption keys in addition to the signing key, which decrypts too if it is in the process. During a key
        /// rotation, identification numbers may be encrypted to the old or to the new key.
        public var decryption: [SAMLKey] = []
        /// Whether users may act on behalf of another person, whom `DigiDUser.mandate` then identifies. If false, such
        /// a login is rejected, because the user's own number does not identify the person whom the login concerns.
        public var acceptsMandates = false
        /// The endpoints for logouts, of a service that joined DigiD's single sign-on; nil for none.
        public var logout: Logout?
        /// The link that opens DigiD's app, without a query. A sandbox has its own link.
        public var appLink = DigiDAppRequest.base
        /// The name of DigiD's test environment (`Host`); nil in production.
        public var host: String?
        /// Whether artifacts of any length are accepted, as in an older sample of DigiD's interface. If false, an
        /// artifact must have 44 bytes (SAML 2.0 Bindings, 3.6.4.2).
        public var acceptsShortArtifacts = false

        /// Creates a connection.
        ///
        /// - Parameters:
        ///   - interface: The version of DigiD's SAML interface.
        ///   - entityID: The entity ID of the service in its SAML metadata.
        ///   - apps: The apps that are registered with DigiD; none for a service whose users log in on DigiD's web page
        ///     only.
        ///   - consumer: The assertion consumer service for which assertions are issued.
        ///   - provider: The SAML metadata of DigiD.
        ///   - key: The service's signing key: RSA with 2048 to 8192 bits.
        ///   - certificate: The certificate of `key` in the service's SAML metadata.
        /// - Throws: `configurationError` if there are more than three apps, or if two have the same name or
        ///   return URL; `keyUnsuitable` if the key is not an RSA key, must not sign, or does not belong to the
        ///   certificate.
        public init(
            _ interface: Interface = .saml3, entityID: String, apps: [DigiDApp] = [], consumer: Consumer,
            provider: IdentityProviderMetadata, key: PrivateKey, certificate: Certificate
        ) throws(RelyingPartyError) {
            let signer = try SAMLSigner(SAMLKey(key, certificate: certificate))
            try self.init(interface, entityID, apps, consumer, provider, signer)
        }

        /// Creates a connection whose signing key is outside the process, such as one in an HSM or a key management
        /// service. With `.saml4`, identification numbers are encrypted to keys in ``decryption``, of which there must
        /// be one.
        ///
        /// - Parameters:
        ///   - interface: The version of DigiD's SAML interface.
        ///   - entityID: The entity ID of the service in its SAML metadata.
        ///   - apps: The apps that are registered with DigiD; none for a service whose users log in on DigiD's web page
        ///     only.
        ///   - consumer: The assertion consumer service for which assertions are issued.
        ///   - provider: The SAML metadata of DigiD.
        ///   - signer: The service's signing key: RSA with 2048 to 8192 bits. The algorithm is RS256.
        ///   - certificate: The certificate of the key in the service's SAML metadata.
        /// - Throws: `configurationError` if there are more than three apps, or if two have the same name or
        ///   return URL; `keyUnsuitable` if the key is not an RSA key, must not sign, or does not belong to the
        ///   certificate.
        public init(
            _ interface: Interface = .saml3, entityID: String, apps: [DigiDApp] = [], consumer: Consumer,
            provider: IdentityProviderMetadata, signer: any ExternalSigner, certificate: Certificate
        ) throws(RelyingPartyError) {
            try self.init(interface, entityID, apps, consumer, provider, SAMLSigner(signer, certificate: certificate))
        }

        private init(
            _ interface: Interface, _ entityID: String, _ apps: [DigiDApp], _ consumer: Consumer,
            _ provider: IdentityProviderMetadata, _ signer: SAMLSigner
        ) throws(RelyingPartyError) {
            try DigiDApp.check(apps)
            self.interface = interface
            self.entityID = entityID
            self.apps = apps
            self.consumer = consumer
            self.provider = provider
            self.signer = signer
        }

        /// The keys that decrypt identification numbers.
        var decryptionKeys: [SAMLKey] { (signer.decryptionKey.map { [$0] } ?? []) + decryption }

        var generation: SAMLGeneration { interface == .saml3 ? .saml3 : .saml4 }

        /// Returns the URL that receives requests. DigiD's app accepts no request without it.
        func destination() throws(RelyingPartyError.Reason) -> String {
            try Self.location(of: provider.signOn, browserBinding)
        }

        /// Returns the URL that receives requests to log out.
        func logoutDestination() throws(RelyingPartyError.Reason) -> String {
            try Self.location(of: provider.singleLogout, browserBinding)
        }

        /// The binding of messages that the browser sends to DigiD.
        private var browserBinding: String {
            interface == .saml3 ? SAMLNames.redirectBinding : SAMLNames.postBinding
        }

        /// Returns the URL at which artifacts are resolved, from the signed metadata alone.
        func resolution() throws(RelyingPartyError.Reason) -> String {
            let first = provider.artifactResolution.filter { $0.index ?? 0 == 0 }
            return try Self.location(of: first, SAMLNames.soapBinding)
        }

        private static func location(
            of endpoints: [SAMLEndpoint], _ binding: String
        ) throws(RelyingPartyError.Reason) -> String {
            guard let found = endpoints.first(where: { bytesEqual($0.binding, binding) }) else {
                throw .discoveryMismatch
            }
            return found.location
        }
    }
#endif
