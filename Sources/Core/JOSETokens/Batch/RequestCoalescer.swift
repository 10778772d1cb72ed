internal import JOSE
internal import JOSESupport
internal import Synchronization

/// Groups requests that arrive at the same time, so that one thread processes them together: signatures to be verified,
/// or content encryption keys to be decrypted.
///
/// A caller that finds a processor core idle goes alone and at once, and so do all for as long as groups do not gain.
/// Others wait: until the group is full, until a busy caller has finished and left a core idle, or until the first of
/// them has waited for the window. Then the first of them does the work of the whole group. It begins as soon as its
/// task is given a thread, and the group has room until then.
final class RequestCoalescer<Item: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiter {
        let item: Item
        let continuation: CheckedContinuation<Answer, Never>
    }

    private enum Answer: Sendable {
        case finished(Outcome)
        /// The receiver does the work of this group, of which it is the first.
        case lead(Group)
    }

    /// Waiters that are processed together. Only their leader takes them. The compiler requires the
    /// lock; every access is also under that of the coalescer.
    private final class Group: Sendable {
        let leader: Waiter
        private let waiters: Mutex<[Waiter]>

        /// - Parameter waiters: All waiters, of which the leader is the first.
        init(leader: Waiter, _ waiters: [Waiter]) {
            self.leader = leader
            self.waiters = Mutex(waiters)
        }

        /// Adds a waiter and returns the number of all.
        func add(_ waiter: Waiter) -> Int {
            waiters.withLock { waiters in
                waiters.append(waiter)
                return waiters.count
            }
        }

        func take() -> [Waiter] {
            waiters.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
        }
    }

    private struct State {
        var waiting: [Waiter] = []
        /// A group whose leader was resumed and does not run yet, if the group is not full.
        var joinable: Group?
        /// The time at which the first waiter has waited for the window.
        var due: ContinuousClock.Instant?
        /// Whether the clock is set.
        var isTimed = false
        /// The number of callers that work.
        var busy = 0
        /// nil if callers always wait where no core is idle.
        var heuristic: CoalescingHeuristic?
    }

    private enum Entry {
        case waits
        case leads(Group)
        case timed(ContinuousClock.Instant)
    }

    private let window: Duration
    let clock: any CoalescingClock
    /// The number of callers that may be busy before another one waits.
    private let idle: Int
    /// The size of a full group.
    private let fullGroup: Int
    private let state: Mutex<State>
    /// The number of callers that go alone without taking the lock.
    private let free = Atomic(0)
    private let work: @Sendable ([Item]) -> [Outcome]

    /// Creates a coalescer.
    ///
    /// - Parameters:
    ///   - fullGroup: The size of a full group.
    ///   - maximumLimit: The number of calls for which one way is used at most before both are measured again.
    ///   - isMeasured: Whether callers wait only while groups were measured to be faster.
    ///   - work: Processes the items and returns as many outcomes, in the same order.
    init(
        window: Duration, processors: Int = DetachedThread.processors, fullGroup: Int = BatchSizes.signatures,
        maximumLimit: Int = 65_536, isMeasured: Bool = true, clock: (any CoalescingClock)? = nil,
        work: @escaping @Sendable ([Item]) -> [Outcome]
    ) {
        self.window = min(window, .milliseconds(1))
        self.clock = clock ?? CoalescingTimer.shared(self.window)
        self.work = work
        self.fullGroup = fullGroup
        state = Mutex(
            State(heuristic: isMeasured ? CoalescingHeuristic(fullGroup: fullGroup, maximumLimit: maximumLimit) : nil))
        idle = max(1, processors - 1)
    }

    /// Returns whether the call goes alone, because groups do not gain at present. Each call asks this once, before
    /// `enter`.
    func goesAlone() -> Bool {
        takesFree()
            || state.withLock { state in
                // Another caller may have asked meanwhile.
                if takesFree() { return true }
                switch state.heuristic?.begin(at: clock.now) {
                case .mayWait, nil: return false
                case .alone: return true
                case .free(let others):
                    free.store(others, ordering: .relaxed)
                    return true
                }
            }
    }

    private func takesFree() -> Bool {
        free.load(ordering: .relaxed) > 0 && free.subtract(1, ordering: .relaxed).oldValue > 0
    }

    /// Returns whether the caller need not wait for others, because a core is idle. If so, it works by itself and then
    /// calls `leave`.
    func enter() -> Bool {
        state.withLock { state in
            guard state.busy < idle, state.waiting.isEmpty else { return false }
            state.busy += 1
            return true
        }
    }

    /// Ends the work of a caller for which `enter` returned true.
    func leave() {
        let group = state.withLock { state -> Group? in
            state.busy -= 1
            return state.busy < idle ? starting(&state) : nil
        }
        if let group { resume(group) }
    }

    /// Processes an item of a caller for which `enter` returned false.
    func finish(_ item: Item) async -> Outcome {
        let others = state.withLock { state -> [Waiter]? in
            // The last item of a full group leads it without being suspended, and so does an item that is alone.
            if state.waiting.count == fullGroup - 1 {
                state.heuristic?.recordGroup(of: fullGroup)
                return Self.leaving(&state)
            }
            guard state.busy < idle, state.waiting.isEmpty else { return nil }
            state.busy += 1
            return []
        }
        if let others { return lead(others, and: item) }
        let answer = await withCheckedContinuation { wait(Waiter(item: item, continuation: $0)) }
        switch answer {
        case .finished(let outcome): return outcome
        case .lead(let group): return lead(Array(begin(group).dropFirst()), and: item)
        }
    }

    private func wait(_ waiter: Waiter) {
        let entry = state.withLock { state -> Entry in
            if let joinable = state.joinable {
                if joinable.add(waiter) == fullGroup { state.joinable = nil }
                return .waits
            }
            state.waiting.append(waiter)
            if state.waiting.count == fullGroup || state.busy < idle, let group = starting(&state) {
                return .leads(group)
            }
            guard state.waiting.count == 1 else { return .waits }
            let due = clock.now.advanced(by: window)
            state.due = due
            guard !state.isTimed else { return .waits }
            state.isTimed = true
            return .timed(due)
        }
        switch entry {
        case .waits: break
        case .leads(let group): resume(group)
        case .timed(let due): setClock(due)
        }
    }

    /// Ends the waiting at that time. Without a clock nobody waits: the group starts now.
    private func setClock(_ due: ContinuousClock.Instant) {
        guard !clock.call(at: due, { [self] in end() }) else { return }
        let group = state.withLock { state in
            state.isTimed = false
            return starting(&state)
        }
        if let group { resume(group) }
    }

    /// Takes all waiters out of the coalescer and counts them as busy.
    private static func leaving(_ state: inout State) -> [Waiter] {
        defer { state.waiting = [] }
        state.busy += 1
        state.due = nil
        return state.waiting
    }

    /// Makes a group of all waiters, whose leader is to be resumed; nil if there are none.
    private func starting(_ state: inout State) -> Group? {
        guard let leader = state.waiting.first else { return nil }
        let waiters = Self.leaving(&state)
        let group = Group(leader: leader, waiters)
        if waiters.count < fullGroup { state.joinable = group }
        return group
    }

    private func resume(_ group: Group) { group.leader.continuation.resume(returning: .lead(group)) }

    /// Closes a group, whose leader runs now, and returns its waiters.
    private func begin(_ group: Group) -> [Waiter] {
        state.withLock { state in
            if state.joinable === group { state.joinable = nil }
            let waiters = group.take()
            state.heuristic?.recordGroup(of: waiters.count)
            return waiters
        }
    }

    private func lead(_ others: [Waiter], and item: Item) -> Outcome {
        defer { leave() }
        let outcomes = work([item] + others.map(\.item))
        precondition(outcomes.count == others.count + 1, "There is one outcome for each item.")
        for (waiter, outcome) in zip(others, outcomes.dropFirst()) {
            waiter.continuation.resume(returning: .finished(outcome))
        }
        return outcomes[0]
    }

    /// Starts the group if its window has passed. A clock that was set for an earlier group is set again for the
    /// present one.
    private func end() {
        let now = clock.now
        let (group, due) = state.withLock { state -> (Group?, ContinuousClock.Instant?) in
            if let due = state.due, due > now { return (nil, due) }
            state.isTimed = false
            return (starting(&state), nil)
        }
        if let due { setClock(due) }
        if let group { resume(group) }
    }

    /// Records an item that would have waited, but gains nothing from it.
    func recordAlone() { state.withLock { $0.heuristic?.recordGroup(of: 1) } }

    /// The number of waiting items.
    var waiting: Int { state.withLock { $0.waiting.count } }
}
