import JOSERelyingParty
import Synchronization

/// A store for tests, in which values remain until they are taken.
final class ListStore: LoginStore {
    private let values: Mutex<[StoreKey: [UInt8]]> = Mutex([:])

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        values.withLock { values in
            guard values[key] == nil else { return false }
            values[key] = value
            return true
        }
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { values.withLock { $0.removeValue(forKey: key) } }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { values.withLock { $0[key] } }
}
