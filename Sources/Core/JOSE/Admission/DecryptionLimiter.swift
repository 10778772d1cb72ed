internal import Synchronization

/// How many private-key operations may run at once, and how many callers may wait for one: so that a flood of encrypted tokens
/// leaves the process time for everything else. One limiter is given to all policies that are to share it
/// (``EncryptionPolicy/limiter``), and then counts for all their decrypters and verifiers together.
///
/// Counted are RSA, key agreement and PBES2, once everything is settled that needs no key: what is refused for its size, shape, header,
/// algorithm or key name never meets the limiter. A symmetric key costs no more than a MAC does and is not counted.
///
/// A synchronous call never waits, nor does a batch: the thread that it would hold may be the one that another needs to get on. Where no
/// place is free it throws `overloaded(.busy)` at once. An `async` call waits in turn, first come first served, without holding a thread.
public final class DecryptionLimiter: Sendable {
    /// Operations at once.
    public let maxConcurrent: Int
    /// Callers that may wait.
    public let maxQueued: Int
    /// The longest that a caller waits here, whatever else it would wait for.
    public let timeout: Duration
    private let line: Mutex<LimiterQueue>

    /// `maxConcurrent` below the number of cores leaves the others to what is not encrypted; below 1 it is taken as 1, and `maxQueued` below
    /// 0 as 0.
    public init(maxConcurrent: Int, maxQueued: Int, timeout: Duration = .seconds(1)) {
        self.maxConcurrent = max(1, maxConcurrent)
        self.maxQueued = max(0, maxQueued)
        self.timeout = timeout
        line = Mutex(LimiterQueue(free: self.maxConcurrent))
    }

    /// Operations that run now.
    public var running: Int { line.withLock { maxConcurrent - $0.free } }
    /// Callers that wait now.
    public var queued: Int { line.withLock { $0.count } }
    /// Calls that were refused since the limiter was made.
    public var rejected: Int { line.withLock { $0.refused } }

    /// Takes a place, or throws: one who came later never passes one who waits.
    package func enter() throws(JOSEError) {
        let isIn = line.withLock { line in
            if line.take() { return true }
            line.refused += 1
            return false
        }
        guard isIn else { throw .overloaded(.busy) }
    }

    /// Of a call that was told `busy` and now asks in turn: it counts by how that ends.
    package func asksAgain() { line.withLock { $0.refused -= 1 } }

    /// Gives the place to the one who has waited longest.
    package func leave() {
        line.withLock { $0.leave() }?.resume(.entered)
    }

    /// The same as `enter`, in turn. Throws `overloaded`, and `CancellationError` where the task was cancelled; whoever throws has no
    /// place, neither here nor in the line.
    package func enter(timeout limit: Duration?) async throws {
        if line.withLock({ $0.take() }) { return }
        let limit = limit.map { min($0, timeout) } ?? timeout
        let ticket = LimiterTicket()
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = line.withLock { line -> LimiterWaitEnd? in
                    if Task.isCancelled { return .cancelled }
                    if line.take() { return .entered }
                    guard limit > .zero else { return .refused(.timedOut) }
                    guard line.count < maxQueued else { return .refused(.queueFull) }
                    line.enter(ticket, continuation)
                    return nil
                }
                if let end { return continuation.resume(returning: end) }
                setTimer(ticket, limit)
            }
        } onCancel: {
            // Whoever was cancelled before it waited has seen that when it entered.
            line.withLock { $0.remove(ticket) }?.resume(.cancelled)
        }
        switch end {
        case .entered: return
        case .cancelled: throw CancellationError()
        case .refused(let overload):
            line.withLock { $0.refused += 1 }
            throw JOSEError.overloaded(overload)
        }
    }

    /// A task that only sleeps; it ends with the wait.
    private func setTimer(_ ticket: LimiterTicket, _ limit: Duration) {
        let timer = Task.detached { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.line.withLock { $0.remove(ticket) }?.resume(.refused(.timedOut))
        }
        // The turn may have come in between.
        let isKept = line.withLock { $0.keep(timer, of: ticket) }
        if !isKept { timer.cancel() }
    }
}

extension DecryptionLimiter: CustomStringConvertible {
    public var description: String { "DecryptionLimiter(maxConcurrent: \(maxConcurrent), maxQueued: \(maxQueued))" }
}

/// Why a token was not decrypted though nothing speaks against it: there are too many.
@nonexhaustive public enum OverloadReason: Equatable, Sendable {
    /// No place is free, and a synchronous call does not wait.
    case busy
    /// No place is free, and no room in the queue.
    case queueFull
    /// No place came free in the time that the caller gave, or that the limiter does.
    case timedOut
}
