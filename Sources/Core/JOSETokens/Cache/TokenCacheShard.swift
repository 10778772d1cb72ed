internal import JOSESupport
internal import Synchronization

/// A part of the cache with a lock of its own. While it is locked, nothing is hashed, verified or released in bulk.
final class TokenCacheShard: Sendable {
    private struct State {
        /// The tokens whose layers and claims were valid.
        var valid: ExpiringMap<TokenName, TokenEntry>
        var rejected: ExpiringMap<TokenName, TokenEntry>
        var hits = 0
        var misses = 0

        mutating func remove(_ name: TokenName) {
            valid.remove(name)
            rejected.remove(name)
        }
    }
    private let state: Mutex<State>

    init(entries: Int, bytes: Int) {
        // Valid and rejected tokens are bounded separately, so that neither evicts the other.
        let valid = ExpiringMap<TokenName, TokenEntry>(
            countLimit: entries, weightLimit: bytes - bytes / 8, eviction: .leastRecentlyUsed)
        let rejected = ExpiringMap<TokenName, TokenEntry>(
            countLimit: max(1, entries / 8), weightLimit: max(1, bytes / 8), eviction: .leastRecentlyUsed)
        state = Mutex(State(valid: valid, rejected: rejected))
    }

    var count: Int { state.withLock { $0.valid.count + $0.rejected.count } }
    var bytes: Int { state.withLock { $0.valid.weight + $0.rejected.weight } }
    var lookups: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

    /// Returns the outcome of a token. An entry for other keys is removed.
    func find(_ token: Span<UInt8>, _ name: TokenName, _ keys: TokenGenerations) -> TokenOutcome? {
        state.withLock { state in
            if let entry = state.valid.use(name) ?? state.rejected.use(name) {
                if entry.keys == keys, bytesEqual(token, entry.token) {
                    state.hits += 1
                    return entry.outcome
                }
                state.remove(name)
            }
            state.misses += 1
            return nil
        }
    }

    func insert(_ entry: TokenEntry, isValid: Bool, now: Double) {
        state.withLock { state in
            state.remove(entry.name)
            // An entry that is too large for the cache is not stored.
            if isValid {
                entry.insert(into: &state.valid, at: now)
            } else {
                entry.insert(into: &state.rejected, at: now)
            }
        }
    }

    func remove(_ name: TokenName) { state.withLock { $0.remove(name) } }

    /// Removes an entry that was found but has ended, and counts the lookup as a miss.
    func discard(_ name: TokenName) {
        state.withLock { state in
            state.rejected.remove(name)
            state.hits -= 1
            state.misses += 1
        }
    }

    func removeAll() {
        state.withLock { state in
            state.valid.removeAll()
            state.rejected.removeAll()
        }
    }
}

extension TokenEntry {
    fileprivate func insert(into entries: inout ExpiringMap<TokenName, TokenEntry>, at now: Double) {
        _ = entries.insert(self, for: name, until: end, weight: bytes, at: now)
    }
}
