#if SAML
    public import JOSERelyingParty

    /// A request for one login with DigiD.
    public struct DigiDRequest: Sendable {
        /// The lowest accepted level; nil for ``DigiDConnection/level``.
        public var level: DigiDLevel?
        /// The return URL of the app in which the user is, byte for byte as it is registered; nil for the connection's first app.
        public var returnURL: String?
        /// The path on the service itself to which the user goes after the login. `DigiDUser.returnTo` returns it.
        public var returnTo: String?
        /// Whether DigiD must authenticate the user anew, even if it remembers an earlier login (`ForceAuthn`).
        public var forceAuthn = false

        /// Creates a request for a login at the connection's level, in its first app.
        public init() {}
    }
#endif
