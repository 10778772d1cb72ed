import JOSERelyingParty

/// A store that is never available.
struct BrokenLoginStore: LoginStore {
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        throw .unavailable
    }
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
}
