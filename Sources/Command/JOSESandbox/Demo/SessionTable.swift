internal import JOSEBytes
internal import JOSERelyingParty
internal import Synchronization

/// Who is signed in at the service, by the value of a cookie.
final class SessionTable: Sendable {
    struct Session: Sendable {
        let client: TestClient
        let issuer: String
        let subject: String
        /// What the page shows, in its order.
        let facts: [(name: String, value: String)]
        /// Against pages of others that would sign somebody out.
        let formSecret: String
    }
    private let table = Mutex(ExpiringTable<Session>(lifetime: 3600))

    static let cookieName = "__Host-demo-session"

    func begin(_ client: TestClient, _ user: DemoUser) -> String {
        let name = Randomness.text()
        let session = Session(
            client: client, issuer: user.issuer, subject: user.subject, facts: user.facts,
            formSecret: Randomness.text())
        table.withLock { $0.insert(session, under: name, now: SystemClock.elapsed()) }
        return "\(Self.cookieName)=\(name); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    func session(_ request: WebRequest) -> Session? {
        request.cookie(Self.cookieName).flatMap { name in
            table.withLock { $0.value(name, now: SystemClock.elapsed()) }
        }
    }

    /// A provider says who is logged out; the sandbox's names the person, and so all of their sessions.
    func end(_ notice: LogoutNotice) {
        table.withLock { $0.removeAll { $0.issuer == notice.issuer && $0.subject == notice.subject } }
    }

    /// False: it was not that session's form.
    func end(_ request: WebRequest) -> Bool {
        guard request.isFromOwnPages, let name = request.cookie(Self.cookieName), let session = session(request),
            let secret = request.form?["secret"], Randomness.isSame(secret, session.formSecret)
        else { return false }
        return table.withLock { $0.take(name, now: SystemClock.elapsed()) } != nil
    }

    static let goneCookie = "\(cookieName)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"
}
