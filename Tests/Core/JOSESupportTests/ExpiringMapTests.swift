import JOSESupport
import TestSupport
import Testing

@Suite("Map of entries that end") struct ExpiringMapTests {
    private static let evictions: [ExpiringMap<String, Int>.Eviction] = [
        .refuse, .endsFirst, .leastRecentlyUsed, .unused,
    ]

    @Test("a value is found until its end, and taken once", arguments: 0..<4) func lifetime(eviction: Int) {
        let map = Map(countLimit: 10, eviction: Self.evictions[eviction])
        #expect(map.insert(1, for: "a", until: 10, at: 0) == .inserted)
        let found = [map.value("a", at: 9.9), map.use("a", at: 9.9)]
        let ended = [map.value("a", at: 10), map.use("a", at: 10)]
        #expect(found == [1, 1] && ended == [nil, nil])
        #expect(map.value("b") == nil)
        #expect(map.insert(2, for: "a", until: 20, at: 9.9) == .exists)
        #expect(map.value("a") == 1)
        #expect(map.insert(3, for: "a", until: 20, at: 10) == .inserted)
        #expect(map.remove("a", at: 19.9) == 3)
        #expect(map.remove("a", at: 19.9) == nil)
        #expect(map.insert(4, for: "a", until: 30, at: 20) == .inserted)
        #expect(map.remove("a", at: 30) == nil)
        #expect(map.count == 0)
    }

    @Test("set replaces a value with its end and weight, and change keeps them", arguments: 0..<4)
    func replacing(eviction: Int) {
        let map = Map(countLimit: 10, weightLimit: 10, eviction: Self.evictions[eviction])
        #expect(map.set(1, for: "a", until: 10, weight: 4, at: 0))
        #expect(map.set(2, for: "a", until: 20, weight: 6, at: 0))
        #expect(map.value("a", at: 10) == 2 && map.weight == 6 && map.count == 1)
        map.change("a") { $0 += 5 }
        map.change("b") { $0 += 5 }
        #expect(map.value("a", at: 19) == 7 && map.value("a", at: 20) == nil && map.weight == 6)
        #expect(!map.set(3, for: "a", weight: 11, at: 0))
        #expect(map.value("a") == nil && map.weight == 0)
    }

    @Test("without eviction a full map refuses, until an entry is removed or ends") func refusal() {
        let map = Map(countLimit: 2, eviction: .refuse)
        #expect(map.insert(1, for: "a", until: 10, at: 0) == .inserted)
        #expect(map.insert(2, for: "b", until: 20, at: 0) == .inserted)
        #expect(map.insert(3, for: "c", until: 30, at: 9) == .full)
        #expect(map.keys.sorted() == ["a", "b"] && map.firstEnd == 10)
        #expect(map.insert(3, for: "c", until: 30, at: 10) == .inserted)
        #expect(map.value("b", at: 10) == 2 && map.firstEnd == 20)
        map.remove("b")
        #expect(map.insert(4, for: "d", until: 30, at: 10) == .inserted)
        #expect(map.insert(5, for: "e", until: 30, at: 10) == .full)
        let none = Map(countLimit: 0, eviction: .leastRecentlyUsed)
        #expect(none.insert(1, for: "a") == .full)
        #expect(none.firstEnd == .infinity)
    }

    @Test("the weight of all entries is bounded, and an entry that cannot fit removes no other", arguments: 0..<4)
    func weights(eviction: Int) {
        let map = Map(countLimit: 100, weightLimit: 10, eviction: Self.evictions[eviction])
        #expect(map.insert(1, for: "a", until: 10, weight: 4, at: 0) == .inserted)
        #expect(map.insert(2, for: "b", until: 20, weight: 6, at: 0) == .inserted)
        #expect(map.insert(3, for: "c", until: 30, weight: 11, at: 0) == .full)
        #expect(map.insert(3, for: "c", until: 30, weight: .max, at: 0) == .full)
        #expect(map.count == 2 && map.weight == 10)
        #expect(map.insert(3, for: "c", until: 30, weight: 7, at: 0) == (eviction == 0 ? .full : .inserted))
        #expect(map.weight == (eviction == 0 ? 10 : 7))
        #expect(map.insert(4, for: "d", until: 30, weight: 0, at: 0) == .inserted)
        map.removeAll()
        #expect(map.count == 0 && map.weight == 0)
        #expect(map.insert(5, for: "e", until: 30, weight: 10, at: 0) == .inserted)
    }

    @Test("the entry that ends first makes room, whatever the order of insertion") func endsFirst() {
        let map = Map(countLimit: 3, eviction: .endsFirst)
        for (key, end) in [("a", 30.0), ("b", 10), ("c", 20)] { map.set(0, for: key, until: end, at: 0) }
        _ = map.use("b", at: 0)
        map.set(0, for: "d", until: 40, at: 0)
        #expect(map.keys.sorted() == ["a", "c", "d"])
        map.set(0, for: "e", until: 5, at: 0)
        #expect(map.keys.sorted() == ["a", "d", "e"])
    }

