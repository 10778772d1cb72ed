public import JOSE
internal import JOSECrypto
internal import JOSESupport
internal import Synchronization

/// A replay store in the memory of one process, with a fixed maximum size. Each mark uses the same amount of memory,
/// however long its strings are.
///
/// Only expired marks are removed, and the store remembers which expirations they had: a token with such an expiration
/// that is presented after the clock was set back is rejected with `unavailable`, because it may have been used. Tokens
/// with other expirations are accepted as before. So a clock that was ahead for a time causes rejections for at most as
/// long as it was ahead or was set back, and ``clockRejections`` counts them, for an alarm.
///
/// If the store is full of marks that have not expired, it returns `full`: a flood of
/// tokens can cause other tokens to be rejected, but never a used token to be accepted again.
///
/// A single client cannot fill the store: it may have at most as many marks as there are free slots, and the store
/// returns `shareFull` for more. One client alone can thus use half of the capacity, two clients a third each, and *n*
/// clients one part in *n* + 1 each, so that as much remains free for others. The client of a mark is its
/// ``ReplayMark/share``, which is the issuer of the token for all profiles except DPoP. If only one issuer is expected,
/// choose twice the capacity that its tokens need.
public final class InMemoryReplayStore: SynchronousReplayStore {
    private let marks: Mutex<ReplayMarks>

    /// Creates an empty store.
    ///
    /// - Parameter capacity: The maximum number of marks of all clients together, 100,000 by default and at least 1. A
    ///   mark uses about 200 bytes, or up to 330 bytes if each mark is of a different client; memory is allocated as
    ///   marks are added.
    public init(capacity: Int = 100_000) { marks = Mutex(ReplayMarks(capacity: max(1, capacity))) }

    /// The number of marks, including those that have expired since the last call of `insert`.
    public var count: Int { marks.withLock { $0.count } }

    /// The number of tokens that were rejected because the clock had been set back, so that their marks may have been
    /// removed. A service raises an alarm if it grows.
    public var clockRejections: Int { marks.withLock { $0.clockRejections } }

    /// The number of clients that have marks in the store. It never exceeds `count`.
    var shareCount: Int { marks.withLock { $0.shareCount } }

    /// The number of steps in the heap of marks so far, which is what calls of `insert` cost beside a hash and a
    /// lookup.
    var stepCount: Int { marks.withLock { $0.steps } }

    /// Adds a mark unless it is already in the store.
    ///
    /// - Parameters:
    ///   - mark: The mark of the token that is used.
    ///   - now: The time of the policy's clock.
    /// - Returns: `fresh` if this is the first use; every other answer rejects the token.
    public func insert(_ mark: ReplayMark, now: NumericDate) -> ReplayAnswer {
        let (now, end) = (now.secondsSince1970, mark.expiration.secondsSince1970)
        guard now.isFinite, end.isFinite, let key = ReplayKey(mark.issuer, mark.tokenID),
            let share = ReplayKey(mark.share, "")
        else { return .unavailable }
        return marks.withLock { $0.insert(key, share.short, until: end, now: now) }
    }
}

/// The SHA-256 hash of two strings, such as an issuer and a `jti`, with the length of the first before it.
struct ReplayKey: Hashable, Sendable {
    private let digest: DigestWords

    init?(_ first: String, _ second: String) {
        var text: [UInt8] = []
        text.reserveCapacity(first.utf8.count + second.utf8.count + 21)
        text.append(contentsOf: "\(first.utf8.count):".utf8)
        text.append(contentsOf: first.utf8)
        text.append(contentsOf: second.utf8)
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        guard (try? Hash.sha256.digest(text.span, into: &output)) != nil else { return nil }
        self.digest = DigestWords(digest.span)
    }

    /// The first half, which identifies a client. Two clients whose halves collide would count as one.
    var short: Short { Short(words: (digest.words.0, digest.words.1)) }

    struct Short: Hashable, Sendable {
        fileprivate let words: (UInt64, UInt64)

        static func == (a: Self, b: Self) -> Bool { a.words == b.words }
        func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }
}

/// A SHA-256 digest as numbers, which are compared faster than bytes.
private struct DigestWords: Hashable, Sendable {
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ digest: Span<UInt8>) {
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word << 8 | UInt64(digest[index]) }
            return word
        }
        words = (word(0), word(8), word(16), word(24))
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

/// The marks that have not expired, with the client of each, and the number of marks of each client.
private struct ReplayMarks {
    private let capacity: Int
    private var marks: ExpiringMap<ReplayKey, ReplayKey.Short>
    private var shares: [ReplayKey.Short: Int] = [:]
    /// The expirations of removed marks. It is not known whether other marks with such an expiration were used.
    private var removed = RemovedExpirations()
    private(set) var clockRejections = 0

    init(capacity: Int) {
        self.capacity = capacity
        marks = ExpiringMap(countLimit: capacity, eviction: .refuse)
    }

    var count: Int { marks.count }
    var shareCount: Int { shares.count }
    var steps: Int { marks.steps }

    mutating func insert(_ key: ReplayKey, _ share: ReplayKey.Short, until end: Double, now: Double) -> ReplayAnswer {
        // All expired marks are removed here, so that the insertion below removes none of which the shares do not know.
        while let removed = marks.removeEnded(at: now) { forget(removed.value, until: removed.end) }
        if marks.value(key) != nil { return end > now ? .seen : .expired }
        guard end > now else { return .expired }
        guard !removed.contains(end) else {
            // The clock has shown the expiration before. A thread that read it a moment before another is no reason for
            // an alarm.
            guard end - now > Self.tolerance else { return .expired }
            clockRejections += 1
            return .unavailable
        }
        let free = capacity - marks.count
        guard free <= 0 || shares[share, default: 0] < free else { return .shareFull }
        guard marks.insert(share, for: key, until: end, at: now) == .inserted else { return .full }
        shares[share, default: 0] += 1
        return .fresh
    }

    /// The seconds by which a reading of the clock may be earlier than one before it without the clock having been set
    /// back.
    private static let tolerance = 1.0

    private mutating func forget(_ share: ReplayKey.Short, until end: Double) {
        removed.insert(end)
        let left = shares[share, default: 1] - 1
        shares[share] = left > 0 ? left : nil
    }
}
