#if SAML
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSEDigiD

    /// The logouts of users who logged in on DigiD's web page.
    extension DemoService {
        /// Begins the logout at DigiD, after the session at the service has ended. Returns nil if there is no session
        /// at DigiD.
        func beginDigiDLogout(_ ended: DemoSession) async -> TransportResponse? {
            guard let session = ended.user.digiD, let login = login(ended.client.name) else { return nil }
            let gone = TransportHeaderField("Set-Cookie", sessions.goneCookie)
            do throws(RelyingPartyError) {
                switch try await login.beginLogout(session) {
                case .redirect(let url)?: return .seeOther(url, [gone])
                case .form(let form)?: return .form(form, [gone])
                case nil: return nil
                }
            } catch {
                return Self.notLoggedOut(error)
            }
        }

        /// Answers the request with which the browser comes back from a logout at DigiD.
        func completeDigiDLogout(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
            do throws(RelyingPartyError) {
                guard let result = try await login.completeLogout(request) else { return .notFound() }
                return .page(
                    "You are signed out",
                    """
                    <dl><dt>At DigiD</dt><dd id="logout-result">\("\(result)")</dd></dl>
                    <p><a href="/">Back to the start</a></p>
                    """)
            } catch {
                return Self.notLoggedOut(error)
            }
        }

        /// Answers a request of DigiD to end the sessions of a user.
        func endSessions(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
            let response = await login.respondToLogout(request) { session in
                if let number = session.number { sessions.end(number) }
            }
            guard let response else { return .notFound() }
            return .content(response.body, type: response.contentType, status: response.status)
        }

        /// Returns the page of a logout that ended at the service only.
        private static func notLoggedOut(_ error: RelyingPartyError) -> TransportResponse {
            .page(
                "You are signed out here", status: 400,
                """
                <p role="alert">Close the browser to be signed out everywhere.</p>
                <dl>\(rows(of: error))</dl>
                <p><a href="/">Back to the start</a></p>
                """)
        }
    }
#endif
