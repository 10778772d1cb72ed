/// Values by key, all with the same lifetime. Over `capacity` the oldest value is dropped, so that a flood of requests costs
/// bounded memory.
struct ExpiringTable<Value: Sendable>: Sendable {
    private let lifetime: Double
    private let capacity: Int
    private var values: [String: (value: Value, end: Double)] = [:]
    /// The keys by the end of their lifetime, from `head` on.
    private var order: [(key: String, end: Double)] = []
    private var head = 0

    init(lifetime: Double, capacity: Int = 2_000) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    var count: Int { values.count }

    mutating func insert(_ value: Value, under key: String, now: Double) {
        while head < order.count, order[head].end <= now || values.count >= capacity {
            values[order[head].key] = nil
            head += 1
        }
        if head > 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
        values[key] = (value, now + lifetime)
        order.append((key, now + lifetime))
    }

    func value(_ key: String, now: Double) -> Value? {
        guard let found = values[key], now < found.end else { return nil }
        return found.value
    }

    /// Changes a value if it exists. Its end of life stays.
    mutating func change(_ key: String, _ body: (inout Value) -> Void) {
        guard var found = values[key] else { return }
        body(&found.value)
        values[key] = found
    }

    mutating func removeAll(where isGone: (Value) -> Bool) { values = values.filter { !isGone($0.value.value) } }

    mutating func take(_ key: String, now: Double) -> Value? {
        defer { values[key] = nil }
        return value(key, now: now)
    }
}
