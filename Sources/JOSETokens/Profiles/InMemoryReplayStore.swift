internal import JOSEBytes
internal import JOSECrypto
internal import Synchronization

/// A replay store of one process, of a size that never grows: every mark takes the same room, however long its texts.
///
/// Only what has expired makes room. A store that is full of marks in force answers `full`, so that a flood of tokens
/// costs service and never lets an old one pass again.
public final class InMemoryReplayStore: ReplayStore {
    private let capacity: Int
    private let marks = Mutex(ReplayMarks())

    /// About 100 bytes a mark, taken as they are needed. A capacity below 1 is taken as 1.
    public init(capacity: Int = 100_000) { self.capacity = max(1, capacity) }

    /// Marks that are kept, those included that have expired since the last call of `insert`.
    public var count: Int { marks.withLock { $0.count } }

    public func insert(_ mark: ReplayMark, now: Double) -> ReplayAnswer {
        guard now.isFinite, mark.expiration.isFinite, let key = ReplayKey(mark) else { return .unavailable }
        return marks.withLock { $0.insert(key, until: mark.expiration, now: now, capacity: capacity) }
    }
}

/// SHA-256 of the issuer, its length before it, and the `jti`.
struct ReplayKey: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init?(_ mark: ReplayMark) {
        var text: [UInt8] = []
        text.reserveCapacity(mark.issuer.utf8.count + mark.tokenID.utf8.count + 21)
        text.append(contentsOf: "\(mark.issuer.utf8.count):".utf8)
        text.append(contentsOf: mark.issuer.utf8)
        text.append(contentsOf: mark.tokenID.utf8)
        guard let digest = try? Hash.sha256.digest(text.span) else { return nil }
        func word(_ index: Int) -> UInt64 { digest[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        words = (word(0), word(1), word(2), word(3))
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

/// The marks, and a heap of them by their end: to find what has expired costs nothing where nothing has.
private struct ReplayMarks {
    private var keys: Set<ReplayKey> = []
    private var heap: [(end: Double, key: ReplayKey)] = []

    var count: Int { heap.count }

    mutating func insert(_ key: ReplayKey, until end: Double, now: Double, capacity: Int) -> ReplayAnswer {
        while let first = heap.first, first.end <= now {
            keys.remove(first.key)
            removeFirst()
        }
        if keys.contains(key) { return .seen }
        guard heap.count < capacity else { return .full }
        // What has expired already passes nowhere again, and needs no room.
        guard end > now else { return .fresh }
        keys.insert(key)
        append(end, key)
        return .fresh
    }

    private mutating func append(_ end: Double, _ key: ReplayKey) {
        heap.append((end, key))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].end < heap[parent].end else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
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
