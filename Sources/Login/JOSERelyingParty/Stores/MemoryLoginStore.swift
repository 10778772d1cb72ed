internal import JOSEBytes
internal import Synchronization

/// A store in this process's own memory, for a service of one process: what it holds ends with it.
///
/// It never drops what lives to make room: who fills it is refused, and nobody's login is lost. What has ended goes by itself, two
/// for each call and as many as room is needed for, and is wiped.
public final class MemoryLoginStore: LoginStore, Sendable {
    /// What an entry costs beside its value: its key, its place in the table and in the order of ends.
    public static let entryCost = 256

    private let shelf: Mutex<ExpiringEntries>
    private let now: @Sendable () -> Double

    /// At most so many entries, and so many bytes: of values, and ``entryCost`` for each. The room of 65 536 logins of 768 bytes
    /// unless told otherwise; it is taken as entries come.
    ///
    /// `now` tells seconds that only grow; unless told otherwise, the machine's since some moment, which no setting of a clock changes.
    public init(
        countLimit: Int = 65_536, byteLimit: Int = 64 << 20, now: (@Sendable () -> Double)? = nil
    ) {
        precondition(countLimit > 0 && byteLimit > 0)
        shelf = Mutex(ExpiringEntries(countLimit: countLimit, byteLimit: byteLimit))
        self.now = now ?? SystemClock.elapsed
    }

    /// Throws `full` where there is no room, `expired` for a lifetime that is not above zero, and nothing else.
    public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Double) async throws(StoreError) -> Bool {
        let now = now()
        let end = now + (try StoreLifetime.bounded(lifetime))
        let outcome = shelf.withLock { $0.insert(value, for: key, until: end, now: now) }
        switch outcome {
        case .kept: return true
        case .held: return false
        case .full: throw .full
        }
    }

    /// Throws nothing.
    public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        // Copied when the lock is free again: whoever got it is its only owner.
        let value = shelf.withLock { $0.take(key, now: now) }
        return value?.bytes.copy()
    }

    /// Throws nothing.
    public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        return shelf.withLock { $0.value(key, now: now) }?.bytes.copy()
    }

    /// What lives now. What has ended is dropped first, all of it: for tests and gauges, and for a service that wants it gone though
    /// nobody logs in.
    public var count: Int {
        let now = now()
        return shelf.withLock { shelf in
            shelf.dropEnded(atMost: .max, now: now)
            return shelf.count
        }
    }
}
