internal import JOSEBytes
internal import JOSERelyingParty
internal import Synchronization

/// The sessions at the service, by the value of a cookie.
final class SessionTable: Sendable {
    struct Session: Sendable {
        let client: TestClient
        let issuer: String
        let subject: String
        /// The details about the user that the page shows, in their order.
        let details: [(name: String, value: String)]
        /// The secret of the forms of the session's pages, so that pages of other sites neither log the user out nor
        /// use up the comparisons of a number.
        let formSecret: String
        /// The session of the user at DigiD, which contains the user's number; nil for none.
        let digiD: DigiDUserSession?
        /// The ticket for comparisons of the user's civil registration number; nil for none.
        let cprTicket: MitIDCPRTicket?
    }
    private let table = Mutex(ExpiringTable<Session>(lifetime: 3600))

    static let cookieName = "__Host-demo-session"

    func begin(_ client: TestClient, _ user: DemoUser) -> String {
        let name = Randomness.text()
        let session = Session(
            client: client, issuer: user.issuer, subject: user.subject, details: user.details,
            formSecret: Randomness.text(), digiD: user.digiD, cprTicket: user.cprTicket)
        table.withLock { $0.insert(session, under: name, now: SystemClock.elapsed()) }
        return "\(Self.cookieName)=\(name); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    func session(_ request: WebRequest) -> Session? {
        request.cookie(Self.cookieName).flatMap { name in
            table.withLock { $0.value(name, now: SystemClock.elapsed()) }
        }
    }

    /// Ends the sessions that a logout token names: the sandbox's name the user, and so all sessions of that user.
    func end(_ notice: LogoutNotice) {
        table.withLock { $0.removeAll { $0.issuer == notice.issuer && $0.subject == notice.subject } }
    }

    /// Ends the sessions of the user who logged in on DigiD's web page with the number.
    func end(_ number: DigiDNumber) {
        table.withLock { $0.removeAll { $0.digiD?.number == number } }
    }

    /// Returns the session of the request, or nil unless one of the service's pages sent the form, with the secret of
    /// that session.
    func confirmed(_ request: WebRequest) -> Session? {
        guard request.isFromOwnPages, let session = session(request), let secret = request.form?["secret"],
            Randomness.isSame(secret, session.formSecret)
        else { return nil }
        return session
    }

    /// Ends the session of the request, and returns it. Returns nil if the form is not that session's.
    func end(_ request: WebRequest) -> Session? {
        guard confirmed(request) != nil, let name = request.cookie(Self.cookieName) else { return nil }
        return table.withLock { $0.take(name, now: SystemClock.elapsed()) }
    }

    static let goneCookie = "\(cookieName)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"
}
