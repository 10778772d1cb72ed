internal import JOSE
internal import JOSESupport
internal import Synchronization

extension RemoteDocument {
    /// The fetch that a caller waits for, where none is in progress.
    package enum AwaitedFetch: Sendable {
        /// No other one: the caller waits only for the fetch in progress.
        case inProgress
        /// The next one, which begins as soon as the cooldown allows it.
        case next
        /// The next one as with `next`, even if a fetch has just ended, and whatever the number of waiting callers.
        case later
        /// The one that a failed signature may cause, which begins as soon as the bound of these fetches allows it.
        case afterSignature
        /// One that begins now, regardless of any cooldown, unless there is a value meanwhile.
        case first
        /// One that begins now, regardless of any cooldown.
        case forced
    }

    /// Waits for the fetch in progress or for the given one.
    func wait(timeout limit: Duration?, for fetch: AwaitedFetch) async -> WaitEnd {
        if state.withLock({ $0.isClosed }) { return .ended(.closed) }
        let number = waits.wrappingAdd(1, ordering: .relaxed).newValue
        let wait = Wait<WaitEnd>(cancelled: .cancelled)
        return await wait.value {
            transact { state, effects, now in
                let end = enter(&state, &effects, now, timeout: limit, for: fetch)
                guard let until = end.until else { return effects.resumed.append((wait, end.otherwise)) }
                state.enter(number, wait, until: until, afterSignature: fetch == .afterSignature)
            }
            wait.onAbandon { [self] in
                transact { state, _, _ in if state.leave(number) { state.counters.waitsEnded += 1 } }
            }
        }
    }

    private func enter(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double, timeout limit: Duration?,
        for fetch: AwaitedFetch
    ) -> (until: Double?, otherwise: WaitEnd) {
        if state.isClosed { return (nil, .ended(.closed)) }
        state.isUsed = true
        if fetch == .first, state.flight == nil, state.isServing(at: now) { return (nil, .ended(nil)) }
        if fetch == .forced || fetch == .first, state.flight == nil { begin(&state, &effects, now) }
        if fetch == .later { expectFetch(&state, &effects, now) }
        let isAwaited =
            state.flight != nil || fetch == .later
            || fetch == .next && expectFetch(&state, &effects, now, within: limit)
            || fetch == .afterSignature && expectSignatureFetch(&state, &effects, now, within: limit)
        guard isAwaited else {
            // The fetch may have ended between the lookup of the key and this call: then a retry may help, and costs
            // little.
            return (nil, state.hasJustEnded(at: now) ? .ended(nil) : .nothing)
        }
        guard let limit else { return (.infinity, .nothing) }
        guard limit > .zero else { return (nil, .timedOut) }
        return (now + limit.inSeconds, .nothing)
    }

    /// Returns whether a fetch begins now or within the time, and makes it begin.
    private func expectFetch(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double, within limit: Duration?
    ) -> Bool {
        guard mayAwait(state, state.waiters.count, fetchAt: state.schedule.missNotBefore, now, within: limit) else {
            return false
        }
        expectFetch(&state, &effects, now)
        return true
    }

    /// Returns whether the fetch that a failed signature may cause begins now or within the time, and makes it begin.
    private func expectSignatureFetch(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double, within limit: Duration?
    ) -> Bool {
        guard state.hasFailedSignature,
            mayAwait(state, state.signatureWaiters.count, fetchAt: state.schedule.signatureDue, now, within: limit)
        else { return false }
        state.isSignatureFetchExpected = true
        advance(&state, &effects, now)
        return true
    }

    /// Returns whether a caller may wait for a fetch that has not begun. Such callers are limited in number, because
    /// the senders of tokens determine it.
    ///
    /// - Parameter waiting: The number of callers that wait for the same reason.
    private func mayAwait(
        _ state: DocumentState<Reader>, _ waiting: Int, fetchAt due: Double, _ now: Double, within limit: Duration?
    ) -> Bool {
        !state.hasJustEnded(at: now) && waiting < options.missLimit
            && limit.map { due < now + $0.inSeconds } ?? true
    }

    /// Makes a fetch begin as soon as the cooldown allows it, unless one is in progress.
    private func expectFetch(_ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double) {
        guard state.flight == nil else { return }
        state.isFetchExpected = true
        advance(&state, &effects, now)
    }

    /// Makes a fetch begin as soon as the cooldown allows it, unless one is in progress, whatever the names of the
    /// missing keys are. Nothing waits for it.
    package func expectFetch() {
        transact { state, effects, now in
            guard !state.isClosed else { return }
            expectFetch(&state, &effects, now)
        }
    }

