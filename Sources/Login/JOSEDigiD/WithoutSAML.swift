#if !SAML
    public import JOSEKeySets
    public import JOSERelyingParty

    /// The declaration of the login in a build without the package trait `SAML`: the compiler rejects each use with a
    /// message that names the trait.
    @available(
        *, unavailable,
        message: "DigiDRelyingParty needs the package trait SAML: .package(…, traits: [.defaults, \"SAML\"])"
    )
    public struct DigiDRelyingParty: Sendable {
        /// Creates a relying party.
        public init(
            _ connection: DigiDConnection, transport: any HTTPTransport, store: any LoginStore,
            clock: WallClock = .system
        ) throws(RelyingPartyError) {}
    }

    /// The declaration of the connection in a build without the package trait `SAML`: the compiler rejects each use
    /// with a message that names the trait.
    @available(
        *, unavailable,
        message: "DigiDConnection needs the package trait SAML: .package(…, traits: [.defaults, \"SAML\"])"
    )
    public struct DigiDConnection: Sendable {
        /// The interface of DigiD.
        public enum Interface: Sendable {
            /// A version of the interface.
            case saml3, saml4
        }
        /// The address that receives the response.
        public struct Consumer: Sendable {
            /// Creates the address.
            public init(index: UInt16 = 0, url: String) {}
        }
        /// Creates a connection.
        public init(
            _ interface: Interface = .saml3, entityID: String, apps: [DigiDApp], consumer: Consumer,
            provider: IdentityProviderMetadata, key: PrivateKey, certificate: Certificate
        ) throws(RelyingPartyError) {}
    }

    /// The declaration of the metadata in a build without the package trait `SAML`: the compiler rejects each use with
    /// a message that names the trait.
    @available(
        *, unavailable,
        message: "IdentityProviderMetadata needs the package trait SAML: .package(…, traits: [.defaults, \"SAML\"])"
    )
    public struct IdentityProviderMetadata: Sendable {
        /// Parses the metadata.
        public init(_ xml: [UInt8], entityID: String, signedBy certificates: [Certificate], now: NumericDate)
            throws(RelyingPartyError)
        {}
    }

    /// The declaration of the metadata in a build without the package trait `SAML`: the compiler rejects each use with
    /// a message that names the trait.
    @available(
        *, unavailable,
        message: "ServiceProviderMetadata needs the package trait SAML: .package(…, traits: [.defaults, \"SAML\"])"
    )
    public struct ServiceProviderMetadata: Sendable {
        /// Creates the metadata.
        public init(entityID: String, assertionConsumers: [(index: UInt16, url: String)], signing: [Certificate]) {}
    }
#endif
