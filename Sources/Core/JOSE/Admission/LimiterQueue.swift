internal import Synchronization

/// How a wait ended.
enum LimiterWaitEnd: Sendable {
    case entered, cancelled
    case refused(OverloadReason)
}

/// Where somebody stands in the line; 0 until they do. Read and written under the line's lock alone.
final class LimiterTicket: Sendable {
    fileprivate let number = Atomic<UInt64>(0)
}

/// One who waits.
struct LimiterWaiter: Sendable {
    fileprivate let continuation: CheckedContinuation<LimiterWaitEnd, Never>
    fileprivate var timer: Task<Void, Never>?

    /// Outside the lock.
    func resume(_ end: LimiterWaitEnd) {
        timer?.cancel()
        continuation.resume(returning: end)
    }
}

/// The places and those who wait for one. Each step takes the same time however long the line is: the number of one who left is
/// passed over once.
struct LimiterQueue {
    private(set) var free: Int
    var refused = 0
    private var waiters: [UInt64: LimiterWaiter] = [:]
    /// The number whose turn is next, unless its owner left.
    private var turn: UInt64 = 1
    /// The last that was given out.
    private var last: UInt64 = 0

    init(free: Int) { self.free = free }

    var count: Int { waiters.count }

    /// A place is free only where nobody waits: one that is given back goes to the next in line and not through here.
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

    /// Nil where they stand in the line no more, or not yet.
    mutating func remove(_ ticket: LimiterTicket) -> LimiterWaiter? {
        waiters.removeValue(forKey: ticket.number.load(ordering: .relaxed))
    }

    /// False where the wait is over.
    mutating func keep(_ timer: Task<Void, Never>, of ticket: LimiterTicket) -> Bool {
        let number = ticket.number.load(ordering: .relaxed)
        guard waiters[number] != nil else { return false }
        waiters[number]?.timer = timer
        return true
    }

    /// The one who has the place now; nil: nobody waited.
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
