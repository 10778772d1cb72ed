internal import JOSE
internal import JOSEBytes

/// By what a token is looked up: its digest and the verifier that judged it.
struct TokenName: Hashable, Sendable {
    let digest: (UInt64, UInt64, UInt64, UInt64)
    private let verifier: UInt64

    init?(digest bytes: [UInt8], verifier: UInt64) {
        guard bytes.count == 32 else { return nil }
        let span = bytes.span
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word << 8 | UInt64(span[index]) }
            return word
        }
        digest = (word(0), word(8), word(16), word(24))
        self.verifier = verifier
    }

    static func == (a: Self, b: Self) -> Bool { a.digest == b.digest && a.verifier == b.verifier }

    func hash(into hasher: inout Hasher) {
        hasher.combine(digest.0)
        hasher.combine(verifier)
    }
}

/// Which keys a verifier had when it judged: any change of either set is another generation.
struct TokenGenerations: Equatable, Sendable {
    let encryption: KeyGeneration
    let signature: KeyGeneration
}

/// What became of a token's layers.
enum TokenOutcome: Sendable {
    case opened(OpenedToken)
    /// `until`, by the checker's clock: what no other answer can come of came once of a machine that was out of memory.
    case refused(TokenError, until: Double)
}

/// A token whose layers are valid, and the key that opened it where its source counts uses. A class, so that taking it out of the
/// cache retains one reference.
final class OpenedToken: Sendable {
    let token: VerifiedToken
    let decryptionKey: JWK?

    init(_ token: VerifiedToken, decryptionKey: JWK?) {
        self.token = token.trimmed()
        self.decryptionKey = decryptionKey
    }

    /// Bytes of memory that the object takes with what it alone refers to.
    var heapBytes: Int {
        TokenEntry.objectBytes + MemoryLayout<VerifiedToken>.size + MemoryLayout<JWK?>.size + token.heapBytes
    }
}

/// What the cache keeps of one token. A class, so that the tables of the cache are small, however many places of them are free.
final class TokenEntry: Sendable {
    let name: TokenName
    /// Compared byte by byte: a digest that collides with another is not taken for it.
    let token: [UInt8]
    let keys: TokenGenerations
    let outcome: TokenOutcome
    /// Seconds since 1970 from which on it is of no use.
    let end: Double
    /// Bytes of memory that the entry takes, its places in the tables included.
    let bytes: Int

    /// Bytes of an object beside its fields: the header of the language, and the allocator's share.
    static let objectBytes = 32
    /// Bytes of the places in the tables. Both grow by doubling, and a place in the dictionary has a key and an index.
    private static let tableBytes = 192

    init(_ visit: CacheVisit, _ token: Span<UInt8>, _ outcome: TokenOutcome, end: Double) {
        name = visit.name
        keys = visit.keys
        self.token = token.copy()
        self.outcome = outcome
        self.end = end
        let fields = MemoryLayout<TokenName>.size + MemoryLayout<TokenGenerations>.size
        let own = Self.tableBytes + Self.objectBytes + fields + MemoryLayout<TokenOutcome>.size + 32
        let opened = if case .opened(let opened) = outcome { opened.heapBytes } else { 0 }
        bytes = own + self.token.heapBytes + opened
    }
}
