internal import JOSEBytes
internal import JOSECrypto
internal import Synchronization

/// Tokens that were verified before, so that one that comes with each request costs a hash and the checks of its claims. Given to
/// verifiers when they are made; without one nothing is kept.
///
/// Kept is that the layers held, by which keys, and the claims. Every claim is checked anew at each hit, times and nonce included,
/// and a profile asks its replay store each time. An entry is for one verifier (policy and keys), however many share the cache; it
/// ends with the token's `exp` (a token without is not kept), when the verifier's keys change in any way, and when room is needed: the
/// one not used for longest goes first. A token that was refused is kept only where no other answer can come of it, apart from those
/// that held, so that a flood of bad tokens costs no good one its place.
///
/// A token is looked up by its SHA-256 and compared byte by byte. Tokens and their claims stay in ordinary memory while they are kept.
public final class TokenCache: Sendable {
    private let shards: [TokenCacheShard]
    private let digest: @Sendable (Span<UInt8>) -> [UInt8]?

    /// `entries` of tokens that held and an eighth as many of refused ones; `bytes` for all of them together. Numbers below 1 are taken
    /// as 1.
    public convenience init(entries: Int = 10_000, bytes: Int = 32 << 20) {
        self.init(entries: entries, bytes: bytes) { token in try? Hash.sha256.digest(token) }
    }

    /// With another digest, which may collide.
    package init(entries: Int, bytes: Int, digest: @escaping @Sendable (Span<UInt8>) -> [UInt8]?) {
        self.digest = digest
        // A shard of few entries would be full while others are empty.
        let count = entries >= 4_096 && bytes >= 16 << 20 ? 16 : 1
        shards = (0..<count).map { number in
            TokenCacheShard(
                entries: max(1, entries / count + (number < entries % count ? 1 : 0)), bytes: max(1, bytes / count))
        }
    }

    /// Entries that are kept, those included that have ended and were not looked at since.
    public var count: Int { shards.reduce(0) { $0 + $1.count } }
    /// Bytes of memory that the entries take: tokens, claims, headers and the tables around them, as far as they are counted without
    /// asking the allocator.
    public var bytes: Int { shards.reduce(0) { $0 + $1.bytes } }
    /// How often a token was found, and how often it was not, since the cache was made.
    public var lookups: (hits: Int, misses: Int) {
        shards.reduce((0, 0)) { sum, shard in
            let lookups = shard.lookups
            return (sum.0 + lookups.hits, sum.1 + lookups.misses)
        }
    }

    /// Forgets everything.
    public func removeAll() {
        for shard in shards { shard.removeAll() }
    }

    /// The name of a token in this cache; nil where it cannot be had.
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
    public var description: String { "TokenCache(\(count) entries)" }
}
