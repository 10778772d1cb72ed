internal import JOSEDigiD
internal import JOSERelyingParty

/// A session at the service.
struct DemoSession: Sendable {
    let client: TestClient
    let user: DemoUser
    /// The secret of the forms of the session's pages, so that pages of other sites neither log the user out nor use up
    /// the comparisons of a number.
    let formSecret = Randomness.text()
}

/// The sessions at the service.
extension CookieTable<DemoSession> {
    func begin(_ client: TestClient, _ user: DemoUser) -> String { put(DemoSession(client: client, user: user)) }

    /// Ends the sessions that a logout token names: the sandbox's name the user, and so all sessions of that user.
    func end(_ notice: LogoutNotice) {
        removeAll { $0.user.issuer == notice.issuer && $0.user.subject == notice.subject }
    }

    /// Ends the sessions of the user who logged in on DigiD's web page with the number.
    func end(_ number: DigiDNumber) { removeAll { $0.user.digiD?.number == number } }

    /// Returns the session of the request, or nil unless one of the service's pages sent the form, with the secret of
    /// that session.
    func confirmed(_ request: WebRequest) -> DemoSession? {
        guard request.isFromOwnPages, let session = value(request), let secret = request.form?["secret"],
            Randomness.isSame(secret, session.formSecret)
        else { return nil }
        return session
    }

    /// Ends the session of the request, and returns it. Returns nil if the form is not that session's.
    func end(_ request: WebRequest) -> DemoSession? { confirmed(request) == nil ? nil : take(request) }

    /// The field that removes the cookie.
    var goneCookie: String { WebCookie.text(name, "") + "; Max-Age=0" }
}
