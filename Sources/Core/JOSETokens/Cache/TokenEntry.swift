internal import JOSE
internal import JOSESupport

/// The key of a cache entry: the hash of the token, and the verifier.
struct TokenName: Hashable, Sendable {
    let hash: Int
    let verifier: UInt64
}

/// The generations of a verifier's keys when it verified the token. Any change of either set is a new generation.
struct TokenGenerations: Equatable, Sendable {
    let encryption: KeyGeneration
    let signature: KeyGeneration
}

/// The shard and the name of a token in a cache, and the keys that its outcome depends on.
struct CacheLookup: Sendable {
    let shard: TokenCacheShard
    let name: TokenName
    let keys: TokenGenerations

    func remove() { shard.remove(name) }
}

/// The outcome of verifying a token's layers.
enum TokenOutcome: Sendable {
    case verified(CachedToken)
    /// The error with which the layers were rejected. It is used until the given time of the checker's clock, because
    /// the cause may have been a shortage of memory.
    case rejected(TokenError, until: Double)
}

/// A token whose layers are valid, and the key that decrypted it if its source counts uses. It is a class, so that
/// taking it out of the cache retains one reference.
final class CachedToken: Sendable {
    let token: VerifiedToken
    let decryptionKey: JWK?

    init(_ token: VerifiedToken, decryptionKey: JWK?) {
        self.token = token.trimmed()
        self.decryptionKey = decryptionKey
    }

    /// The number of bytes that the object uses together with what it alone refers to.
    var heapBytes: Int {
        TokenEntry.objectBytes + MemoryLayout<VerifiedToken>.size + MemoryLayout<JWK?>.size + token.heapBytes
    }
}

/// The cache entry of one token. It is a class, so that unused elements of the tables are small.
final class TokenEntry: Sendable {
    let name: TokenName
    /// The token, which is compared byte by byte in case its hash collides with another.
    let token: [UInt8]
    let keys: TokenGenerations
    let outcome: TokenOutcome
    /// The time, in seconds since 1970, from which on the entry is of no use.
    let end: Double
    /// The number of bytes that the entry uses, including its elements in the tables.
    let bytes: Int

    /// The number of bytes of an object beside its fields: the header of the object, and the allocator's share.
    static let objectBytes = 32
    /// The number of bytes of an entry's elements in the tables of the map. They grow by doubling: the slot has the
    /// name, the reference, the end and the size, and an element of the dictionary has the name and an index.
    private static let tableBytes = 160

    init(_ name: TokenName, _ keys: TokenGenerations, _ token: Span<UInt8>, _ outcome: TokenOutcome, end: Double) {
        self.name = name
        self.keys = keys
        self.token = token.copy()
        self.outcome = outcome
        self.end = end
        let fields = MemoryLayout<TokenName>.size + MemoryLayout<TokenGenerations>.size
        let own = Self.tableBytes + Self.objectBytes + fields + MemoryLayout<TokenOutcome>.size + 32
        let cached = if case .verified(let cached) = outcome { cached.heapBytes } else { 0 }
        bytes = own + self.token.heapBytes + cached
    }
}
