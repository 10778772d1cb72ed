internal import JOSEBytes
internal import JOSECrypto
internal import Synchronization

/// A cache of verified tokens, with which a token that is sent with each request costs a hash and the checks of its claims.
///
/// A cache is given to verifiers when they are created. It stores that the layers of a token are valid, by which keys, and the
/// claims. At each hit every claim is checked again, times and nonce included, and a profile calls its replay store. An entry is
/// for one verifier, that is, for one policy and its keys, even if several verifiers share the cache. It ends with the token's
/// `exp`, when the verifier's keys change in any way, or when its memory is needed, where the least recently used entry is
/// removed first. A token without `exp` is not stored. A rejected token is stored only if its outcome cannot change, and
/// separately from accepted ones, so that a flood of invalid tokens evicts no valid one.
///
/// A token is looked up by its SHA-256 hash and compared byte by byte. Cached tokens and claims are in ordinary memory.
public final class TokenCache: Sendable {
    private let shards: [TokenCacheShard]
    private let digest: @Sendable (Span<UInt8>) -> [UInt8]?

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of accepted tokens; an eighth as many rejected ones are stored beside them. Numbers below
    ///     1 count as 1.
    ///   - bytes: The maximum number of bytes of all entries together. Numbers below 1 count as 1.
    public convenience init(entries: Int = 10_000, bytes: Int = 32 << 20) {
        self.init(entries: entries, bytes: bytes) { token in try? Hash.sha256.digest(token) }
    }

    /// Creates an empty cache with another hash function, which may collide.
    package init(entries: Int, bytes: Int, digest: @escaping @Sendable (Span<UInt8>) -> [UInt8]?) {
        self.digest = digest
        // Small caches have one shard: a shard of few entries would be full while others are empty.
        let count = entries >= 4_096 && bytes >= 16 << 20 ? 16 : 1
        shards = (0..<count).map { number in
            TokenCacheShard(
                entries: max(1, entries / count + (number < entries % count ? 1 : 0)), bytes: max(1, bytes / count))
        }
    }

    /// The number of entries, including those that have ended and were not looked up since.
    public var count: Int { shards.reduce(0) { $0 + $1.count } }
    /// The number of bytes that the entries use: tokens, claims, headers and tables, estimated without asking the allocator.
    public var bytes: Int { shards.reduce(0) { $0 + $1.bytes } }
    /// The number of lookups that found an entry, and of those that did not, since the cache was created.
    public var lookups: (hits: Int, misses: Int) {
        shards.reduce((0, 0)) { sum, shard in
            let lookups = shard.lookups
            return (sum.0 + lookups.hits, sum.1 + lookups.misses)
        }
    }

    /// Removes all entries.
    public func removeAll() {
        for shard in shards { shard.removeAll() }
    }

    /// Returns the name of a token in this cache; nil if it cannot be hashed.
    func name(_ token: Span<UInt8>, verifier: UInt64) -> TokenName? {
        guard let digest = digest(token) else { return nil }
        return TokenName(digest: digest, verifier: verifier)
    }

    func find(_ token: Span<UInt8>, _ visit: CacheVisit) -> TokenOutcome? {
        shard(visit.name).find(token, visit)
    }

    func insert(_ entry: TokenEntry, isHeld: Bool, now: Double) {
        shard(entry.name).insert(entry, isHeld: isHeld, now: now)
    }

    func remove(_ name: TokenName) { shard(name).remove(name) }

    func discard(_ name: TokenName) { shard(name).discard(name) }

    private func shard(_ name: TokenName) -> TokenCacheShard { shards[Int(name.digest.3 % UInt64(shards.count))] }
}

extension TokenCache: CustomStringConvertible {
    /// A description with the number of entries.
    public var description: String { "TokenCache(\(count) entries)" }
}
