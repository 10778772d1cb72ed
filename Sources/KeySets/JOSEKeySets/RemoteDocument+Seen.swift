internal import Synchronization

extension RemoteDocument {
    /// For what happens beside it.
    func tell(_ event: KeySetEvent) { events?.send([event]) }

    /// See ``RemoteKeySet/health``.
    package var health: KeySetHealth {
        let now = surroundings.now()
        return state.withLock { state in
            let status: KeySetHealth.Status
            if state.isClosed {
                status = .closed
            } else if state.value == nil {
                status = .empty
            } else if now >= state.usableUntil {
                status = .expired
            } else {
                status = now >= state.staleAt(options) ? .stale(since: now - state.freshUntil) : .fresh
            }
            return KeySetHealth(
                status: status, keys: state.isServing(at: now) ? state.value.map(reader.count) ?? 0 : 0,
                age: state.confirmedAt.isFinite ? now - state.confirmedAt : nil,
                lastFailure: state.lastFailure.map { KeySetHealth.Failure(error: $0.error, age: now - $0.at) },
                failures: state.pace.failures, isFetching: state.flight != nil,
                nextFetch: state.isUsed && state.flight == nil && !state.isClosed ? max(0, state.pace.due - now) : nil)
        }
    }

    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// See ``RemoteKeySet/counters``.
    package var counters: KeySetCounters {
        let noted = misses.withLock { $0.counters }
        var counters = state.withLock { $0.counters }
        counters.misses = noted.misses
        counters.knownMisses = noted.knownMisses
        counters.throttled = noted.throttled
        counters.bypasses = noted.bypasses
        counters.eventsDropped = events?.dropped ?? 0
        return counters
    }
}
