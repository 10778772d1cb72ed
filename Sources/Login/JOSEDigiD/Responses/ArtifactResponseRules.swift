#if SAML
    package import JOSERelyingParty

    /// The expected values with which a response to an ArtifactResolve is compared.
    package struct ArtifactResponseRules: Sendable {
        package var generation: SAMLGeneration
        package var identityProvider: IdentityProviderMetadata
        /// The entity ID for which assertions must be issued (`Audience`): that of the service or of its connection.
        package var audience: String
        /// The entity ID by which the EncryptedKeys for the service are selected (`Recipient`).
        package var recipient: String
        /// The URL of the service's assertion consumer service.
        package var consumerURL: String
        /// The ID of the ArtifactResolve that was sent.
        package var resolveID: String
        /// The ID of the AuthnRequest of this login.
        package var requestID: String
        package var wantsSignedAssertion = true
        /// The current time, in seconds since 1970.
        package var now: Double
        /// The tolerated difference between clocks, in seconds. Values are limited to 0 to 30.
        package var leeway: Double = 30
        /// The keys that decrypt identifiers, for DigiD's SAML interface after version 3.7.
        package var decryption: [SAMLKey] = []

        package init(
            _ generation: SAMLGeneration, from identityProvider: IdentityProviderMetadata, to serviceProvider: String,
            consumerURL: String, resolveID: String, requestID: String, now: Double
        ) {
            self.generation = generation
            self.identityProvider = identityProvider
            audience = serviceProvider
            recipient = serviceProvider
            self.consumerURL = consumerURL
            self.resolveID = resolveID
            self.requestID = requestID
            self.now = now
        }

        /// The age up to which a response is accepted, in seconds.
        static let oldest: Double = 300
        var tolerance: Double { min(max(leeway, 0), 30) }
    }

    /// A SAML status other than Success (SAML 2.0 Core, 3.2.2.2).
    package struct SAMLStatus: Sendable, Equatable {
        /// The URI of the top-level status code.
        package let top: String
        /// The URI of the second-level status code, if there is one.
        package let second: String?
        /// Whether the status is that of the Response, and not that of the ArtifactResponse that contains it.
        package let isInner: Bool

        /// The part of the top-level status code after its last colon.
        package var topWord: String { Self.word(top) }
        /// The part of the second-level status code after its last colon; nil if there is none.
        package var secondWord: String? { second.map(Self.word) }
        private static func word(_ uri: String) -> String {
            String(Substring(uri.utf8.split(separator: UInt8(ascii: ":")).last ?? uri.utf8[...]))
        }
    }

    /// The reason why a response was rejected: the first check that failed, and the provider's status if that is not
    /// Success.
    package struct SAMLRejection: Error, Equatable {
        package let reason: RelyingPartyError.Reason
        package let status: SAMLStatus?

        init(_ reason: RelyingPartyError.Reason, _ status: SAMLStatus? = nil) {
            self.reason = reason
            self.status = status
        }
    }
#endif
