internal import JOSESupport

/// An `ExpiringMap` whose values all have the same lifetime. If it is full, a new value replaces the oldest, so that a
/// flood of requests costs bounded memory.
struct ExpiringTable<Value: Sendable>: Sendable {
    private let lifetime: Double
    private var values: ExpiringMap<String, Value>

    init(lifetime: Double, capacity: Int = 2_000) {
        self.lifetime = lifetime
        values = ExpiringMap(countLimit: capacity, eviction: .endsFirst)
    }

    var count: Int { values.count }

    mutating func insert(_ value: Value, under key: String, now: Double) {
        values.set(value, for: key, until: now + lifetime, at: now)
    }

    func value(_ key: String, now: Double) -> Value? { values.value(key, at: now) }

    /// Changes a value if it exists. Its end of life stays.
    mutating func change(_ key: String, _ body: (inout Value) -> Void) { values.change(key, body) }

    mutating func removeAll(where isGone: (Value) -> Bool) { values.removeAll(where: isGone) }

    mutating func take(_ key: String, now: Double) -> Value? { values.remove(key, at: now) }
}
