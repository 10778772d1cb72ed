/// One token, told from every other of its kind: its issuer and its `jti`, and how long a second one could pass.
public struct ReplayMark: Sendable {
    /// Who chose the `jti`; two issuers may choose the same (RFC 7519, 4.1.7).
    public let issuer: String
    /// Its `jti`, chosen by the issuer and as long as a token may be.
    public let tokenID: String
    /// Seconds since 1970 from which on the token is refused for its age alone, the leeway included.
    public let expiration: Double
    /// The client whose share of a bounded store the mark takes: the issuer, unless issuers cost nothing to make up, as the keys of
    /// DPoP proofs do.
    public let share: String

    /// Creates a mark, for stores of your own and their tests; verifiers make theirs.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the token, who chose its `jti`.
    ///   - tokenID: The `jti` of the token.
    ///   - expiration: The time in seconds since 1970 from which on the token is rejected as expired, the leeway included.
    ///   - share: The client whose share of the store the mark takes; nil for the issuer.
    public init(issuer: String, tokenID: String, expiration: Double, share: String? = nil) {
        self.issuer = issuer
        self.tokenID = tokenID
        self.expiration = expiration
        self.share = share ?? issuer
    }
}

/// What a store says of a mark.
public enum ReplayAnswer: Sendable, Equatable {
    /// The mark was not kept before, and is kept from now until its expiration.
    case fresh
    /// The mark is already kept, and has not expired.
    case seen
    /// The mark's expiration has passed, or marks of that expiration may already have been removed. It is not kept, and the token
    /// must be rejected: whether it was used before is not known.
    case expired
    /// Nothing more can be kept: the token must be refused, for its second use would not be known.
    case full
    /// The mark's `share` is used up, while others still have room. The mark is not kept, and the token must be rejected.
    case shareFull
    /// The store cannot be asked.
    case unavailable
}

/// Remembers which tokens were used.
///
/// A store of your own meets three rules:
///
/// - The lookup and the insertion are one atomic step, so that of any number of simultaneous calls with equal marks one alone is
///   answered `fresh`.
/// - `fresh` is answered only for a mark that the store keeps from then on until the mark's expiration. A mark whose expiration is not
///   after `now` is `expired`, and so is one whose time to live, as the store measures it, is zero or negative.
/// - A call may arrive with an earlier `now` than a call before it, because threads read the clock before they reach the store. A mark
///   that expired and was removed by the later `now` must not be `fresh` again by the earlier one. A store that removes marks therefore
///   remembers *t*, the latest expiration of all marks that it removed, and answers `expired` for every mark that it does not keep and
///   whose expiration is *t* or earlier.
public protocol ReplayStore: Sendable {
    /// Keeps a mark unless it is kept already.
    ///
    /// - Parameters:
    ///   - mark: The token that is used, and the time up to which a second use must be recognized.
    ///   - now: The time in seconds since 1970, by the clock of the policy.
    /// - Returns: `fresh` if this is the first use and the mark is kept; every other answer rejects the token.
    func insert(_ mark: ReplayMark, now: Double) -> ReplayAnswer
}
