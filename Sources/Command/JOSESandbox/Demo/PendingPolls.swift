internal import JOSE
internal import JOSERelyingParty
internal import Synchronization

/// A login or an age proof that the service has begun, and for whose outcome it polls.
struct PendingPoll: Sendable {
    enum Stage: Sendable {
        /// The provider has not found the user of the login yet.
        case search(ItsmeUserDiscovery)
        /// The user of the login has not decided yet.
        case login(handle: String, nextPoll: NumericDate)
        /// The user has not proven an age yet.
        case ageProof(AltIDPendingProof, nextPoll: NumericDate)
    }
    /// The secret of the session, which is the value of a cookie.
    let session: String
    let stage: Stage
}

/// The pending polls, by the sessions of their browsers. Each is continued by one request at a time.
final class PendingPolls: Sendable {
    private let table = Mutex(ExpiringTable<(name: String, poll: PendingPoll)>(lifetime: 900))

    private static let cookieName = "__Host-demo-poll"

    /// Stores a poll, and returns the cookie of its session.
    func put(_ poll: PendingPoll, of name: String, now: Double) -> String {
        table.withLock { $0.insert((name, poll), under: poll.session, now: now) }
        return "\(Self.cookieName)=\(poll.session); Path=/; Secure; HttpOnly; SameSite=Lax"
    }

    /// Removes and returns the poll of the requesting browser.
    func take(_ name: String, _ request: WebRequest, now: Double) -> PendingPoll? {
        guard let session = request.cookie(Self.cookieName) else { return nil }
        return table.withLock { table in
            guard table.value(session, now: now)?.name == name else { return nil }
            return table.take(session, now: now)?.poll
        }
    }
}
