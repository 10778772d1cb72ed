internal import JOSE
internal import Synchronization

extension RemoteDocument {
    /// Waits for the fetch that is under way. `forced`: one is begun where none is, past every cooldown.
    func wait(timeout limit: Duration?, forced: Bool) async -> WaitEnd {
        let number = waits.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transact { state, effects, now in
                    let end = enter(&state, &effects, now, timeout: limit, forced: forced)
                    guard let until = end.until else { return effects.resumed.append((continuation, end.otherwise)) }
                    state.enter(number, DocumentState.Waiter(continuation: continuation, until: until))
                }
            }
        } onCancel: {
            // Whoever was cancelled before it waited has seen that when it entered.
            transact { state, effects, _ in
                guard let waiter = state.leave(number) else { return }
                state.counters.waitsEnded += 1
                effects.resumed.append((waiter.continuation, .cancelled))
            }
        }
    }

    private func enter(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double, timeout limit: Duration?,
        forced: Bool
    ) -> (until: Double?, otherwise: WaitEnd) {
        if state.isClosed { return (nil, .ended(.closed)) }
        if Task.isCancelled { return (nil, .cancelled) }
        state.isUsed = true
        if forced, state.flight == nil { begin(&state, &effects, now) }
        guard state.flight != nil else {
            // It may have ended between the look at the keys and this: then asking again may help, and costs little.
            return (nil, state.hasJustEnded(at: now) ? .ended(nil) : .nothing)
        }
        guard let limit else { return (.infinity, .nothing) }
        guard limit > .zero else { return (nil, .timedOut) }
        return (now + limit.inSeconds, .nothing)
    }

    /// See ``KeySource/awaitRefresh(timeout:)``.
    package func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        switch await wait(timeout: limit, forced: false) {
        case .ended: true
        case .timedOut, .nothing: false
        case .cancelled: throw CancellationError()
        }
    }

    /// Whether `awaitRefresh(timeout:)` would do anything but return false at once.
    package var hasRefreshToAwait: Bool {
        let now = surroundings.now()
        return state.withLock { $0.isClosed || $0.flight != nil || $0.hasJustEnded(at: now) }
    }

    /// Fetches now, or joins the fetch that is under way. Throws `KeySetError` and `CancellationError`.
    package func refresh(timeout limit: Duration? = nil) async throws {
        switch await wait(timeout: limit, forced: true) {
        case .ended(let error?): throw error
        case .ended(nil), .nothing: break
        case .timedOut: throw KeySetError.deadlineExceeded
        case .cancelled: throw CancellationError()
        }
    }

    /// Nothing where there is something to serve; otherwise a fetch.
    package func warmUp(timeout limit: Duration) async throws {
        if (try? current()) != nil { return }
        try await refresh(timeout: limit)
    }

    /// What is held, or what the fetch brings that is under way or allowed to begin. Throws the last failure where none is
    /// allowed.
    package func fetched(timeout limit: Duration) async throws(KeySetError) -> Value {
        if let value = try? current() { return value }
        switch await wait(timeout: limit, forced: false) {
        case .ended(let error?): throw error
        case .timedOut: throw .deadlineExceeded
        case .cancelled: throw .transport(.cancelled)
        case .ended(nil), .nothing: break
        }
        if let value = try? current() { return value }
        throw state.withLock { $0.isClosed ? .closed : $0.lastFailure?.error ?? .deadlineExceeded }
    }
}
