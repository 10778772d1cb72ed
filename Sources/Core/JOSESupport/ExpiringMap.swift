/// Values by key that end at a time each, bounded in number and in weight.
///
/// The map has no clock: calls that depend on the time get it as seconds, counted from any moment. An entry has ended
/// at its end and from then on. Ended entries take room until they are removed: each insertion removes up to two of
/// them, and as many more as its own entry needs. With the evictions `.refuse` and `.endsFirst` an operation takes time
/// logarithmic in the number of entries, otherwise it takes constant time (`.unused`: on average).
///
/// The declarations are public, although no product exports this module, because Swift 6.3 specializes generic
/// functions for the types of another module only if they are `@inlinable` and public.
public struct ExpiringMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The entry that makes room for another.
    public enum Eviction: Sendable {
        /// Only entries that have ended. If there are none, the new entry is refused.
        case refuse
        /// The entry that ends first.
        case endsFirst
        /// The entry that was inserted or used least recently. Entries that have ended are found only where they are
        /// that entry.
        case leastRecentlyUsed
        /// The oldest entry, except that an entry that was used since it was inserted or last spared is spared once and
        /// counts as new. Entries in repeated use thus survive a flood of others that are used once.
        case unused
    }

    public enum Outcome: Equatable, Sendable {
        case inserted
        /// The key has a value that has not ended, which stays.
        case exists
        /// There is no room.
        case full
    }

    public struct Entry: Sendable {
        public let key: Key
        public var value: Value
        public let end: Double
        @usableFromInline let weight: Int

        @inlinable
        init(key: Key, value: Value, end: Double, weight: Int) {
            self.key = key
            self.value = value
            self.end = end
            self.weight = weight
        }
    }

    @usableFromInline let countLimit: Int
    @usableFromInline let weightLimit: Int
    @usableFromInline let eviction: Eviction
    @usableFromInline var slots: [Entry?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var slotIndices: [Key: Int] = [:]
    /// The order of the slots by their ends; empty unless an eviction looks for it.
    @usableFromInline var ends = Heap()
    /// The order of the slots by their use; empty unless an eviction looks for it.
    @usableFromInline var uses = UseOrder()
    /// The weight of all entries together.
    public var weight = 0

    /// Creates an empty map. Memory is allocated as entries are inserted.
    ///
    /// - Parameters:
    ///   - countLimit: The largest number of entries.
    ///   - weightLimit: The largest weight of all entries together, in a unit of the caller's, such as bytes.
    ///   - eviction: The entry that makes room for another if the map is full.
    @inlinable
    public init(countLimit: Int, weightLimit: Int = .max, eviction: Eviction) {
        self.countLimit = countLimit
        self.weightLimit = weightLimit
        self.eviction = eviction
    }

    /// The number of entries, including those that have ended and were not removed yet.
    @inlinable
    public var count: Int { slotIndices.count }

    /// The number of steps in the heap of ends so far, which is what calls cost beside a lookup in a hash table.
    @inlinable
    public var steps: Int { ends.steps }

    /// The keys of all entries, in no particular order.
    @inlinable
    public var keys: [Key] { slots.compactMap { $0?.key } }

    /// The values of all entries, in no particular order.
    @inlinable
    public var values: [Value] { slots.compactMap { $0?.value } }

    /// The end of the entry that ends first; infinity if there is none. It is known with the evictions `.refuse` and
    /// `.endsFirst` only.
    @inlinable
    public var firstEnd: Double { ends.first?.time ?? .infinity }

    /// The entry that was inserted or used least recently; nil if there is none. It is known with the eviction
    /// `.leastRecentlyUsed` only.
    @inlinable
    public var oldest: Entry? { uses.oldest.flatMap { slots[$0] } }

    /// The entry that was inserted or used most recently, as `oldest`.
    @inlinable
    public var newest: Entry? { uses.latest.flatMap { slots[$0] } }

    /// Returns the value of a key, or nil if there is none or it has ended at `now`.
    @inlinable
    public func value(_ key: Key, at now: Double = -.infinity) -> Value? {
        guard let slot = slotIndices[key], let entry = slots[slot], entry.end > now else { return nil }
        return entry.value
    }

    /// Returns the value of a key, or nil if there is none or it has ended at `now`. The entry counts as used.
    @inlinable
    public mutating func use(_ key: Key, at now: Double = -.infinity) -> Value? {
        guard let slot = slotIndices[key], let entry = slots[slot], entry.end > now else { return nil }
        switch eviction {
        case .refuse, .endsFirst: break
        case .leastRecentlyUsed: uses.moveToNewest(slot)
        case .unused: uses.mark(slot)
        }
        return entry.value
    }

    /// Changes the value of a key, if there is one. Its end and weight stay, and it does not count as used.
    @inlinable
    public mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        guard let slot = slotIndices[key], slots[slot] != nil else { return }
        if var entry = slots[slot].take() {
            body(&entry.value)
            slots[slot] = entry
        }
    }

    /// Inserts a value, unless the key has one that has not ended.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which has no value or one that has ended.
    ///   - end: The time from which on the entry has ended, which is not NaN; infinity if it never ends.
    ///   - weight: The weight of the entry, at least 0. An entry heavier than the limit is refused, and removes no
    ///     other.
    ///   - now: The time.
    @inlinable
    public mutating func insert(
        _ value: Value, for key: Key, until end: Double = .infinity, weight: Int = 0, at now: Double = -.infinity
    ) -> Outcome {
        for _ in 0..<2 { guard removeEnded(at: now) != nil else { break } }
        if let slot = slotIndices[key] {
            if let entry = slots[slot], entry.end > now { return .exists }
            _ = vacate(slot)
        }
        guard weight <= weightLimit, countLimit > 0 else { return .full }
        while count >= countLimit || self.weight > weightLimit - weight {
            guard makeRoom(at: now) else { return .full }
        }
        add(Entry(key: key, value: value, end: end, weight: weight))
        return .inserted
    }

    /// Inserts a value in place of the one that the key has. The parameters are those of
    /// ``insert(_:for:until:weight:at:)``.
    ///
    /// - Returns: False if there is no room; the key has no value then.
    @inlinable
    @discardableResult public mutating func set(
        _ value: Value, for key: Key, until end: Double = .infinity, weight: Int = 0, at now: Double = -.infinity
    ) -> Bool {
        remove(key)
        return insert(value, for: key, until: end, weight: weight, at: now) == .inserted
    }

    /// Removes the value of a key and returns it, or nil if there is none or it has ended at `now`.
    @inlinable
    @discardableResult public mutating func remove(_ key: Key, at now: Double = -.infinity) -> Value? {
        guard let slot = slotIndices[key], let entry = vacate(slot), entry.end > now else { return nil }
        return entry.value
    }

    /// Removes and returns one entry that has ended at `now`: the one that ended first, or with the evictions
    /// `.leastRecentlyUsed` and `.unused` the oldest one, if that has ended.
    @inlinable
    public mutating func removeEnded(at now: Double) -> Entry? {
        switch eviction {
        case .refuse, .endsFirst:
            guard let first = ends.first, first.time <= now else { return nil }
            return vacate(first.handle)
        case .leastRecentlyUsed, .unused:
            guard let oldest = uses.oldest, let entry = slots[oldest], entry.end <= now else { return nil }
            return vacate(oldest)
        }
    }

    /// Removes the entries for which `isGone` returns true, in time linear in the number of all entries.
    @inlinable
    public mutating func removeAll(where isGone: (Value) -> Bool) {
        for slot in slots.indices {
            if let entry = slots[slot], isGone(entry.value) { _ = vacate(slot) }
        }
    }

    @inlinable
    public mutating func removeAll() {
        self = ExpiringMap(countLimit: countLimit, weightLimit: weightLimit, eviction: eviction)
    }

    /// Removes the entry that the eviction chooses, and returns whether there is one.
    @inlinable
    mutating func makeRoom(at now: Double) -> Bool {
        let slot: Int? =
            switch eviction {
            case .refuse: ends.first.flatMap { $0.time <= now ? $0.handle : nil }
            case .endsFirst: ends.first?.handle
            case .leastRecentlyUsed: uses.oldest
            case .unused: uses.oldestUnmarked()
            }
        guard let slot else { return false }
        _ = vacate(slot)
        return true
    }

    @inlinable
    mutating func add(_ entry: Entry) {
        let slot: Int
        if let hole = free.popLast() {
            slot = hole
            slots[slot] = entry
        } else {
            slot = slots.count
            slots.append(entry)
        }
        slotIndices[entry.key] = slot
        weight += entry.weight
        switch eviction {
        case .refuse, .endsFirst: ends.insert(slot, at: entry.end)
        case .leastRecentlyUsed, .unused: uses.append(slot)
        }
    }

    @inlinable
    mutating func vacate(_ slot: Int) -> Entry? {
        guard let entry = slots[slot].take() else { return nil }
        slotIndices[entry.key] = nil
        weight -= entry.weight
        free.append(slot)
        switch eviction {
        case .refuse, .endsFirst: ends.remove(slot)
        case .leastRecentlyUsed, .unused: uses.remove(slot)
        }
        return entry
    }
}