    @Test("the entry that was used least recently makes room") func leastRecentlyUsed() {
        let map = Map(countLimit: 3, eviction: .leastRecentlyUsed)
        for key in ["a", "b", "c"] { map.set(0, for: key) }
        #expect(map.use("a") == 0)
        #expect(map.value("b") == 0)
        map.set(0, for: "d")
        #expect(map.keys.sorted() == ["a", "c", "d"])
        for _ in 0..<2 { #expect(map.use("c") == 0) }
        map.set(0, for: "e")
        map.set(0, for: "f")
        #expect(map.keys.sorted() == ["c", "e", "f"])
    }

    @Test("entries in repeated use survive a flood of others, which replace each other") func unused() {
        let map = Map(countLimit: 10, eviction: .unused)
        for number in 0..<10 { map.set(number, for: "\(number)") }
        for round in 0..<1_000 {
            if round % 5 == 0 {
                let used = [map.use("3"), map.use("7")]
                #expect(used == [3, 7], "\(round)")
            }
            map.set(0, for: "new \(round)")
            #expect(map.count == 10)
        }
        // Without uses each is spared once more at most.
        for round in 0..<20 { map.set(0, for: "last \(round)") }
        #expect(map.value("3") == nil && map.value("7") == nil)
    }

    @Test("ended entries are removed two at a time, and in the order of their ends") func removal() {
        let map = Map(countLimit: 100, eviction: .refuse)
        for number in 0..<10 { map.set(number, for: "\(number)", until: Double((number * 7) % 10 + 1), at: 0) }
        #expect(map.insert(0, for: "x", until: 100, at: 6) == .inserted)
        #expect(map.count == 9)
        let ends = sequence(state: ()) { _ in map.removeEnded(at: 6)?.end }
        #expect(Array(ends) == [3, 4, 5, 6])
        #expect(map.count == 5)
        map.removeAll { $0 % 2 == 0 }
        #expect(map.removeEnded(at: 99)?.end == 8)
        #expect(map.firstEnd == 10)
    }

    @Test("the map agrees with a plain dictionary over thousands of random calls", arguments: 0..<4)
    func model(eviction: Int) {
        var random = SeededRandom(seed: UInt64(eviction))
        let map = Map(countLimit: 40, weightLimit: 300, eviction: Self.evictions[eviction])
        var model: [String: (value: Int, end: Double, weight: Int)] = [:]
        var now = 0.0
        for step in 0..<20_000 {
            now += Double.random(in: 0..<2, using: &random)
            let key = "\(Int.random(in: 0..<60, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                #expect(
                    map.remove(key, at: now) == model.removeValue(forKey: key).flatMap { $0.end > now ? $0.value : nil }
                )
            case 1:
                #expect(map.use(key, at: now) == model[key].flatMap { $0.end > now ? $0.value : nil })
            default:
                let entry = (
                    value: step, end: now + Double.random(in: 1..<100, using: &random),
                    weight: Int.random(in: 0..<30, using: &random)
                )
                let outcome = map.insert(step, for: key, until: entry.end, weight: entry.weight, at: now)
                #expect((outcome == .exists) == (model[key].map { $0.end > now } ?? false))
                if outcome == .inserted { model[key] = entry }
                #expect(eviction == 0 || outcome != .full)
            }
            // What the map removed to make room, or because it had ended.
            let keys = Set(map.keys)
            let removed = model.filter { !keys.contains($0.key) }
            if eviction == 0 { #expect(removed.allSatisfy { $0.value.end <= now }) }
            model = model.filter { keys.contains($0.key) }
            #expect(map.count == model.count && map.count <= 40)
            #expect(map.weight == model.values.reduce(0) { $0 + $1.weight } && map.weight <= 300)
            if eviction < 2 { #expect(map.firstEnd == model.values.map(\.end).min() ?? .infinity) }
        }
    }
}

/// A map whose calls `#expect` may contain: the macro takes no mutating ones.
private final class Map {
    typealias Eviction = ExpiringMap<String, Int>.Eviction
    private var map: ExpiringMap<String, Int>

    init(countLimit: Int, weightLimit: Int = .max, eviction: Eviction) {
        map = ExpiringMap(countLimit: countLimit, weightLimit: weightLimit, eviction: eviction)
    }

    var count: Int { map.count }
    var weight: Int { map.weight }
    var keys: [String] { map.keys }
    var firstEnd: Double { map.firstEnd }

    func value(_ key: String, at now: Double = -.infinity) -> Int? { map.value(key, at: now) }
    func use(_ key: String, at now: Double = -.infinity) -> Int? { map.use(key, at: now) }
    func change(_ key: String, _ body: (inout Int) -> Void) { map.change(key, body) }
    @discardableResult func remove(_ key: String, at now: Double = -.infinity) -> Int? { map.remove(key, at: now) }
    func removeEnded(at now: Double) -> ExpiringMap<String, Int>.Entry? { map.removeEnded(at: now) }
    func removeAll() { map.removeAll() }
    func removeAll(where isGone: (Int) -> Bool) { map.removeAll(where: isGone) }

    func insert(
        _ value: Int, for key: String, until end: Double = .infinity, weight: Int = 0, at now: Double = -.infinity
    ) -> ExpiringMap<String, Int>.Outcome {
        map.insert(value, for: key, until: end, weight: weight, at: now)
    }

    @discardableResult func set(
        _ value: Int, for key: String, until end: Double = .infinity, weight: Int = 0, at now: Double = -.infinity
    ) -> Bool {
        map.set(value, for: key, until: end, weight: weight, at: now)
    }
}
