package import JOSE
internal import JOSESupport

/// The wait of a driver for what a token lacks, with its bounds.
package struct TokenWait: Sendable {
    /// The time until which new keys, a slot of the limiter and external keys are awaited. With nil, external keys alone
    /// are awaited, without a limit.
    let end: ContinuousClock.Instant?
    /// The hash of the client that sent the token.
    private let client: Int?
    /// Whether the limiter's own timeout alone bounds the wait for a slot.
    private var isSlotApart = false
    /// The bound on the tokens that await keys.
    private var keyWaits: DecryptionLimiter?

    /// Creates the wait of a call with one limit for everything.
    init(until end: ContinuousClock.Instant?, client: String? = nil) {
        self.end = end
        self.client = client?.hashValue
    }

    /// Creates the wait of a server's request. A slot is awaited for the timeout of its limiter.
    ///
    /// - Parameters:
    ///   - time: The longest time that new keys are awaited.
    ///   - client: The hash of the client that sent the token.
    ///   - keyWaits: Has a slot for each token that awaits keys, because the senders of tokens determine how many do.
    package init(forKeys time: Duration, client: Int?, keyWaits: DecryptionLimiter) {
        end = ContinuousClock.now + time
        self.client = client
        self.keyWaits = keyWaits
        isSlotApart = true
    }

    /// The end of the waits for a slot and for external keys; nil if the limiter's timeout bounds the first, and nothing
    /// the second.
    var endOfCalls: ContinuousClock.Instant? { isSlotApart ? nil : end }
    /// The time that is left for a slot; nil if the limiter's own timeout bounds it.
    var timeForSlot: Duration? { endOfCalls.map { $0 - ContinuousClock.now } }

    /// Returns the share of a token in a limiter's queue.
    func share(of token: [UInt8]) -> LimiterShare { LimiterShare(client: client, token: token.hashValue) }

    /// Waits for new keys of a source by its rule, and returns whether a token should be verified once more that was
    /// rejected with this error.
    func newKeys(of source: any KeySource, after error: TokenError) async throws(TokenError) -> Bool {
        guard let end else { return false }
        do throws(JOSEError) { try keyWaits?.enter() } catch { return false }
        defer { keyWaits?.leave() }
        return try await source.awaitNewKeys(after: error, until: end)
    }
}
