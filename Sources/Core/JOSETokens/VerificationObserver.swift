public import JOSE

/// The outcome of verifying one token. It contains nothing of the token.
public struct Verification: Sendable {
    /// The error with which the token was not accepted; nil if it was accepted. ``isRejected`` tells whether it was rejected, or could not
    /// be verified now.
    public let error: TokenError?
    /// The algorithm of the signature; nil if the token was not accepted or has no signature.
    public let algorithm: SignatureAlgorithm?
    /// The issuer as it is configured: that of the policy, or the trusted issuer that the token names; nil if the
    /// policy does not name exactly one, or if the token names none that is trusted.
    public let issuer: String?
    /// Whether the outcome of the layers was in the cache.
    public let isFromCache: Bool
    /// The number of tokens in the part of a batch that one thread verified; nil for a token that ``BatchVerifier`` did not verify,
    /// also if a ``CoalescingVerifier`` verified it together with others.
    public let batchCount: Int?
    /// The time from the call to its end, with all waits; nil if the observer does not ask for it, and for a token of a
    /// batch.
    public let duration: Duration?

    /// Whether the token was accepted.
    public var isAccepted: Bool { error == nil }
    /// Whether the token was rejected. A token is neither accepted nor rejected if keys, capacity or a service were not available: its
    /// error is retryable, and a later attempt may accept it.
    public var isRejected: Bool { error.map { !$0.isRetryable } ?? false }

    init(
        _ result: Result<VerifiedToken, TokenError>, issuer: String?, isFromCache: Bool, batchCount: Int?,
        _ duration: Duration?
    ) {
        switch result {
        case .success(let token): (error, algorithm) = (nil, token.algorithm)
        case .failure(let failure): (error, algorithm) = (failure, nil)
        }
        self.issuer = issuer
        self.isFromCache = isFromCache
        self.batchCount = batchCount
        self.duration = duration
    }
}

/// An object that is told of each verification, for logs, metrics and traces.
///
/// It is called before the result is returned, on the thread that verified the token, or for a batch in the task of the caller, and so
/// must neither block nor take long. The library allocates nothing for it.
public protocol VerificationObserver: Sendable {
    /// Whether ``Verification/duration`` is measured, which reads a clock twice for each token. False by default.
    var measuresDuration: Bool { get }
    /// Records the outcome of one token. It is called once for each token, also if the token could not be verified.
    func didVerify(_ verification: Verification)
}

extension VerificationObserver {
    /// Returns false by default, so that no clock is read.
    public var measuresDuration: Bool { false }
}
