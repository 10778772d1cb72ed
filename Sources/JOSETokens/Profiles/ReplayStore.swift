/// One token, told from every other of its kind: its issuer and its `jti`, and how long a second one could pass.
public struct ReplayMark: Sendable {
    /// Who chose the `jti`; two issuers may choose the same (RFC 7519, 4.1.7).
    public let issuer: String
    /// Its `jti`, chosen by the issuer and as long as a token may be.
    public let tokenID: String
    /// Seconds since 1970 from which on the token is refused for its age alone, the leeway included.
    public let expiration: Double

    /// For stores of others and their tests; verifiers make their own.
    public init(issuer: String, tokenID: String, expiration: Double) {
        self.issuer = issuer
        self.tokenID = tokenID
        self.expiration = expiration
    }
}

/// What a store says of a mark.
public enum ReplayAnswer: Sendable, Equatable {
    /// Not seen before, and now kept until it expires.
    case fresh
    /// Kept already, and not expired.
    case seen
    /// Nothing more can be kept: the token must be refused, for its second use would not be known.
    case full
    /// The store cannot be asked.
    case unavailable
}

/// Remembers which tokens were used. The look and the keeping are one step, so that of two uses at the same moment one
/// alone is `fresh`.
public protocol ReplayStore: Sendable {
    /// `now` in seconds since 1970, by the clock of the policy. A mark is forgotten once it has expired, and never
    /// before.
    func insert(_ mark: ReplayMark, now: Double) -> ReplayAnswer
}
