#if SAML
    public import JOSERelyingParty

    /// The result of a logout at DigiD that the service began. The service has ended its own session before, whatever
    /// the result.
    public enum DigiDLogoutResult: Sendable, Equatable {
        /// The user is logged out at DigiD and at the other services.
        case loggedOut
        /// The user is logged out, but not at every service (`PartialLogout`): tell the user to close the browser.
        case partial
        /// The user chose to stay logged in at DigiD (`RequestDenied`).
        case stillLoggedIn
    }

    /// The response to a request of DigiD to end a user's sessions.
    public struct DigiDLogoutResponse: Sendable {
        /// The HTTP status: 200 with a signed response, 403 if a check failed, or 503 if the sessions could not be
        /// ended or the response could not be signed: DigiD may send the request again.
        public let status: Int
        /// The body; empty unless the status is 200.
        public let body: [UInt8]
        /// The value of the `Content-Type` header.
        public let contentType = "text/xml; charset=utf-8"
        /// The error, for the service's log; nil for the status 200.
        public let error: RelyingPartyError?

        init(_ status: Int, body: [UInt8] = [], _ error: RelyingPartyError? = nil) {
            self.status = status
            self.body = body
            self.error = error
        }
    }
#endif
