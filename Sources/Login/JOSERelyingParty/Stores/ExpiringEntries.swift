internal import JOSEBytes

/// Entries by key, and a heap of their times of expiry. The cost of each operation is logarithmic in the number of
/// entries, whatever their lifetimes.
struct ExpiringEntries {
    enum Outcome { case inserted, exists, full }

    /// The bytes of a value, which are wiped when the last reference is released.
    final class Value: Sendable {
        let bytes: SecretBytes

        init(_ bytes: [UInt8]) { self.bytes = SecretBytes(copying: bytes.span) }
    }

    private struct Slot {
        let key: StoreKey
        let end: Double
        var value: Value?
        /// The index of the slot in the heap.
        var place: Int
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var numbers: [StoreKey: Int] = [:]
    /// The numbers of slots as a binary heap: no slot expires before its parent.
    private var heap: [Int] = []
    private var bytes = 0
    /// The latest time of all calls. Time never goes back here, whatever the clock does.
    private var latest = -Double.infinity

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    var count: Int { numbers.count }

    mutating func insert(_ value: [UInt8], for key: StoreKey, lifetime: Double, now: Double) -> Outcome {
        let now = advance(to: now)
        let end = now + lifetime
        removeExpired(atMost: 2, now: now)
        if let number = numbers[key] {
            if slots[number].end > now { return .exists }
            _ = remove(number)
        }
        let size = value.count.addingReportingOverflow(MemoryLoginStore.entryCost)
        guard !size.overflow, size.partialValue <= byteLimit else { return .full }
        while count >= countLimit || bytes > byteLimit - size.partialValue {
            guard removeExpired(atMost: 1, now: now) else { return .full }
        }
        bytes += size.partialValue
        let slot = Slot(key: key, end: end, value: Value(value), place: heap.count)
        let number: Int
        if let hole = free.popLast() {
            number = hole
            slots[number] = slot
        } else {
            number = slots.count
            slots.append(slot)
        }
        numbers[key] = number
        heap.append(number)
        rise(heap.count - 1)
        return .inserted
    }

    mutating func take(_ key: StoreKey, now: Double) -> Value? {
        let now = advance(to: now)
        defer { removeExpired(atMost: 2, now: now) }
        guard let number = numbers[key] else { return nil }
        let isValid = slots[number].end > now
        let value = remove(number)
        return isValid ? value : nil
    }

    /// Returns the value of a key, which stays in the store; nil if it has expired.
    mutating func value(_ key: StoreKey, now: Double) -> Value? {
        let now = advance(to: now)
        removeExpired(atMost: 2, now: now)
        return numbers[key].flatMap { slots[$0].end > now ? slots[$0].value : nil }
    }

    /// Returns the latest time that any call had; NaN counts as no time.
    private mutating func advance(to now: Double) -> Double {
        if now > latest { latest = now }
        return latest
    }

    /// Removes expired entries, at most `limit`, and returns whether it removed any.
    @discardableResult mutating func removeExpired(atMost limit: Int, now: Double) -> Bool {
        var removed = 0
        while removed < limit, let first = heap.first, slots[first].end <= now {
            _ = remove(first)
            removed += 1
        }
        return removed > 0
    }

    private mutating func remove(_ number: Int) -> Value? {
        let value = slots[number].value.take()
        let place = slots[number].place
        numbers[slots[number].key] = nil
        bytes -= (value?.bytes.count ?? 0) + MemoryLoginStore.entryCost
        free.append(number)
        let last = heap.removeLast()
        if last != number {
            put(last, at: place)
            sink(place)
            rise(place)
        }
        return value
    }

    private mutating func put(_ number: Int, at place: Int) {
        heap[place] = number
        slots[number].place = place
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let number = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard slots[number].end < slots[heap[parent]].end else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(number, at: place)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        let number = heap[place]
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, slots[heap[child + 1]].end < slots[heap[child]].end { child += 1 }
            guard slots[heap[child]].end < slots[number].end else { break }
            put(heap[child], at: place)
            place = child
        }
        put(number, at: place)
    }
}
