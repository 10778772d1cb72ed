internal import JOSE
internal import JOSERelyingParty
internal import Synchronization

/// A login that the service begins once the provider has found the user.
struct PendingSearch: Sendable {
    enum Stage: Sendable {
        /// The user has not been found yet.
        case search(ItsmeUserDiscovery)
        /// The user has not decided yet.
        case login(handle: String, nextPoll: NumericDate)
    }
    /// The secret of the session, which is the value of a cookie.
    let session: String
    let stage: Stage
}

/// The pending searches, by the sessions of their browsers. Each is polled by one request at a time.
final class PendingSearches: Sendable {
    private let table = Mutex(ExpiringTable<(name: String, search: PendingSearch)>(lifetime: 900))

    private static let cookieName = "__Host-demo-search"

    /// Stores a search, and returns the cookie of its session.
    func put(_ search: PendingSearch, of name: String, now: Double) -> String {
        table.withLock { $0.insert((name, search), under: search.session, now: now) }
        return "\(Self.cookieName)=\(search.session); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    /// Removes and returns the search of the requesting browser.
    func take(_ name: String, _ request: WebRequest, now: Double) -> PendingSearch? {
        guard let session = request.cookie(Self.cookieName) else { return nil }
        return table.withLock { table in
            guard table.value(session, now: now)?.name == name else { return nil }
            return table.take(session, now: now)?.search
        }
    }
}
