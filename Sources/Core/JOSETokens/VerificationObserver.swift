public import JOSE

/// The outcome of verifying one token. It contains nothing of the token.
public struct Verification: Sendable {
    /// The error with which the token was not accepted; nil if it was accepted. ``isRejected`` tells whether it was
    /// rejected, or could not be verified now.
    public let error: TokenError?
    /// The algorithm of the signature; nil if the token was not accepted or has no signature.
    public let algorithm: SignatureAlgorithm?
    /// The issuer as it is configured: that of the policy, or the trusted issuer that the token names; nil if the
    /// policy does not name exactly one, or if the token names none that is trusted.
    public let issuer: String?
    /// Whether the outcome of the layers was in the cache.
    public let isFromCache: Bool
    /// The number of tokens in the part of a batch that one thread verified; nil for a token that ``BatchVerifier`` did
    /// not verify, also if a ``CoalescingVerifier`` verified it together with others.
    public let batchCount: Int?
    /// The time from the call to its end, with all waits; nil if the observer does not ask for it, and for a token of a
    /// batch.
    public let duration: Duration?

    /// Whether the token was accepted.
    public var isAccepted: Bool { error == nil }
    /// Whether the token was rejected. A token is neither accepted nor rejected if keys, capacity or a service were not
    /// available: its error is retryable, and a later attempt may accept it.
    public var isRejected: Bool { error.map { !$0.isRetryable } ?? false }

    fileprivate init(
        _ error: TokenError?, _ algorithm: SignatureAlgorithm?, issuer: String?, isFromCache: Bool, batchCount: Int?,
        _ duration: Duration?
    ) {
        self.error = error
        self.algorithm = algorithm
        self.issuer = issuer
        self.isFromCache = isFromCache
        self.batchCount = batchCount
        self.duration = duration
    }
}

/// An object that is told of each verification, for logs, metrics and traces.
///
/// It is called before the result is returned, on the thread that verified the token, or for a batch in the task of the
/// caller, and so must neither block nor take long. The library allocates nothing for it.
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

/// The observer of a verifier, which tells it of each outcome.
struct VerificationReporter: Sendable {
    private let observer: (any VerificationObserver)?
    /// The issuer as it is configured, if the policy names exactly one.
    private let issuer: String?

    init(_ observer: (any VerificationObserver)?, issuer: String?) {
        self.observer = observer
        self.issuer = issuer
    }

    /// Whether there is an observer.
    var isObserved: Bool { observer != nil }

    /// Returns the time at which a verification begins, if the observer wants to know how long it takes.
    func begin() -> ContinuousClock.Instant? { observer?.measuresDuration == true ? ContinuousClock.now : nil }

    /// Tells the observer of a token.
    ///
    /// - Parameters:
    ///   - error: The error with which the token was not accepted; nil if it was accepted.
    ///   - algorithm: The algorithm of the signature, if the token was accepted and has one.
    ///   - named: The issuer that the token names, among several.
    func report(
        _ error: TokenError?, _ algorithm: SignatureAlgorithm?, _ origin: TokenOrigin, issuer named: String? = nil,
        batchCount: Int? = nil, begun: ContinuousClock.Instant?
    ) {
        let duration = begun.map { ContinuousClock.now - $0 }
        observer?.didVerify(
            Verification(
                error, algorithm, issuer: named ?? issuer, isFromCache: origin.isFromCache, batchCount: batchCount,
                duration))
    }

    /// Calls `verify`, and tells the observer of the outcome. `algorithm` returns the algorithm of what was verified.
    func observe<Value>(
        _ algorithm: (Value) -> SignatureAlgorithm?, _ verify: (inout TokenOrigin) throws(TokenError) -> Value
    ) throws(TokenError) -> Value {
        let begun = begin()
        var origin = TokenOrigin()
        do throws(TokenError) {
            let value = try verify(&origin)
            report(nil, algorithm(value), origin, begun: begun)
            return value
        } catch {
            report(error, nil, origin, begun: begun)
            throw error
        }
    }

    /// Calls `verify`, which may wait, and tells the observer of the outcome. A cancelled call has none.
    func observeAwaiting<Value>(
        _ algorithm: (Value) -> SignatureAlgorithm?, _ verify: (inout TokenOrigin) async throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        let begun = begin()
        var origin = TokenOrigin()
        do throws(TokenError) {
            let value = try await verify(&origin)
            report(nil, algorithm(value), origin, begun: begun)
            return value
        } catch {
            if error != .cancelled { report(error, nil, origin, begun: begun) }
            throw error
        }
    }
}
