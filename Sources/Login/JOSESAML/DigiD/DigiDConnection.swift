#if SAML
    public import JOSE
    public import JOSERelyingParty

    /// What a service has settled with DigiD for its logins by SAML: what the metadata say that the two hand each other.
    public struct DigiDConnection: Sendable {
        /// Which of DigiD's interfaces.
        public enum Interface: String, Sendable {
            /// Until 3.7 (`digid.saml3`): signed beside the message; numbers in the assertion in clear.
            case saml3 = "digid.saml3"
            /// After it (`digid.saml4`): signed within the message; numbers encrypted to the service.
            case saml4 = "digid.saml4"
        }
        /// What logins are for, which the later interface wants.
        public enum Service: Sendable, Equatable {
            /// One of the service's metadata.
            case index(UInt16)
            /// Another's, by its entity ID and the UUID that DigiD gave out.
            case audience(String, serviceUUID: String)
        }
        /// Where DigiD sends users that come by its web page; assertions are for it, whichever way an artifact came.
        public struct Consumer: Sendable, Equatable {
            /// Of the service's metadata.
            public let index: UInt16
            /// Of the same.
            public let url: String

            /// As the metadata have it.
            public init(index: UInt16 = 0, url: String) {
                self.index = index
                self.url = url
            }
        }

        /// Which of DigiD's interfaces.
        public let interface: Interface
        /// Who the service is.
        public let entityID: String
        /// Those that DigiD has registered, `DigiDApp.limit` at most; the first is the one of logins that name none.
        public let apps: [DigiDApp]
        /// Where assertions are for.
        public let consumer: Consumer
        /// DigiD's, checked when they were read.
        public let provider: IdentityProviderMetadata
        let key: PrivateKey
        let samlKey: SAMLKey

        /// The level of a login that names none.
        public var level = DigiDLevel.midden
        /// Whose numbers the service takes.
        public var sectors: Set<DigiDSector> = [.bsn]
        /// As the service's metadata say.
        public var wantsSignedAssertions = true
        /// What the later interface wants to know.
        public var service: Service?
        /// Keys that numbers are encrypted to, besides the one that signs: during a change, both.
        public var decryption: [SAMLKey] = []
        /// Whether users may act for somebody else: then `DigiDUser.mandate` says for whom. Where they may not, a login of one who does is
        /// refused, for its number is not of the person whose matters it is about.
        public var acceptsMandates = false
        /// The link that opens DigiD's app; a sandbox has its own.
        public var appLink = DigiDAppRequest.base
        /// Which of DigiD's test environments its app talks to; nil in production.
        public var host: String?
        /// Whether artifacts of another length than the standard's 44 bytes are taken, as an older sample of the interface has them.
        public var acceptsShortArtifacts = false

        /// Throws `configurationError` for apps that are too many or alike, `keyUnsuitable` for a key that is not RSA or is not the
        /// certificate's.
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

        /// Where the request is for: DigiD's app takes none without.
        func destination() throws(RelyingPartyError.Reason) -> String {
            let binding = interface == .saml3 ? "HTTP-Redirect" : "HTTP-POST"
            return try Self.location(of: provider.signOn, "urn:oasis:names:tc:SAML:2.0:bindings:" + binding)
        }

        /// Where artifacts become messages: of the signed metadata, and no other.
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
