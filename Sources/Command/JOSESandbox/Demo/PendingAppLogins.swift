internal import JOSERelyingParty
internal import Synchronization

/// Logins that wait for an app which may not answer, by the value of a cookie. The service has its own timeout for
/// them.
final class PendingAppLogins: Sendable {
    struct Login: Sendable {
        let name: String
        let binding: String
        /// The time at which the login began, in seconds of `elapsed`.
        let began: Double
    }
    private let table = Mutex(ExpiringTable<Login>(lifetime: 7200))
    private let elapsed: @Sendable () -> Double

    private static let cookieName = "__Host-demo-waiting"
    /// The timeout in seconds, which is DigiD's own.
    private static let limit = 900.0

    init(_ elapsed: @escaping @Sendable () -> Double) { self.elapsed = elapsed }

    func begin(_ name: String, binding: String) -> String {
        let key = Randomness.text()
        let now = elapsed()
        table.withLock { $0.insert(Login(name: name, binding: binding, began: now), under: key, now: now) }
        return "\(Self.cookieName)=\(key); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    /// Returns the login that this browser waits for.
    func login(_ request: WebRequest) -> Login? {
        request.cookie(Self.cookieName).flatMap { key in table.withLock { $0.value(key, now: elapsed()) } }
    }

    /// Removes and returns the login that this browser waits for.
    func take(_ request: WebRequest) -> Login? {
        request.cookie(Self.cookieName).flatMap { key in table.withLock { $0.take(key, now: elapsed()) } }
    }

    /// Removes the login that this browser waits for, because its answer came.
    func end(_ name: String, _ request: WebRequest) {
        if login(request)?.name == name { _ = take(request) }
    }

    func isOver(_ login: Login) -> Bool { elapsed() - login.began >= Self.limit }
}
