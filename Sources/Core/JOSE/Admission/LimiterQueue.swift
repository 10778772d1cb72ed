internal import Synchronization

/// The end of a wait.
enum LimiterWaitEnd: Sendable {
    case entered, cancelled
    case rejected(OverloadReason)
}

/// The number of a caller in the queue; 0 until it has one. It is read and written under the queue's lock only.
final class LimiterTicket: Sendable {
    fileprivate let number = Atomic<UInt64>(0)
}

/// A caller that waits.
struct LimiterWaiter: Sendable {
    fileprivate let continuation: CheckedContinuation<LimiterWaitEnd, Never>
    fileprivate var timer: Task<Void, Never>?

    /// Resumes the caller. It is called outside the lock.
    func resume(_ end: LimiterWaitEnd) {
        timer?.cancel()
        continuation.resume(returning: end)
    }
}

/// The free slots, and the callers that wait for one. Each operation takes constant time, however long the queue is:
/// the number of a caller that left is skipped once.
struct LimiterQueue {
    private(set) var free: Int
    var rejected = 0
    private var waiters: [UInt64: LimiterWaiter] = [:]
    /// The number that is next, unless its caller has left.
    private var turn: UInt64 = 1
    /// The last number that was assigned.
    private var last: UInt64 = 0

    init(free: Int) { self.free = free }

    var count: Int { waiters.count }

    /// Takes a free slot. There is one only where nobody waits, because a slot that is returned goes to the next caller
    /// in the queue.
    mutating func take() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    mutating func enter(_ ticket: LimiterTicket, _ continuation: CheckedContinuation<LimiterWaitEnd, Never>) {
        last += 1
        ticket.number.store(last, ordering: .relaxed)
        waiters[last] = LimiterWaiter(continuation: continuation)
    }

    /// Removes a caller and returns it, or nil where it is no longer or not yet in the queue.
    mutating func remove(_ ticket: LimiterTicket) -> LimiterWaiter? {
        waiters.removeValue(forKey: ticket.number.load(ordering: .relaxed))
    }

    /// Stores the timer of a caller. Returns false where the wait is over.
    mutating func keep(_ timer: Task<Void, Never>, of ticket: LimiterTicket) -> Bool {
        let number = ticket.number.load(ordering: .relaxed)
        guard waiters[number] != nil else { return false }
        waiters[number]?.timer = timer
        return true
    }

    /// Returns a slot, and the caller that has it now; nil where nobody waited.
    mutating func leave() -> LimiterWaiter? {
        while !waiters.isEmpty {
            defer { turn += 1 }
            if let waiter = waiters.removeValue(forKey: turn) { return waiter }
        }
        turn = last + 1
        free += 1
        return nil
    }
}
