internal import JOSEBytes
internal import Synchronization

/// A part of the cache with a lock of its own. While the lock is held, nothing is hashed, verified or released in bulk.
final class TokenCacheShard: Sendable {
    private struct State {
        var held: ExpiringMap<TokenName, TokenEntry>
        var refused: ExpiringMap<TokenName, TokenEntry>
        var hits = 0
        var misses = 0
    }
    private let state: Mutex<State>

    init(entries: Int, bytes: Int) {
        // Accepted and rejected tokens are bounded separately, so that neither evicts the other.
        let held = ExpiringMap<TokenName, TokenEntry>(
            countLimit: entries, weightLimit: bytes - bytes / 8, eviction: .leastRecentlyUsed)
        let refused = ExpiringMap<TokenName, TokenEntry>(
            countLimit: max(1, entries / 8), weightLimit: max(1, bytes / 8), eviction: .leastRecentlyUsed)
        state = Mutex(State(held: held, refused: refused))
    }

    var count: Int { state.withLock { $0.held.count + $0.refused.count } }
    var bytes: Int { state.withLock { $0.held.weight + $0.refused.weight } }
    var lookups: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

    /// Returns the outcome of a token. An entry for other keys is removed.
    func find(_ token: Span<UInt8>, _ visit: CacheVisit) -> TokenOutcome? {
        state.withLock { state in
            let name = visit.name
            if let entry = state.held.use(name) ?? state.refused.use(name) {
                if entry.keys == visit.keys.generations, bytesEqual(token, entry.token) {
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
            // An entry that is too large for the cache is not stored.
            if isHeld { entry.insert(into: &state.held, at: now) } else { entry.insert(into: &state.refused, at: now) }
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

extension TokenEntry {
    fileprivate func insert(into entries: inout ExpiringMap<TokenName, TokenEntry>, at now: Double) {
        _ = entries.insert(self, for: name, until: end, weight: bytes, at: now)
    }
}
