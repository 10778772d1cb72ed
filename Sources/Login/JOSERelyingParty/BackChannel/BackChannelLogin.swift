public import JOSE

/// A pending login that the back end began. The service stores the handle in the session that began the login.
public struct BackChannelLogin: Sendable {
    /// The handle, with which ``RelyingParty/poll(_:session:)`` continues the login.
    public let handle: String
    /// The time from which the login can no longer be completed.
    public let expires: NumericDate
    /// The shortest time between two requests to the provider, until the provider responds with `slow_down`.
    public let interval: Duration
    /// The earliest time at which a poll sends a request to the provider.
    public let nextPoll: NumericDate

    /// The minimum number of bytes of the secret of a session.
    package static let minimumSessionBytes = 16
}

/// The result of ``RelyingParty/poll(_:session:)``.
public enum BackChannelPoll: Sendable {
    /// The user has not decided yet. A poll before `nextPoll` sends no request to the provider.
    case pending(nextPoll: NumericDate)
    /// The user has logged in.
    case user(LoggedInUser)

    /// The user who has logged in; nil while the login is pending.
    public var user: LoggedInUser? { if case .user(let user) = self { user } else { nil } }
}

extension BackChannelLogin: Redacted {}
