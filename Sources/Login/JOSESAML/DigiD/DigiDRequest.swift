#if SAML
    public import JOSERelyingParty

    /// What a service asks for in one login.
    public struct DigiDRequest: Sendable {
        /// At least; nil: as the connection has it.
        public var level: DigiDLevel?
        /// Of the app that the user is in, byte for byte as it is registered; nil: of the first.
        public var returnURL: String?
        /// Where the service wants the user afterwards: a path on the service itself, which comes back with the user.
        public var returnTo: String?
        /// Whether the user must prove who they are once more, whatever DigiD remembers.
        public var forceAuthn = false

        /// The connection's level, into its first app.
        public init() {}
    }
#endif
