internal import JOSESupport
internal import Synchronization

/// A cache of verified tokens. A token that is sent with every request then costs a hash and the checks of its claims
/// instead of a decryption and a signature verification.
///
/// A cache is given to verifiers when they are created. An entry contains the claims of a token whose layers are valid,
/// and the keys with which they were verified. On each hit every claim is checked again, times and nonce included, and
/// a profile calls its replay store. An entry is used only by the verifier that stored it, even if several verifiers
/// share the cache. It is no longer used after the token's `exp` or when the verifier's keys change in any way; when
/// memory is needed, the least recently used entry is removed first. A token without `exp` is not stored. A token whose
/// layers are rejected is stored only if its outcome cannot change; one whose claims are rejected is stored with the
/// rejected ones, and its claims are checked again each time. Rejected tokens are stored separately from accepted ones,
/// so that a flood of invalid tokens evicts no valid one.
///
/// A token is looked up by a hash whose seed is random for each process, unless the environment variable
/// `SWIFT_DETERMINISTIC_HASHING` is set, and compared byte by byte, so that tokens that collide only replace one
/// another. Cached tokens and claims are kept in ordinary memory, without the protection that keys have.
public final class TokenCache: Sendable {
    private let shards: [TokenCacheShard]
    private let hash: @Sendable (Span<UInt8>) -> Int

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of accepted tokens. Up to an eighth as many rejected tokens are stored in
    ///     addition. Numbers below 1 count as 1.
    ///   - bytes: The maximum number of bytes of all entries together. Numbers below 1 count as 1.
    public convenience init(entries: Int = 10_000, bytes: Int = 32 << 20) {
        self.init(entries: entries, bytes: bytes) { token in
            var hasher = Hasher()
            unsafe token.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            return hasher.finalize()
        }
    }

    /// Creates an empty cache with another hash function, which may collide.
    package init(entries: Int, bytes: Int, hash: @escaping @Sendable (Span<UInt8>) -> Int) {
        self.hash = hash
        // Small caches have one shard: a shard of few entries would be full while others are empty.
        let count = entries >= 4_096 && bytes >= 16 << 20 ? 16 : 1
        shards = (0..<count).map { number in
            TokenCacheShard(
                entries: max(1, entries / count + (number < entries % count ? 1 : 0)), bytes: max(1, bytes / count))
        }
    }

    /// The number of entries, including those that are no longer valid and were not looked up since.
    public var count: Int { shards.reduce(0) { $0 + $1.count } }
    /// An estimate of the number of bytes that the entries use for tokens, claims, headers and tables.
    public var bytes: Int { shards.reduce(0) { $0 + $1.bytes } }
    /// The numbers of lookups since the cache was created that found an entry (`hits`) and that found none (`misses`).
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

    /// Returns the lookup of a token for a verifier with these keys.
    func lookup(_ token: Span<UInt8>, verifier: UInt64, _ keys: TokenGenerations) -> CacheLookup {
        let name = TokenName(hash: hash(token), verifier: verifier)
        return CacheLookup(
            shard: shards[Int(UInt(bitPattern: name.hash) % UInt(shards.count))], name: name, keys: keys)
    }
}

extension TokenCache: Described {
    /// A description with the number of entries.
    package var summary: String { "TokenCache(\(count) entries)" }
}
