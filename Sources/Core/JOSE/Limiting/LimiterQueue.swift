internal import JOSESupport

/// The end of a wait.
enum LimiterWaitEnd: Sendable {
    /// The caller has a slot, in which it decrypts its own key and those of the other callers, and ends their waits.
    case entered([LimiterWaiter])
    /// Another caller has decrypted the key in its slot.
    case unwrapped(UnwrappingOutcome)
    case cancelled
    case rejected(OverloadReason)
}

/// A caller that waits for a slot.
final class LimiterWaiter: Sendable {
    /// The decryption that may be done in the slot of another caller; nil where the caller needs a slot of its own.
    let job: UnwrappingJob?
    let wait = Wait<LimiterWaitEnd>(cancelled: .cancelled)

    init(_ job: UnwrappingJob?) { self.job = job }
}

/// The share that a caller has of a limiter's queue. Its hashes are Swift's, whose seed nobody outside the process
/// knows.
package struct LimiterShare: Sendable {
    /// The hash of the client; nil if it is not known.
    let client: Int?
    /// The hash of the token; nil if it does not matter whether the token was valid before.
    let token: Int?

    package init(client: Int? = nil, token: Int? = nil) {
        self.client = client
        self.token = token
    }
}

/// The free slots of a limiter, and the callers that wait for one.
struct LimiterQueue {
    typealias Ticket = FairQueue<LimiterWaiter>.Ticket

    /// The largest number of tokens that are remembered as valid.
    private static let maxKnown = 16_384

    private(set) var free: Int
    var maxQueued: Int
    var timeout: Duration
    var rejected = 0
    private var waiters = FairQueue<LimiterWaiter>()
    /// The hashes of tokens that were valid. They decide about turns alone.
    private var known = ExpiringMap<Int, Bool>(countLimit: Self.maxKnown, eviction: .unused)

    init(free: Int, maxQueued: Int, timeout: Duration) {
        self.free = free
        self.maxQueued = maxQueued
        self.timeout = timeout
    }

    var count: Int { waiters.count }

    /// Takes a free slot. There is one only where nobody waits, because a slot that is returned goes to the next caller
    /// in the queue.
    mutating func take() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    /// Adds a caller to the line of its share.
    ///
    /// - Returns: The ticket of the caller, or nil if there is no room for it; and the caller whose room it took, if
    ///   any.
    mutating func enter(
        _ waiter: LimiterWaiter, _ share: LimiterShare
    ) -> (ticket: Ticket?, displaced: LimiterWaiter?) {
        let token = share.token.flatMap { known.use($0) == nil ? nil : $0 }
        // A token that is known has a line of its own if its client is not known.
        let line = FairQueue<LimiterWaiter>.Line(isKnown: token != nil, client: share.client ?? token ?? 0)
        return waiters.add(waiter, to: line, limit: maxQueued)
    }

    /// Removes a caller that has given up, if it is still in the queue.
    mutating func remove(_ ticket: Ticket) { waiters.remove(ticket) }

    /// Remembers a token that was valid.
    mutating func remember(_ token: Int) {
        if known.use(token) == nil { _ = known.insert(true, for: token) }
    }

    /// Returns a slot, and the callers that have it now: the next one, and those behind it whose keys are decrypted
    /// together with its own. There are none where nobody waited.
    mutating func leave() -> [LimiterWaiter] {
        guard let first = waiters.takeNext() else {
            free += 1
            return []
        }
        var taken = [first]
        while let group = first.job?.group, taken.count < BatchSizes.privateOperations,
            waiters.next?.job?.group == group,
            let other = waiters.takeNext()
        {
            taken.append(other)
        }
        return taken
    }
}
