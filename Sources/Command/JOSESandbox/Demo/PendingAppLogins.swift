internal import JOSERelyingParty
internal import Synchronization

/// Logins that have gone to an app which may say nothing, by the value of a cookie: the service has a timer of its own.
final class PendingAppLogins: Sendable {
    struct Login: Sendable {
        let name: String
        let binding: String
        /// Seconds, of the clock below.
        let began: Double
    }
    private let table = Mutex(ExpiringTable<Login>(lifetime: 7200))
    private let elapsed: @Sendable () -> Double

    private static let cookieName = "__Host-demo-waiting"
    /// Seconds: as long as DigiD gives its user.
    private static let limit = 900.0

    init(_ elapsed: @escaping @Sendable () -> Double) { self.elapsed = elapsed }

    func begin(_ name: String, binding: String) -> String {
        let key = Randomness.text()
        let now = elapsed()
        table.withLock { $0.insert(Login(name: name, binding: binding, began: now), under: key, now: now) }
        return "\(Self.cookieName)=\(key); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    /// The login that this browser waits for.
    func login(_ request: WebRequest) -> Login? {
        request.cookie(Self.cookieName).flatMap { key in table.withLock { $0.value(key, now: elapsed()) } }
    }

    /// The same, which nobody waits for then.
    func take(_ request: WebRequest) -> Login? {
        request.cookie(Self.cookieName).flatMap { key in table.withLock { $0.take(key, now: elapsed()) } }
    }

    /// Something came back.
    func end(_ name: String, _ request: WebRequest) {
        if login(request)?.name == name { _ = take(request) }
    }

    func isOver(_ login: Login) -> Bool { elapsed() - login.began >= Self.limit }
}