    /// Waits for the end of the fetch in progress or of the next one, which begins as soon as the cooldown allows it,
    /// and returns whether one has ended.
    package func awaitLaterFetch(timeout limit: Duration) async throws -> Bool {
        try await awaitEnd(of: .later, timeout: limit)
    }

    /// The time at which the last fetch began that brought or confirmed the value, by the clock of the environment;
    /// negative infinity if none did. A key that the value lacks was not published at that time.
    package var confirmedFrom: Double { state.withLock { $0.confirmedFrom } }

    /// Waits until a missing key may have arrived; see ``KeySource/awaitMissingKey(timeout:)``.
    package func awaitMissingKey(timeout limit: Duration) async throws -> Bool {
        try await awaitEnd(of: hasUnansweredMiss ? .next : .inProgress, timeout: limit)
    }

    /// Whether a fetch may bring a key that was reported missing: no fetch has ended since then, or there are no keys.
    private var hasUnansweredMiss: Bool {
        state.withLock { $0.value == nil } || misses.withLock { $0.tracker.hasUnanswered }
    }

    /// Waits for the fetch in progress; see ``KeySource/awaitRefresh(timeout:)``.
    package func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        try await awaitEnd(of: .inProgress, timeout: limit)
    }

    func awaitEnd(of fetch: AwaitedFetch, timeout limit: Duration) async throws -> Bool {
        switch await wait(timeout: limit, for: fetch) {
        case .ended: true
        case .timedOut, .nothing: false
        case .cancelled: throw CancellationError()
        }
    }

    /// Refreshes the value now, or joins the fetch in progress. Throws `KeySetError` and `CancellationError`.
    package func refresh(timeout limit: Duration? = nil, for fetch: AwaitedFetch = .forced) async throws {
        switch await wait(timeout: limit, for: fetch) {
        case .ended(let error?): throw error
        case .ended(nil), .nothing: break
        case .timedOut: throw KeySetError.deadlineExceeded
        case .cancelled: throw CancellationError()
        }
    }

    /// Whether there is a value that may be used. Unlike `current()`, this begins no fetch.
    package var isServing: Bool {
        let now = environment.now()
        return state.withLock { $0.isServing(at: now) }
    }

    /// Waits until there is a value to serve, and fetches it if there is none. A fetch that fails with a retryable
    /// error is repeated within the time, after a pause that doubles from a quarter of a second to four seconds, and
    /// not before the time that the server asked to wait for.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - prepare: Called before each fetch except the first, with the time that is left.
    package func warmUp(
        timeout limit: Duration, prepare: @Sendable (Duration) async throws -> Void = { _ in }
    ) async throws {
        beginWarmUp()
        defer { endWarmUp() }
        let end = environment.now() + limit.inSeconds
        var pause = 0.25
        var isRepeated = false
        // `current()` would begin a fetch of its own, which may have failed before the next line begins another one.
        while !isServing {
            do {
                if isRepeated {
                    try await prepare(Duration(saturatingSeconds: end - environment.now()))
                    if isServing { return }
                }
                isRepeated = true
                return try await refresh(timeout: Duration(saturatingSeconds: end - environment.now()), for: .first)
            } catch let error as KeySetError {
                let asked = state.withLock { $0.schedule.askedToWaitUntil }
                let next = max(environment.now() + pause * (1 + 0.25 * environment.chance()), asked)
                guard error.isRetryable, next < end else { throw error }
                try await environment.sleep(next)
                pause = min(pause * 2, 4)
            }
        }
    }

    /// Begins to report no failed fetches, which a warm-up repeats.
    func beginWarmUp() { state.withLock { $0.warmUps += 1 } }

    /// Reports the last failure of a warm-up that has ended without a value, with the time after which the schedule
    /// fetches next.
    func endWarmUp() {
        transact { state, effects, now in
            state.warmUps -= 1
            guard state.warmUps == 0, state.hasUnreportedFailure else { return }
            state.hasUnreportedFailure = false
            guard state.flight == nil, state.schedule.failures > 0, let failure = state.lastFailure else { return }
            effects.events.append(
                .failed(failure.error, retryIn: Duration(saturatingSeconds: state.schedule.due - now)))
        }
    }

    /// Returns the value, or the result of the fetch that is in progress or may begin. Throws the last failure if no
    /// fetch is allowed.
    package func fetched(timeout limit: Duration) async throws(KeySetError) -> Value {
        if let value = try? current() { return value }
        switch await wait(timeout: limit, for: .inProgress) {
        case .ended(let error?): throw error
        case .timedOut: throw .deadlineExceeded
        case .cancelled: throw .transport(.cancelled)
        case .ended(nil), .nothing: break
        }
        if let value = try? current() { return value }
        throw state.withLock { $0.isClosed ? .closed : $0.lastFailure?.error ?? .deadlineExceeded }
    }
}
