internal import JOSE
internal import JOSESupport
internal import Synchronization

extension RemoteDocument {
    /// Reports an event of a component beside the document.
    func report(_ event: KeySetEvent) { events?.send([event]) }

    /// The state of the document; see ``RemoteKeySet/health``.
    package var health: KeySetHealth {
        let now = environment.now()
        return state.withLock { state in
            let status: KeySetHealth.Status
            if state.isClosed {
                status = .closed
            } else if state.value == nil {
                status = .empty
            } else if now >= state.usableUntil {
                status = .expired
            } else {
                status =
                    now >= state.staleAt(options)
                    ? .stale(for: Duration(saturatingSeconds: now - state.freshUntil)) : .fresh
            }
            return KeySetHealth(
                status: status, keys: state.isServing(at: now) ? state.value.map(reader.count) ?? 0 : 0,
                age: state.confirmedAt.isFinite ? Duration(saturatingSeconds: now - state.confirmedAt) : nil,
                lastFailure: state.lastFailure.map {
                    KeySetHealth.Failure(error: $0.error, age: Duration(saturatingSeconds: now - $0.at))
                },
                failures: state.schedule.failures, isFetching: state.flight != nil,
                nextFetchIn: state.isUsed && state.flight == nil && !state.isClosed
                    ? Duration(saturatingSeconds: max(0, state.schedule.due - now)) : nil)
        }
    }

    /// Whether there is a value that is no longer fresh.
    var isPastLifetime: Bool {
        let now = environment.now()
        return state.withLock { $0.value != nil && now >= $0.freshUntil }
    }

    /// The number of tasks that wait for the fetch in progress.
    package var waiting: Int { state.withLock { $0.waiterCount } }

    /// The counters of the document; see ``RemoteKeySet/counters``.
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

extension RemoteDocument where Reader == KeySetReader {
    /// The unusable keys of the last response; see ``RemoteKeySet/rejectedKeys``.
    var rejectedKeys: [UnusableKey] { state.withLock { $0.memory.rejected } }
    /// The number of keys of the newest key set that are ignored, because it has more than `KeySetOptions.keyLimit`
    /// allows.
    var ignoredKeys: Int { state.withLock { $0.memory.ignored } }
}
