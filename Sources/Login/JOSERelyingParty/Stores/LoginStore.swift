/// What must be remembered between two requests, and used once: transactions of logins, and the marks of values that may not come
/// twice (`jti`, codes, port tokens). Several machines of one service need one store.
///
/// A store keeps opaque bytes under opaque keys. The values are secrets, which only the service may be able to read.
public protocol LoginStore: Sendable {
    /// Keeps the value for `lifetime` seconds; false, and nothing is changed, where the key is in the store already. Once this has
    /// returned true, the value is there for every process that shares the store.
    ///
    /// A lifetime that is zero, negative or not a number keeps nothing and throws `StoreError.expired`: a store never answers true for
    /// a value that it does not keep.
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Double) async throws(StoreError) -> Bool
    /// Removes the value of the key and returns it; nil where the key is not in the store, or has expired. Of any number of callers at
    /// the same time, in whatever process, only one gets the value.
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]?
    /// Returns the value of the key and leaves it in the store; nil where the key is not in the store, or has expired. A caller that
    /// took the value and inserted it again would leave a moment in which the key is free.
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]?
}

/// Why a store gave no answer.
@nonexhaustive public enum StoreError: Error, Equatable, Sendable {
    /// Not reachable, or not in time. Whether an `insert` took place is not known; a `take` that took place gave its value to nobody.
    case unavailable
    /// The write took place at the store's primary server, and fewer replicas than required confirmed it in time: a failover can undo it.
    /// The value of a `take` was given to nobody.
    case notReplicated
    /// No room for one more entry, or none for one so large. The entries in the store remain.
    case full
    /// The store refused the client, or the client the store: credentials, certificates, or a setting of either side is wrong.
    case refused
    /// The lifetime of a value to insert was zero, negative or not a number: nothing was kept.
    case expired
    /// The task was cancelled.
    case cancelled
}
