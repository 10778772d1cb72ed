internal import JOSEBytes
internal import JOSECrypto
internal import Synchronization

/// A replay store of one process, of a size that never grows: every mark takes the same room, however long its texts.
///
/// Only what has expired makes room. A store that is full of marks in force answers `full`, so that a flood of tokens
/// costs service and never lets an old one pass again.
///
/// No client can fill the store. Each ``ReplayMark/share``, which is the issuer of the token for all profiles but DPoP, may have as many
/// marks as there are places free: half of the capacity while one client alone is active, a third each when two clients take all they
/// can, and one part in *n* + 1 when *n* clients do. One part in *n* + 1 is then still free for others. A client that asks for more is
/// answered `shareFull`. Where one issuer alone is expected, choose twice the capacity that its tokens need.
public final class InMemoryReplayStore: ReplayStore {
    private let capacity: Int
    private let marks = Mutex(ReplayMarks())

    /// Creates an empty store.
    ///
    /// - Parameter capacity: The most marks that the store keeps, of all clients together: 100 000 by default, and at least 1. A mark
    ///   takes some 150 bytes, and up to 260 where every mark is another client's; memory is taken as marks come.
    public init(capacity: Int = 100_000) { self.capacity = max(1, capacity) }

    /// Marks that are kept, those included that have expired since the last call of `insert`.
    public var count: Int { marks.withLock { $0.count } }

    /// The clients that have marks in the store. Their number never exceeds `count`.
    var shareCount: Int { marks.withLock { $0.shareCount } }

    /// The steps of the heap of marks so far: what calls of `insert` cost beside a hash and a lookup.
    var stepCount: Int { marks.withLock { $0.steps } }

    public func insert(_ mark: ReplayMark, now: Double) -> ReplayAnswer {
        guard now.isFinite, mark.expiration.isFinite, let key = ReplayKey(mark.issuer, mark.tokenID),
            let share = ReplayKey(mark.share, "")
        else { return .unavailable }
        return marks.withLock { $0.insert(key, share.short, until: mark.expiration, now: now, capacity: capacity) }
    }
}

/// SHA-256 of two texts, such as an issuer and a `jti`, with the length of the first before it.
struct ReplayKey: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init?(_ first: String, _ second: String) {
        var text: [UInt8] = []
        text.reserveCapacity(first.utf8.count + second.utf8.count + 21)
        text.append(contentsOf: "\(first.utf8.count):".utf8)
        text.append(contentsOf: first.utf8)
        text.append(contentsOf: second.utf8)
        guard let digest = try? Hash.sha256.digest(text.span) else { return nil }
        func word(_ index: Int) -> UInt64 { digest[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        words = (word(0), word(1), word(2), word(3))
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }

    /// The first half, which names a client: two that collide would count as one.
    var short: Short { Short(words: (words.0, words.1)) }

    struct Short: Hashable, Sendable {
        fileprivate let words: (UInt64, UInt64)

        static func == (a: Self, b: Self) -> Bool { a.words == b.words }
        func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }
}

/// The marks, a heap of them by their end, so that to find what has expired costs nothing where nothing has, and the number of marks
/// of each client that has any.
private struct ReplayMarks {
    private typealias Entry = (end: Double, key: ReplayKey, share: ReplayKey.Short)
    private var keys: Set<ReplayKey> = []
    private var heap: [Entry] = []
    private var shares: [ReplayKey.Short: Int] = [:]
    /// The latest expiration of a mark that was removed: of marks that end no later, it is not known whether they were used.
    private var removedUntil = -Double.infinity
    private(set) var steps = 0

    var count: Int { heap.count }
    var shareCount: Int { shares.count }

    mutating func insert(
        _ key: ReplayKey, _ share: ReplayKey.Short, until end: Double, now: Double, capacity: Int
    ) -> ReplayAnswer {
        while let first = heap.first, first.end <= now { removeFirst() }
        if keys.contains(key) { return end > now ? .seen : .expired }
        guard end > now, end > removedUntil else { return .expired }
        let free = capacity - heap.count
        guard free > 0 else { return .full }
        guard shares[share, default: 0] < free else { return .shareFull }
        keys.insert(key)
        shares[share, default: 0] += 1
        append((end, key, share))
        return .fresh
    }

    private mutating func append(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            steps += 1
            let parent = (child - 1) / 2
            guard heap[child].end < heap[parent].end else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        let removed = heap.removeLast()
        keys.remove(removed.key)
        removedUntil = max(removedUntil, removed.end)
        let left = shares[removed.share, default: 1] - 1
        shares[removed.share] = left > 0 ? left : nil
        var parent = 0
        while true {
            steps += 1
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].end < heap[least].end
            {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
