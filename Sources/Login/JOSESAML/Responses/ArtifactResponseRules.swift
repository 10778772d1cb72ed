#if SAML
    package import JOSERelyingParty

    /// What an answer is held against.
    package struct ArtifactResponseRules: Sendable {
        package var generation: SAMLGeneration
        package var identityProvider: IdentityProviderMetadata
        /// Our entity ID, or that of our connection: who assertions are for.
        package var audience: String
        /// Who EncryptedKeys are for.
        package var recipient: String
        /// Where the user came back to.
        package var consumerURL: String
        /// Of the ArtifactResolve that is answered.
        package var resolveID: String
        /// Of this transaction's AuthnRequest.
        package var requestID: String
        package var wantsSignedAssertion = true
        /// Seconds since 1970.
        package var now: Double
        /// Seconds, 30 at most.
        package var leeway: Double = 30
        /// For the later generation.
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

        /// How old a response may be, in seconds.
        static let oldest: Double = 300
        var tolerance: Double { min(max(leeway, 0), 30) }
    }

    /// A status that is not Success (SAML 2.0 Core, 3.2.2.2).
    package struct SAMLStatus: Sendable, Equatable {
        /// URIs.
        package let top: String
        package let second: String?
        /// Of the response, and not of the artifact's resolution.
        package let isInner: Bool

        /// What stands behind the last colon.
        package var topWord: String { Self.word(top) }
        package var secondWord: String? { second.map(Self.word) }
        private static func word(_ uri: String) -> String {
            String(Substring(uri.utf8.split(separator: UInt8(ascii: ":")).last ?? uri.utf8[...]))
        }
    }

    /// Why an answer is no login: the first check that fails, and the provider's status where it said one.
    package struct SAMLRejection: Error, Equatable {
        package let reason: RelyingPartyError.Reason
        package let status: SAMLStatus?

        init(_ reason: RelyingPartyError.Reason, _ status: SAMLStatus? = nil) {
            self.reason = reason
            self.status = status
        }
    }
#endif
