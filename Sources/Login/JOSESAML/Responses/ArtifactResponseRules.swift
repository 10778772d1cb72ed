#if SAML
    package import JOSERelyingParty

    /// The values against which a response is checked.
    package struct ArtifactResponseRules: Sendable {
        package var generation: SAMLGeneration
        package var identityProvider: IdentityProviderMetadata
        /// The entity ID for which assertions must be issued: that of the service or of its connection.
        package var audience: String
        /// The entity ID of the EncryptedKeys that the service decrypts (`Recipient`).
        package var recipient: String
        /// The URL of the assertion consumer service.
        package var consumerURL: String
        /// The ID of the ArtifactResolve that was sent.
        package var resolveID: String
        /// The ID of the AuthnRequest of this login.
        package var requestID: String
        package var wantsSignedAssertion = true
        /// The current time, in seconds since 1970.
        package var now: Double
        /// The leeway for clocks in seconds. Values above 30 count as 30.
        package var leeway: Double = 30
        /// The keys that decrypt identifiers, for the later generation of the interface.
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

    /// A status that is not Success (SAML 2.0 Core, 3.2.2.2).
    package struct SAMLStatus: Sendable, Equatable {
        /// The URI of the top-level status code.
        package let top: String
        /// The URI of the second-level status code, if there is one.
        package let second: String?
        /// Whether the status is that of the response, and not that of the artifact's resolution.
        package let isInner: Bool

        /// The part of the URI after the last colon.
        package var topWord: String { Self.word(top) }
        /// The part of the second-level URI after the last colon.
        package var secondWord: String? { second.map(Self.word) }
        private static func word(_ uri: String) -> String {
            String(Substring(uri.utf8.split(separator: UInt8(ascii: ":")).last ?? uri.utf8[...]))
        }
    }

    /// The reason why a response is not a login: the first check that failed, and the provider's status if the response has one.
    package struct SAMLRejection: Error, Equatable {
        package let reason: RelyingPartyError.Reason
        package let status: SAMLStatus?

        init(_ reason: RelyingPartyError.Reason, _ status: SAMLStatus? = nil) {
            self.reason = reason
            self.status = status
        }
    }
#endif
