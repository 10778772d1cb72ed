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

/// A token whose layers held, and the key that opened it where its source wants to hear of each use. A class, so that to take it out of
/// the cache is to count one reference.
final class OpenedToken: Sendable {
    let token: VerifiedToken
    let decryptionKey: JWK?

    init(_ token: VerifiedToken, decryptionKey: JWK?) {
        self.token = token
        self.decryptionKey = decryptionKey
    }

    /// About what it takes of memory.
    var bytes: Int {
        let headers = token.header.bytes.count + (token.encryptionHeader?.bytes.count ?? 0)
        let members = (token.claims.object.members.count + 16) * MemoryLayout<JSONMember>.stride
        return token.claims.payload.count + headers + members
    }
}

struct TokenEntry: Sendable {
    let name: TokenName
    /// Compared byte by byte: a digest that collides with another is not taken for it.
    let token: [UInt8]
    let keys: TokenGenerations
    let outcome: TokenOutcome
    /// Seconds since 1970 from which on it is of no use.
    let end: Double

    init(_ visit: CacheVisit, _ token: Span<UInt8>, _ outcome: TokenOutcome, end: Double) {
        name = visit.name
        keys = visit.keys
        self.token = token.copy()
        self.outcome = outcome
        self.end = end
    }

    /// With what the tables take for it.
    var bytes: Int {
        switch outcome {
        case .opened(let opened): 512 + token.count + opened.bytes
        case .refused: 256 + token.count
        }
    }
}
