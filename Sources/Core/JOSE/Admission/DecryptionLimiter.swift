internal import JOSEBytes
internal import Synchronization

/// A limit on concurrent private-key operations, so that encrypted tokens cannot occupy all CPU cores.
///
/// Set one limiter as the ``EncryptionPolicy/limiter`` of several policies, and it limits all their decrypters and
/// verifiers together. RSA decryption, key agreement and PBES2 take a slot, after every check that needs no key: a
/// token that is rejected for its size, structure, header, algorithm or `kid` never takes one. Operations with
/// symmetric keys cost no more than a MAC and take none.
///
/// A synchronous call or a batch never waits, because it would block a thread that another call may need in order to
/// finish. If no slot is free, it throws `overloaded(.busy)` at once. An `async` call waits in first-in, first-out
/// order, without blocking a thread.
public final class DecryptionLimiter: Sendable {
    /// The largest number of concurrent operations.
    public let maxConcurrent: Int
    /// The largest number of callers that wait.
    public let maxQueued: Int
    /// The longest time that a caller waits in the queue, even if its own timeout is longer.
    public let timeout: Duration
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
        self.maxQueued = max(0, maxQueued)
        self.timeout = timeout
        queue = Mutex(LimiterQueue(free: self.maxConcurrent))
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

    /// Returns a slot, which the caller that has waited longest takes.
    package func leave() {
        while let waiter = queue.withLock({ $0.leave() }) {
            if waiter.end(.entered) { return }
            // This caller has just given up, and the slot goes to the next.
        }
    }

    /// Takes a slot, and waits for it in first-in, first-out order. Throws `overloaded`, and `cancelled` if the
    /// task was cancelled; a caller that gets an error has no slot and is not in the queue.
    package func enter(timeout limit: Duration?) async throws(JOSEError) {
        if queue.withLock({ $0.take() }) { return }
        let limit = limit.map { min($0, timeout) } ?? timeout
        let wait = LimiterQueue.Waiter(cancelled: .cancelled)
        let end = await wait.value(within: limit, orElse: .rejected(.timedOut)) {
            let (end, number) = queue.withLock { queue -> (LimiterWaitEnd?, UInt64) in
                if queue.take() { return (.entered, 0) }
                guard limit > .zero else { return (.rejected(.timedOut), 0) }
                guard queue.count < maxQueued else { return (.rejected(.queueFull), 0) }
                return (nil, queue.enter(wait))
            }
            if let end {
                // The caller may have given up since it took the slot, and then nobody else returns it.
                if !wait.end(end), case .entered = end { leave() }
            } else {
                wait.onAbandon { [self] in queue.withLock { $0.remove(number) } }
            }
        }
        switch end {
        case .entered: return
        case .cancelled: throw .cancelled
        case .rejected(let overload):
            queue.withLock { $0.rejected += 1 }
            throw .overloaded(overload)
        }
    }
}

extension DecryptionLimiter: CustomStringConvertible {
    public var description: String { "DecryptionLimiter(maxConcurrent: \(maxConcurrent), maxQueued: \(maxQueued))" }
}

/// The reason why a ``DecryptionLimiter`` did not admit an operation. The token may be valid.
@nonexhaustive public enum OverloadReason: Equatable, Sendable {
    /// No slot is free, and a synchronous call does not wait.
    case busy
    /// No slot is free, and the queue is full.
    case queueFull
    /// No slot became free within the caller's or the limiter's timeout.
    case timedOut
}
