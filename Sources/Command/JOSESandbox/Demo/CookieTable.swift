internal import JOSESupport
internal import Synchronization

/// A table of values for browsers, each found by the value of a cookie.
final class CookieTable<Value: Sendable>: Sendable {
    let name: String
    private let table: Mutex<ExpiringTable<Value>>
    /// A monotonic clock in seconds.
    private let elapsed: @Sendable () -> Double

    init(
        _ name: String, lifetime: Double, _ elapsed: @escaping @Sendable () -> Double = { SystemClock.elapsed() }
    ) {
        self.name = name
        self.elapsed = elapsed
        table = Mutex(ExpiringTable(lifetime: lifetime))
    }

    /// Stores a value, and returns the cookie of its browser.
    func put(_ value: Value, under key: String = Randomness.text()) -> String {
        table.withLock { $0.insert(value, under: key, now: elapsed()) }
        return WebCookie.text(name, key)
    }

    /// Returns the value of the requesting browser.
    func value(_ request: WebRequest) -> Value? {
        request.cookie(name).flatMap { key in table.withLock { $0.value(key, now: elapsed()) } }
    }

    /// Removes and returns the value of the requesting browser, if it is one that is wanted.
    func take(_ request: WebRequest, if isWanted: (Value) -> Bool = { _ in true }) -> Value? {
        guard let key = request.cookie(name) else { return nil }
        return table.withLock { table in
            guard let value = table.value(key, now: elapsed()), isWanted(value) else { return nil }
            return table.take(key, now: elapsed())
        }
    }

    func removeAll(where isGone: (Value) -> Bool) { table.withLock { $0.removeAll(where: isGone) } }
}
