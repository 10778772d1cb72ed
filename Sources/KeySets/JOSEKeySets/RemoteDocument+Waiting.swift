internal import JOSE
internal import JOSEBytes
internal import Synchronization

extension RemoteDocument {
    /// Waits for the fetch in progress. If `forced`, a fetch is begun if none is in progress, regardless of any cooldown.
    func wait(timeout limit: Duration?, forced: Bool) async -> WaitEnd {
        if state.withLock({ $0.isClosed }) { return .ended(.closed) }
        let number = waits.wrappingAdd(1, ordering: .relaxed).newValue
        let wait = Wait<WaitEnd>(cancelled: .cancelled)
        return await wait.value {
            transact { state, effects, now in
                let end = enter(&state, &effects, now, timeout: limit, forced: forced)
                guard let until = end.until else { return effects.resumed.append((wait, end.otherwise)) }
                state.enter(number, wait, until: until)
            }
            wait.onAbandon { [self] in
                transact { state, _, _ in if state.leave(number) { state.counters.waitsEnded += 1 } }
            }
        }
    }

    private func enter(
        _ state: inout DocumentState<Reader>, _ effects: inout Effects, _ now: Double, timeout limit: Duration?,
        forced: Bool
    ) -> (until: Double?, otherwise: WaitEnd) {
        if state.isClosed { return (nil, .ended(.closed)) }
        state.isUsed = true
        if forced, state.flight == nil { begin(&state, &effects, now) }
        guard state.flight != nil else {
            // The fetch may have ended between the lookup of the key and this call: then a retry may help, and costs little.
            return (nil, state.hasJustEnded(at: now) ? .ended(nil) : .nothing)
        }
        guard let limit else { return (.infinity, .nothing) }
        guard limit > .zero else { return (nil, .timedOut) }
        return (now + limit.inSeconds, .nothing)
    }

    /// Waits for the fetch in progress; see ``KeySource/awaitRefresh(timeout:)``.
    package func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        switch await wait(timeout: limit, forced: false) {
        case .ended: true
        case .timedOut, .nothing: false
        case .cancelled: throw CancellationError()
        }
    }

    /// Whether `awaitRefresh(timeout:)` would do anything but return false at once.
    package var hasRefreshToAwait: Bool {
        let now = environment.now()
        return state.withLock { $0.isClosed || $0.flight != nil || $0.hasJustEnded(at: now) }
    }

    /// Refreshes the value now, or joins the fetch in progress. Throws `KeySetError` and `CancellationError`.
    package func refresh(timeout limit: Duration? = nil) async throws {
        switch await wait(timeout: limit, forced: true) {
        case .ended(let error?): throw error
        case .ended(nil), .nothing: break
        case .timedOut: throw KeySetError.deadlineExceeded
        case .cancelled: throw CancellationError()
        }
    }

    /// Waits until there is a value to serve, and fetches it if there is none. A fetch that fails with a retryable error is repeated
    /// within the time, after a pause that doubles from a quarter of a second to four seconds, and not before the time that the server
    /// asked to wait for.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - prepare: Called before each fetch except the first, with the time that is left.
    package func warmUp(
        timeout limit: Duration, prepare: @Sendable (Duration) async throws -> Void = { _ in }
    ) async throws {
        let end = environment.now() + limit.inSeconds
        var pause = 0.25
        var isRepeated = false
        while (try? current()) == nil {
            do {
                if isRepeated {
                    try await prepare(Duration(saturatingSeconds: end - environment.now()))
                    if (try? current()) != nil { return }
                }
                isRepeated = true
                return try await refresh(timeout: Duration(saturatingSeconds: end - environment.now()))
            } catch let error as KeySetError {
                let asked = state.withLock { $0.schedule.askedToWaitUntil }
                let next = max(environment.now() + pause * (1 + 0.25 * environment.chance()), asked)
                guard error.isRetryable, next < end else { throw error }
                try await environment.sleep(next)
                pause = min(pause * 2, 4)
            }
        }
    }

    /// Returns the value, or the result of the fetch that is in progress or may begin. Throws the last failure if no fetch is
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
