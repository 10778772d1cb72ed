internal import JOSE
internal import JOSEBytes
internal import Synchronization

/// What a driver awaits for a token, and until when.
package struct TokenWait: Sendable {
    /// The time until which new keys and a slot of the limiter are awaited; nil if external keys alone are.
    let end: ContinuousClock.Instant?
    /// Whether the limiter's own timeout alone bounds the wait for a slot.
    private let hasTimeForSlot: Bool
    /// The hash of the client that sent the token.
    private let client: Int?
    private let limit: KeyWaitLimit?

    /// Creates the wait of a call with one limit for everything.
    ///
    /// - Parameters:
    ///   - end: The time until which new keys and a slot are awaited; nil if external keys alone are.
    ///   - client: The client that sent the token.
    init(until end: ContinuousClock.Instant?, client: String? = nil) {
        self.end = end
        self.client = client?.hashValue
        hasTimeForSlot = false
        limit = nil
    }

    /// Creates the wait of a server's request. A slot is awaited for the timeout of the limiter.
    ///
    /// - Parameters:
    ///   - time: The longest time that new keys are awaited.
    ///   - client: The hash of the client that sent the token.
    ///   - limit: The bound on the tokens that await keys.
    package init(forKeys time: Duration, client: Int?, limit: KeyWaitLimit) {
        end = ContinuousClock.now + time
        self.client = client
        hasTimeForSlot = true
        self.limit = limit
    }

    /// The time that is left for a slot; nil if the limiter's own timeout bounds it.
    var timeForSlot: Duration? { hasTimeForSlot ? nil : end.map { $0 - ContinuousClock.now } }

    /// Returns the share of a token in a limiter's queue.
    func share(of token: [UInt8]) -> LimiterShare { LimiterShare(client: client, token: token.hashValue) }

    /// Waits for new keys of a source by its rule, and returns whether a token should be verified once more that was
    /// rejected with this error.
    func newKeys(of source: any KeySource, after error: TokenError) async throws(TokenError) -> Bool {
        guard let end, limit?.enter() ?? true else { return false }
        defer { limit?.leave() }
        return try await source.awaitNewKeys(after: error, until: end)
    }
}

/// A bound on the tokens that await keys at the same time, because their senders determine how many there are.
package final class KeyWaitLimit: Sendable {
    private let maximum: Int
    private let count = Atomic(0)

    /// - Parameter maximum: The largest number of tokens.
    package init(_ maximum: Int) { self.maximum = maximum }

    fileprivate func enter() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= maximum { return true }
        leave()
        return false
    }

    fileprivate func leave() { count.subtract(1, ordering: .relaxed) }
}
