public import JOSE
internal import JOSESupport
internal import Synchronization

/// A login store in memory, for a service that runs as a single process. Its entries are lost when the process ends.
///
/// A full store rejects new entries and never removes one that has not expired, so that no pending login is lost. Each
/// operation removes up to two expired entries, and an insertion as many more as it needs for its own entry. The values
/// of removed entries are wiped from memory.
public final class MemoryLoginStore: LoginStore, Sendable {
    /// The number of bytes that each entry counts toward the byte limit in addition to its value, for its key and the
    /// store's data structures.
    package static let entryCost = 256

    /// The bytes of a value, which are wiped when the last reference is released.
    private final class Value: Sendable {
        let bytes: SecretBytes

        init(_ bytes: [UInt8]) { self.bytes = SecretBytes(copying: bytes.span) }
    }

    private struct State: Sendable {
        var entries: ExpiringMap<StoreKey, Value>
        /// The latest time of all calls. Time never goes back here, whatever the clock does.
        private var latest = -Double.infinity

        init(countLimit: Int, byteLimit: Int) {
            entries = ExpiringMap(countLimit: countLimit, weightLimit: byteLimit, eviction: .refuse)
        }

        /// Returns the latest time that any call had; NaN counts as no time. Removes up to `limit` entries that have
        /// expired.
        mutating func advance(to now: Double, removing limit: Int = 2) -> Double {
            if now > latest { latest = now }
            var removed = 0
            while removed < limit, entries.removeEnded(at: latest) != nil { removed += 1 }
            return latest
        }
    }
    private let state: Mutex<State>
    /// The current time in seconds, counted from any moment.
    private let now: @Sendable () -> Double

    /// Creates an empty store. Memory is allocated as entries are inserted.
    ///
    /// - Parameters:
    ///   - countLimit: The largest number of entries, above zero.
    ///   - byteLimit: The largest number of bytes, above zero: those of all values, and 256 for each entry.
    ///     The default has room for 65 536 values of 768 bytes.
    ///   - clock: The clock by which entries expire; nil for the monotonic clock of the system, which changes of the
    ///     wall clock do not affect. If the clock goes back, the latest time that it showed counts: a mark that was
    ///     removed must not be missing when its token is valid again.
    public init(countLimit: Int = 65_536, byteLimit: Int = 64 << 20, clock: WallClock? = nil) {
        precondition(countLimit > 0 && byteLimit > 0)
        state = Mutex(State(countLimit: countLimit, byteLimit: byteLimit))
        if let clock { now = { clock.now.secondsSince1970 } } else { now = SystemClock.elapsed }
    }

    /// Stores a value under a key for a limited time, unless the store already contains the key.
    ///
    /// - Returns: True if the value was stored; false if the store already contains the key.
    /// - Throws: ``StoreError/full`` if there is no room, ``StoreError/expired`` for a lifetime of zero or less,
    ///   ``StoreError/unavailable`` if the clock shows no valid time, and no other error.
    public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        let now = now()
        guard abs(now) <= NumericDate.bound else { throw .unavailable }
        let lifetime = try StoreLifetime.bounded(lifetime).inSeconds
        let (size, isTooLarge) = value.count.addingReportingOverflow(Self.entryCost)
        guard !isTooLarge else { throw .full }
        let value = Value(value)
        let outcome = state.withLock { state in
            // The insertion removes expired entries itself.
            let now = state.advance(to: now, removing: 0)
            return state.entries.insert(value, for: key, until: now + lifetime, weight: size, at: now)
        }
        switch outcome {
        case .inserted: return true
        case .exists: return false
        case .full: throw .full
        }
    }

    /// Removes the value of a key and returns it, or returns nil if the store does not contain the key or its value has
    /// expired. It never throws.
    public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        // The bytes are copied after the lock is released: this caller is the only owner of the value.
        let value = state.withLock { state in
            let now = state.advance(to: now)
            return state.entries.remove(key, at: now)
        }
        return value?.bytes.copy()
    }

    /// Returns the value of a key and leaves it in the store, or returns nil if the store does not contain the key or
    /// its value has expired. It never throws.
    public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        let value = state.withLock { state in
            let now = state.advance(to: now)
            return state.entries.value(key, at: now)
        }
        return value?.bytes.copy()
    }

    /// The number of entries that have not expired, for example for a metric. Reading it removes all expired entries,
    /// which releases their memory even while there are no logins.
    public var count: Int {
        let now = now()
        return state.withLock { state in
            _ = state.advance(to: now, removing: .max)
            return state.entries.count
        }
    }
}
