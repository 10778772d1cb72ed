internal import JOSEBytes

/// The end of a wait.
enum LimiterWaitEnd: Sendable {
    case entered, cancelled
    case rejected(OverloadReason)
}

/// The free slots, and the callers that wait for one. Each operation takes constant time, however long the queue is:
/// the number of a caller that left is skipped once.
struct LimiterQueue {
    typealias Waiter = Wait<LimiterWaitEnd>

    private(set) var free: Int
    var rejected = 0
    private var waiters: [UInt64: Waiter] = [:]
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

    /// Appends a caller, and returns its number.
    mutating func enter(_ waiter: Waiter) -> UInt64 {
        last += 1
        waiters[last] = waiter
        return last
    }

    /// Removes a caller that has given up, if it is still in the queue.
    mutating func remove(_ number: UInt64) { waiters[number] = nil }

    /// Returns a slot, and the caller that has it now; nil where nobody waited.
    mutating func leave() -> Waiter? {
        while !waiters.isEmpty {
            defer { turn += 1 }
            if let waiter = waiters.removeValue(forKey: turn) { return waiter }
        }
        turn = last + 1
        free += 1
        return nil
    }
}
