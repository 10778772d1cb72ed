internal import JOSEBytes
internal import Synchronization

/// Where items of work that come at the same time meet, so that one thread does them together: signatures to be verified.
///
/// Whoever finds a processor idle goes alone and at once. Others wait where that has paid lately, and are tried now and then where it
/// has not: until there are eight, until who is busy has ended, or until the first of them has waited for the window. Then one of them
/// does the work of all.
final class SignatureCoalescer<Item: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiter {
        let item: Item
        let continuation: CheckedContinuation<Answer, Never>
    }

    private enum Answer: Sendable {
        case settled(Outcome)
        /// The work of all of these is now this one's; it is the first of them.
        case lead(Party)
    }

    /// Taken out of the coalescer together; read by their leader alone.
    private final class Party: Sendable {
        private let waiters: Mutex<[Waiter]>
        init(_ waiters: [Waiter]) { self.waiters = Mutex(waiters) }
        func take() -> [Waiter] {
            waiters.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
        }
    }

    private struct State {
        var waiting: [Waiter] = []
        /// When the first of them has waited for the window.
        var due: ContinuousClock.Instant?
        /// Whether the clock will call.
        var isTimed = false
        /// Threads that work.
        var busy = 0
        var crowd = CoalescingHeuristic()
    }

    private enum Entry {
        case waits
        case leads([Waiter])
        case timed(ContinuousClock.Instant)
    }

    private let window: Duration
    let clock: any CoalescingClock
    /// As many may be busy before anyone waits.
    private let idle: Int
    private let state: Mutex<State> = Mutex(State())
    private let work: @Sendable ([Item]) -> [Outcome]

    /// `work` gives as many as it is given, in the order of these.
    init(
        window: Duration, processors: Int = DetachedThread.processors, clock: (any CoalescingClock)? = nil,
        work: @escaping @Sendable ([Item]) -> [Outcome]
    ) {
        self.window = min(window, .milliseconds(1))
        self.clock = clock ?? CoalescingTimer.shared(self.window)
        self.work = work
        idle = max(1, processors - 1)
    }

    /// Whether the caller need not wait for others. It then works by itself, and leaves.
    func enter() -> Bool {
        state.withLock { state in
            guard state.busy < idle ? state.waiting.isEmpty : !state.crowd.pays() else { return false }
            state.busy += 1
            return true
        }
    }

    /// To be called by whom `enter` let in, once done.
    func leave() {
        let party = state.withLock { state -> [Waiter]? in
            state.busy -= 1
            return state.busy < idle ? Self.leaving(&state) : nil
        }
        if let party { Self.start(party) }
    }

    /// For whom `enter` did not let in.
    func settle(_ item: Item) async -> Outcome {
        let others = state.withLock { state -> [Waiter]? in
            // The last of a full party leads it without a stop, and who is alone does not stop at all.
            if state.waiting.count == CoalescingHeuristic.most - 1 { return Self.leaving(&state, with: 1) }
            guard state.busy < idle, state.waiting.isEmpty else { return nil }
            state.busy += 1
            return []
        }
        if let others { return lead(others, and: item) }
        let answer = await withCheckedContinuation { wait(Waiter(item: item, continuation: $0)) }
        switch answer {
        case .settled(let outcome): return outcome
        case .lead(let party): return lead(Array(party.take().dropFirst()), and: item)
        }
    }

    private func wait(_ waiter: Waiter) {
        let entry = state.withLock { state -> Entry in
            state.waiting.append(waiter)
            if state.waiting.count == CoalescingHeuristic.most || state.busy < idle {
                return .leads(Self.leaving(&state) ?? [])
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
        case .leads(let party): Self.start(party)
        case .timed(let due): clock.call(at: due) { [self] in end() }
        }
    }

    /// All that wait go, and count as busy; with so many more that never waited.
    private static func leaving(_ state: inout State, with more: Int = 0) -> [Waiter]? {
        guard !state.waiting.isEmpty || more > 0 else { return nil }
        defer { state.waiting = [] }
        state.busy += 1
        state.due = nil
        state.crowd.left(together: state.waiting.count + more)
        return state.waiting
    }

    private static func start(_ party: [Waiter]) {
        party.first?.continuation.resume(returning: .lead(Party(party)))
    }

    private func lead(_ others: [Waiter], and item: Item) -> Outcome {
        defer { leave() }
        let outcomes = work([item] + others.map(\.item))
        for (waiter, outcome) in zip(others, outcomes.dropFirst()) {
            waiter.continuation.resume(returning: .settled(outcome))
        }
        return outcomes[0]
    }

    /// Those that have waited long enough go. A clock that was set for others is set again for those that are here now.
    private func end() {
        let now = clock.now
        let (party, due) = state.withLock { state -> ([Waiter]?, ContinuousClock.Instant?) in
            if let due = state.due, due > now { return (nil, due) }
            state.isTimed = false
            return (Self.leaving(&state), nil)
        }
        if let due { clock.call(at: due) { [self] in end() } }
        if let party { Self.start(party) }
    }

    /// For an item that was to wait, and gains nothing by it.
    func pass() { state.withLock { $0.crowd.left(together: 1) } }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting.count } }
}
