#if SAML
    internal import JOSERelyingParty

    /// A request for one login with DigiD.
    public struct DigiDRequest: Sendable {
        /// The lowest accepted level of assurance. If it is nil, ``DigiDConnection/level`` applies.
        public var level: DigiDLevel?
        /// The return URL of the app that the user is using, byte for byte as it is registered; nil for the
        /// connection's first app.
        public var returnURL: String?
        /// The local path of the service to which the user goes after the login. `DigiDUser.returnTo` contains it
        /// again.
        public var returnTo: String?
        /// Whether DigiD must authenticate the user again, even if the user has a session at DigiD (`ForceAuthn`).
        public var forceAuthn = false

        /// Creates a request for a login at the connection's level of assurance in its first app.
        public init() {}
    }
#endif
