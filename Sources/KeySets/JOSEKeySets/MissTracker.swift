/// Which names of keys were asked for in vain, and what may be done about it. Whoever sends tokens chooses the names: memory and
/// fetches are bounded whatever they are. A decision without a clock of its own, as `RefreshSchedule` is.
package struct MissTracker: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// A recent fetch did not bring it: nothing is done.
        case known
        /// Fetch, if the cooldown is over.
        case fetch
        /// Fetch in spite of the cooldown.
        case letThrough
        /// Fetch later.
        case wait
    }

    private struct Absence: Sendable {
        var until: Double
        var lifetime: Double
    }

    private let lifetime: ClosedRange<Double>
    private let repeats: Int
    private let bypasses: Int
    private let bypassWindow: Double
    /// Asked for since the last fetch, and how often.
    private var asked: BoundedBook<Int>
    /// Lacking in a set that came.
    private var absent: BoundedBook<Absence>
    /// When fetches were let through.
    private var passed: [Double] = []
    /// Since then no fetch has ended.
    private var isPassing = false

    /// Longer names are counted as one: none of any issuer is.
    package static let nameLimit = 256

    package init(_ options: KeySetOptions) {
        lifetime = options.missLifetime.lowerBound.inSeconds...options.missLifetime.upperBound.inSeconds
        repeats = options.missRepeats
        bypasses = options.bypasses
        bypassWindow = options.bypassWindow.inSeconds
        asked = BoundedBook(limit: options.missLimit)
        absent = BoundedBook(limit: options.missLimit)
    }

    package var count: Int { asked.count + absent.count }

    /// Whether the last set that came is known to lack `name`.
    package func isKnownAbsent(_ name: [UInt8]?, at now: Double) -> Bool {
        let name = name.flatMap { $0.count <= Self.nameLimit ? $0 : nil }
        return absent[name].map { now < $0.until } ?? false
    }

    /// A token asks for `name`. `isCooling`: no fetch is allowed now; `mayPass`: but one that is let through would be.
    package mutating func note(_ name: [UInt8]?, at now: Double, isCooling: Bool, mayPass: Bool) -> Verdict {
        let name = name.flatMap { $0.count <= Self.nameLimit ? $0 : nil }
        if isKnownAbsent(name, at: now) { return .known }
        let count = min((asked[name] ?? 0) + 1, 1 << 20)
        asked[name] = count
        guard isCooling else { return .fetch }
        // A name that is none has nothing to tell it from a flood.
        guard mayPass, name != nil, count >= repeats, !isPassing else { return .wait }
        passed.removeAll { now - $0 >= bypassWindow }
        guard passed.count < bypasses else { return .wait }
        passed.append(now)
        isPassing = true
        return .letThrough
    }

    /// A fetch ended. With a set: the names asked for that it lacks are known from now on; the first time for the lower bound
    /// of their lifetime, then for twice as long each time.
    package mutating func settle(at now: Double, hasSet: Bool, holds: ([UInt8]) -> Bool) {
        isPassing = false
        if hasSet {
            for name in asked.names {
                if let name, holds(name) {
                    absent[name] = nil
                } else {
                    let last = absent[name]?.lifetime
                    let next = min(last.map { $0 * 2 } ?? lifetime.lowerBound, lifetime.upperBound)
                    absent[name] = Absence(until: now + next, lifetime: next)
                }
            }
        }
        asked.removeAll()
    }
}

/// A table of names that never holds more than `limit` of them. A new name takes the place of an old one that was touched only
/// once since the last round: those that come again and again outlive a flood of others.
struct BoundedBook<Entry: Sendable>: Sendable {
    private struct Slot: Sendable {
        let name: [UInt8]?
        var entry: Entry
        var isWanted: Bool
    }
    private let limit: Int
    private var slots: [Slot] = []
    private var places: [[UInt8]?: Int] = [:]
    private var hand = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { slots.count }
    var names: [[UInt8]?] { slots.map(\.name) }

    subscript(_ name: [UInt8]?) -> Entry? {
        get { places[name].map { slots[$0].entry } }
        set {
            switch (places[name], newValue) {
            case (let place?, let entry?):
                slots[place].entry = entry
                slots[place].isWanted = true
            case (let place?, nil): remove(place)
            case (nil, let entry?): insert(Slot(name: name, entry: entry, isWanted: false))
            case (nil, nil): break
            }
        }
    }

    mutating func removeAll() {
        slots.removeAll()
        places.removeAll()
        hand = 0
    }

    private mutating func insert(_ slot: Slot) {
        guard slots.count >= limit else {
            places[slot.name] = slots.count
            slots.append(slot)
            return
        }
        // Twice round at most: the first round leaves nothing wanted.
        while slots[hand].isWanted {
            slots[hand].isWanted = false
            hand = (hand + 1) % limit
        }
        places[slots[hand].name] = nil
        slots[hand] = slot
        places[slot.name] = hand
        hand = (hand + 1) % limit
    }

    private mutating func remove(_ place: Int) {
        places[slots[place].name] = nil
        let last = slots.removeLast()
        if place < slots.count {
            slots[place] = last
            places[last.name] = place
        }
        if hand >= slots.count { hand = 0 }
    }
}
