internal import JOSESupport
internal import Synchronization

/// A limit on concurrent private-key operations, so that encrypted tokens cannot occupy all CPU cores.
///
/// Set one limiter as the ``EncryptionPolicy/limiter`` of several policies, and it limits all their decrypters and
/// verifiers together. RSA decryption, key agreement and PBES2 take a slot, after every check that needs no key: a
/// token that is rejected for its size, structure, header, algorithm or `kid` never takes one. Operations with
/// symmetric keys cost no more than a MAC and take none.
///
/// A synchronous call or a batch never waits, because it would block a thread that another call may need in order to
/// finish. If no slot is free, it throws `overloaded(.busy)` at once. An `async` call waits in a queue, without
/// blocking a thread.
///
/// The queue is first in, first out, for callers that name no client. Where they do, each client has a line of its own;
/// the lines take turns, and if the queue is full, a caller replaces the newest one in the longest line, if
/// that line is longer than its own. Tokens that a `TokenVerifier` has accepted before, of which the limiter remembers
/// 16,384 as hashes, alternate with all others, so that they are still verified in a flood of forged ones. That decides
/// about turns alone.
public final class DecryptionLimiter: Sendable {
    /// The largest number of concurrent operations.
    package let maxConcurrent: Int
    /// The largest number of callers that wait.
    package var maxQueued: Int { queue.withLock { $0.maxQueued } }
    /// The longest time that a caller waits in the queue, even if its own timeout is longer.
    package var timeout: Duration { queue.withLock { $0.timeout } }
    private let queue: Mutex<LimiterQueue>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of concurrent operations; values below 1 count as 1. Use fewer than there
    ///     are CPU cores, so that the others stay free for other work.
    ///   - maxQueued: The largest number of callers that wait; values below 0 count as 0.
    ///   - timeout: The longest time that a caller waits.
    public init(maxConcurrent: Int, maxQueued: Int, timeout: Duration = .seconds(1)) {
        self.maxConcurrent = max(1, maxConcurrent)
        queue = Mutex(LimiterQueue(free: self.maxConcurrent, maxQueued: max(0, maxQueued), timeout: timeout))
    }

    /// Adopts other bounds, for callers that begin to wait from now on.
    package func setBounds(maxQueued: Int, timeout: Duration) {
        queue.withLock { queue in
            queue.maxQueued = max(0, maxQueued)
            queue.timeout = timeout
        }
    }

    /// The number of operations that are running now.
    public var running: Int { queue.withLock { maxConcurrent - $0.free } }
    /// The number of callers that are waiting now.
    public var queued: Int { queue.withLock { $0.count } }
    /// The number of calls that were rejected since the limiter was created.
    public var rejected: Int { queue.withLock { $0.rejected } }

    /// Takes a slot without waiting. Callers that wait in the queue come before this one.
    package func enter() throws(JOSEError) {
        let isIn = queue.withLock { queue in
            if queue.take() { return true }
            queue.rejected += 1
            return false
        }
        guard isIn else { throw .overloaded(.busy) }
    }

    /// Removes one rejection from the count, for a call that was rejected as `busy` and now waits in the queue: it
    /// counts by how that ends.
    package func retractRejection() { queue.withLock { $0.rejected -= 1 } }

    /// Remembers a token that was valid, by its hash: it has its turns apart from tokens that are not known to be.
    package func remember(_ token: Int) { queue.withLock { $0.remember(token) } }

    /// Returns a slot, which the callers take whose turn it is.
    package func leave() {
        while true {
            var next = queue.withLock { $0.leave() }
            if next.isEmpty { return }
            while !next.isEmpty {
                let first = next.removeFirst()
                if first.wait.end(.entered(next)) { return }
                // This caller has just given up, and the slot goes to the next.
            }
        }
    }

    /// Takes a slot, and waits for it in the line of `share`. Throws `overloaded`, and `cancelled` if the task was
    /// cancelled; a caller that gets an error has no slot and is not in the queue.
    package func enter(timeout limit: Duration?, share: LimiterShare = LimiterShare()) async throws(JOSEError) {
        _ = try await wait(for: nil, timeout: limit, share: share)
    }

