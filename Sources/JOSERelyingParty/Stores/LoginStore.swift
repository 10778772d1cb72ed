/// What must be remembered between two requests, and used once: transactions of logins, and the marks of values that may not come
/// twice (`jti`, codes, port tokens). Several machines of one service need one store.
///
/// A store holds opaque bytes under opaque keys, and makes them no one's to read but the service's: what it holds are secrets.
public protocol LoginStore: Sendable {
    /// Keeps the value for `lifetime` seconds; false, and nothing is changed, where the key is held already. Once this has come
    /// back with true, the value is there for every process that shares the store.
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Double) async throws(StoreError) -> Bool
    /// The value, which is then gone; nil where the key is not held, or no more. Of any number of callers at the same time, in
    /// whatever process, one alone gets it.
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]?
}

/// Why a store gave no answer.
@nonexhaustive public enum StoreError: Error, Equatable, Sendable {
    /// Not reachable, or not in time. Whether an `insert` took place is not known; a `take` that took place gave its value to nobody.
    case unavailable
    /// No room for one more, or none for one so large: what is held is kept.
    case full
    /// It refused us, or we it: credentials, certificates, or a setting of either side. A person looks at those.
    case refused
    /// The task was cancelled.
    case cancelled
}
