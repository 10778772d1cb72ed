internal import Synchronization

/// How many private-key operations may run at once, and how many callers may wait for one: so that a flood of encrypted tokens
/// leaves the process time for everything else. One gate is given to all policies that are to share it
/// (``EncryptionPolicy/gate``), and then counts for all their decrypters and verifiers together.
///
/// Counted are RSA, key agreement and PBES2, once everything is settled that needs no key: what is refused for its size, shape, header,
/// algorithm or key name never meets the gate. A symmetric key costs no more than a MAC does and is not counted.
///
/// A synchronous call never waits, nor does a batch: the thread that it would hold may be the one that another needs to get on. Where no
/// place is free it throws `overloaded(.busy)` at once. An `async` call waits in turn, first come first served, without holding a thread.
public final class DecryptionGate: Sendable {
    /// Operations at once.
    public let concurrent: Int
    /// Callers that may wait.
    public let queued: Int
    /// The longest that a caller waits here, whatever else it would wait for.
    public let patience: Duration
    private let line: Mutex<GateLine>

    /// `concurrent` below the number of cores leaves the others to what is not encrypted; below 1 it is taken as 1, and `queued` below
    /// 0 as 0.
    public init(concurrent: Int, queued: Int, patience: Duration = .seconds(1)) {
        self.concurrent = max(1, concurrent)
        self.queued = max(0, queued)
        self.patience = patience
        line = Mutex(GateLine(free: self.concurrent))
    }

    /// Operations that run now.
    public var running: Int { line.withLock { concurrent - $0.free } }
    /// Callers that wait now.
    public var waiting: Int { line.withLock { $0.count } }
    /// Calls that were refused since the gate was made.
    public var refused: Int { line.withLock { $0.refused } }

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
    package func enter(within limit: Duration?) async throws {
        if line.withLock({ $0.take() }) { return }
        let limit = limit.map { min($0, patience) } ?? patience
        let ticket = GateTicket()
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = line.withLock { line -> GateEnd? in
                    if Task.isCancelled { return .cancelled }
                    if line.take() { return .entered }
                    guard limit > .zero else { return .refused(.timedOut) }
                    guard line.count < queued else { return .refused(.queueFull) }
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
    private func setTimer(_ ticket: GateTicket, _ limit: Duration) {
        let timer = Task.detached { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.line.withLock { $0.remove(ticket) }?.resume(.refused(.timedOut))
        }
        // The turn may have come in between.
        let isKept = line.withLock { $0.keep(timer, of: ticket) }
        if !isKept { timer.cancel() }
    }
}

extension DecryptionGate: CustomStringConvertible {
    public var description: String { "DecryptionGate(concurrent: \(concurrent), queued: \(queued))" }
}

/// Why a token was not decrypted though nothing speaks against it: there are too many.
@nonexhaustive public enum Overload: Equatable, Sendable {
    /// No place is free, and a synchronous call does not wait.
    case busy
    /// No place is free, and no room in the queue.
    case queueFull
    /// No place came free in the time that the caller gave, or that the gate does.
    case timedOut
}