    /// Takes a slot as `enter(timeout:share:)` does, and decrypts a key in it, together with those of callers that wait
    /// for the same. The key may also be decrypted in the slot of such a caller. Without a job, the caller decrypts in
    /// its slot alone.
    ///
    /// - Returns: The outcome, and whether the caller has a slot, which it returns with `leave()`.
    package func unwrap(
        _ job: UnwrappingJob?, timeout limit: Duration?, share: LimiterShare
    ) async throws(JOSEError) -> (outcome: UnwrappingOutcome, hasSlot: Bool) {
        let (others, outcome) = try await wait(for: job, timeout: limit, share: share)
        if let outcome {
            guard case .notCovered = outcome else { return (outcome, false) }
            // The vectorized code left the key to libcrypto, for which this caller needs a slot of its own.
            try await enter(timeout: limit, share: share)
            return (.notCovered, true)
        }
        guard let job else { return (.notCovered, true) }
        let outcomes = KeyUnwrapping.runTogether([job] + others.compactMap(\.job))
        for (other, outcome) in zip(others, outcomes.dropFirst()) { other.wait.end(.unwrapped(outcome)) }
        return (outcomes[0], true)
    }

    /// Waits for a slot, and returns the callers whose keys are decrypted in it as well; or the outcome of `job`, if
    /// another caller has decrypted the key.
    private func wait(
        for job: UnwrappingJob?, timeout: Duration?, share: LimiterShare
    ) async throws(JOSEError) -> (others: [LimiterWaiter], outcome: UnwrappingOutcome?) {
        let (isIn, longest) = queue.withLock { ($0.take(), $0.timeout) }
        if isIn { return ([], nil) }
        let limit = timeout.map { min($0, longest) } ?? longest
        let waiter = LimiterWaiter(job)
        let end = await waiter.wait.value(within: limit, orElse: .rejected(.timedOut)) {
            let (end, ticket, displaced) = queue.withLock {
                queue -> (LimiterWaitEnd?, LimiterQueue.Ticket?, LimiterWaiter?) in
                if queue.take() { return (.entered([]), nil, nil) }
                guard limit > .zero else { return (.rejected(.timedOut), nil, nil) }
                let (ticket, displaced) = queue.enter(waiter, share)
                return (ticket == nil ? .rejected(.queueFull) : nil, ticket, displaced)
            }
            displaced?.wait.end(.rejected(.queueFull))
            if let ticket {
                waiter.wait.onAbandon { [self] in queue.withLock { $0.remove(ticket) } }
            } else if let end, !waiter.wait.end(end), case .entered = end {
                // The caller has given up since it took the slot, and then nobody else returns it.
                leave()
            }
        }
        switch end {
        case .entered(let others): return (others, nil)
        case .unwrapped(let outcome): return ([], outcome)
        case .cancelled: throw .cancelled
        case .rejected(let overload):
            queue.withLock { $0.rejected += 1 }
            throw .overloaded(overload)
        }
    }
}

extension DecryptionLimiter {
    /// Waits for a slot and calls `body`, so that the limit includes private-key operations of your own.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for a slot. The limiter's own timeout applies if this one is longer or nil.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: `JOSEError.overloaded`, `JOSEError.cancelled` if the task was cancelled while it waited, and the
    ///   errors of `body`.
    public func withSlot<Result: Sendable>(
        timeout limit: Duration? = nil, client: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await enter(timeout: limit, share: LimiterShare(client: client?.hashValue))
        defer { leave() }
        return try body()
    }
}

extension DecryptionLimiter: Described {
    package var summary: String { "DecryptionLimiter(maxConcurrent: \(maxConcurrent), maxQueued: \(maxQueued))" }
}

/// The reason why a ``DecryptionLimiter`` gave no slot to an operation. The token may be valid.
@nonexhaustive public enum OverloadReason: Equatable, Sendable {
    /// No slot is free, and a synchronous call does not wait.
    case busy
    /// No slot is free, and the queue is full.
    case queueFull
    /// No slot became free within the caller's or the limiter's timeout.
    case timedOut
}
