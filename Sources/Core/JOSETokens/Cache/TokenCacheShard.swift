internal import JOSEBytes
internal import Synchronization

/// A part of the cache with a lock of its own. While the lock is held, nothing is hashed, verified or released in bulk.
final class TokenCacheShard: Sendable {
    private struct State {
        var held: RecencyList
        var refused: RecencyList
        var hits = 0
        var misses = 0
    }
    private let state: Mutex<State>

    init(entries: Int, bytes: Int) {
        // Accepted and rejected tokens are bounded separately, so that neither evicts the other.
        let refused = RecencyList(entries: max(1, entries / 8), bytes: max(1, bytes / 8))
        state = Mutex(State(held: RecencyList(entries: entries, bytes: bytes - bytes / 8), refused: refused))
    }

    var count: Int { state.withLock { $0.held.count + $0.refused.count } }
    var bytes: Int { state.withLock { $0.held.bytes + $0.refused.bytes } }
    var lookups: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

    /// Returns the outcome of a token. An entry for other keys is removed.
    func find(_ token: Span<UInt8>, _ visit: CacheVisit) -> TokenOutcome? {
        state.withLock { state in
            let name = visit.name
            if let entry = state.held.use(name) ?? state.refused.use(name) {
                if entry.keys == visit.keys, bytesEqual(token, entry.token) {
                    state.hits += 1
                    return entry.outcome
                }
                state.held.remove(name)
                state.refused.remove(name)
            }
            state.misses += 1
            return nil
        }
    }

    func insert(_ entry: TokenEntry, isHeld: Bool, now: Double) {
        state.withLock { state in
            state.held.remove(entry.name)
            state.refused.remove(entry.name)
            if isHeld { state.held.insert(entry, now: now) } else { state.refused.insert(entry, now: now) }
        }
    }

    func remove(_ name: TokenName) {
        state.withLock { state in
            state.held.remove(name)
            state.refused.remove(name)
        }
    }

    /// Removes an entry that was found but has ended, and counts the lookup as a miss.
    func discard(_ name: TokenName) {
        state.withLock { state in
            state.refused.remove(name)
            state.hits -= 1
            state.misses += 1
        }
    }

    func removeAll() {
        state.withLock { state in
            state.held.removeAll()
            state.refused.removeAll()
        }
    }
}
