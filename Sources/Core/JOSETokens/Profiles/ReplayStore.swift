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
    /// The mark has expired, or marks with its expiration may already have been removed. It is not added, and the token
    /// must be rejected, because it is not known whether it was used before.
    case expired
    /// The store is full. The token must be rejected, because a second use could not be recognized.
    case full
    /// The store has as many marks of the mark's ``ReplayMark/share`` as it allows for one client; it still accepts
    /// those of others. The mark is not added, and the token must be rejected.
    case shareFull
    /// The store cannot be reached. The token must be rejected.
    case unavailable
}

/// A store that remembers which tokens were used, and may answer asynchronously, such as one that several machines
/// share. A store that answers at once conforms to ``SynchronousReplayStore``.
///
/// A custom store follows three rules:
///
/// - The lookup and the insertion are one atomic step, so that of any number of simultaneous calls with equal marks
///   exactly one returns `fresh`.
/// - `fresh` is returned only for a mark that the store keeps until the mark's expiration. A mark whose expiration is
///   not after `now` is `expired`, and so is one whose time to live, as the store measures it, is zero or negative.
/// - A call may arrive with an earlier `now` than a call before it, because threads read the clock before they reach
///   the store. A mark that expired and was removed by the later `now` must not be `fresh` again by the earlier one. A
///   store that removes marks therefore remembers the expirations of the marks that it removed, or the latest one, and
///   rejects every mark that is not in it and has such an expiration (or one that is not later than the latest). The
///   clock may also have been set back: a store that remembers only the latest expiration then rejects every token
///   until the clock has reached it again.
public protocol ReplayStore: Sendable {
    /// Adds a mark unless it is already in the store.
    ///
    /// A call that is cancelled or takes too long returns `unavailable`; the mark may then be in the store, so that the
    /// token is lost and never accepted twice.
    ///
    /// - Parameters:
    ///   - mark: The mark of the token that is used.
    ///   - now: The time of the policy's clock.
    /// - Returns: `fresh` if this is the first use and the mark was added; every other answer rejects the token.
    func insert(_ mark: ReplayMark, now: NumericDate) async -> ReplayAnswer
}

/// A replay store that answers at once, such as one in memory. Verifiers with such a store have synchronous methods
/// too.
public protocol SynchronousReplayStore: ReplayStore {
    /// Adds a mark unless it is already in the store, and never waits.
    ///
    /// - Parameters:
    ///   - mark: The mark of the token that is used.
    ///   - now: The time of the policy's clock.
    /// - Returns: `fresh` if this is the first use and the mark was added; every other answer rejects the token.
    func insert(_ mark: ReplayMark, now: NumericDate) -> ReplayAnswer
}

extension SynchronousReplayStore {
    /// Marks a token as used. Its claims may have been checked long before, as in a batch, so that one reading of the
    /// clock decides here whether the token has expired and which marks the store may remove.
    func use(_ mark: ReplayMark, by clock: WallClock) throws(TokenError) {
        let now = try mark.checkedNow(clock)
        try insert(mark, now: now).check()
    }
}

extension ReplayStore {
    /// Marks a token as used, as a synchronous store does.
    func use(_ mark: ReplayMark, by clock: WallClock) async throws(TokenError) {
        let now = try mark.checkedNow(clock)
        try await insert(mark, now: now).check()
    }
}

extension ReplayMark {
    /// Reads the clock once.
    ///
    /// - Throws: `claim(.expired)` if the mark has expired.
    fileprivate func checkedNow(_ clock: WallClock) throws(TokenError) -> NumericDate {
        let now = try clock.checkedNow()
        guard expiration > now else { throw .claim(.expired) }
        return now
    }
}

extension ReplayAnswer {
    /// Throws the error of every answer but `fresh`.
    fileprivate func check() throws(TokenError) {
        switch self {
        case .fresh: return
        case .seen: throw .replay(.seen)
        case .expired: throw .claim(.expired)
        case .full: throw .replay(.storeFull)
        case .shareFull: throw .replay(.shareFull)
        case .unavailable: throw .replay(.storeUnavailable)
        }
    }
}
