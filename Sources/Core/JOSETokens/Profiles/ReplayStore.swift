public import JOSE

/// The identity of a token that may be used once: its issuer, its `jti`, and the time until which a second use must be
/// recognized.
public struct ReplayMark: Sendable {
    /// The issuer of the token, which chose the `jti`. Another issuer may choose an equal one (RFC 7519, 4.1.7).
    public let issuer: String
    /// The `jti` of the token. Its length is limited only by that of the token.
    public let tokenID: String
    /// The time from which on the token is rejected as expired, with the leeway added.
    public let expiration: NumericDate
    /// The client against whose limit a bounded store counts the mark. It is the issuer of the token; for a DPoP proof,
    /// whose issuer is a key that anyone can generate, it is the client.
    public let share: String

    /// Creates a mark, for custom stores and their tests; verifiers create their own.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the token, which chose its `jti`.
    ///   - tokenID: The `jti` of the token.
    ///   - expiration: The time from which on the token is rejected as expired, with the leeway added.
    ///   - share: The client against whose limit a bounded store counts the mark; nil for the issuer.
    public init(issuer: String, tokenID: String, expiration: NumericDate, share: String? = nil) {
        self.issuer = issuer
        self.tokenID = tokenID
        self.expiration = expiration
        self.share = share ?? issuer
    }
}

/// The answer of a replay store when a mark is to be added.
public enum ReplayAnswer: Sendable, Equatable {
    /// The mark was not in the store. It was added and is kept until its expiration.
    case fresh
    /// The mark is already in the store, and has not expired.
    case seen
    /// The mark has expired, or marks with its expiration may already have been removed. It is not added, and the token must be
    /// rejected, because it is not known whether it was used before.
    case expired
    /// The store is full. The token must be rejected, because a second use could not be recognized.
    case full
    /// The store has as many marks of the mark's ``ReplayMark/share`` as it allows for one client; it still accepts
    /// those of others. The mark is not added, and the token must be rejected.
    case shareFull
    /// The store cannot be reached. The token must be rejected.
    case unavailable
}

/// A store that remembers which tokens were used.
///
/// A custom store follows three rules:
///
/// - The lookup and the insertion are one atomic step, so that of any number of simultaneous calls with equal marks
///   exactly one returns `fresh`.
/// - `fresh` is returned only for a mark that the store keeps until the mark's expiration. A mark whose expiration is
///   not after `now` is `expired`, and so is one whose time to live, as the store measures it, is zero or negative.
/// - A call may arrive with an earlier `now` than a call before it, because threads read the clock before they reach
///   the store. A mark that expired and was removed by the later `now` must not be `fresh` again by the earlier one. A
///   store that removes marks therefore remembers *t*, the latest expiration of all marks that it removed, and returns
///   `expired` for every mark that is not in it and whose expiration is *t* or earlier.
public protocol ReplayStore: Sendable {
    /// Adds a mark unless it is already in the store.
    ///
    /// - Parameters:
    ///   - mark: The mark of the token that is used.
    ///   - now: The time of the policy's clock.
    /// - Returns: `fresh` if this is the first use and the mark was added; every other answer rejects the token.
    func insert(_ mark: ReplayMark, now: NumericDate) -> ReplayAnswer
}
