/// A store for the state of logins: transactions, and the marks of values that are accepted once, such as `jti`, codes and port
/// tokens. Several machines of one service share one store.
///
/// A store keeps opaque bytes under opaque keys. The values are secrets that only the service may read.
public protocol LoginStore: Sendable {
    /// Stores a value under a key for a limited time, unless the key is in the store already.
    ///
    /// - Parameters:
    ///   - value: The value, which may be empty.
    ///   - key: The key of the value.
    ///   - lifetime: The time after which the value expires, above zero.
    /// - Returns: True once the value is stored for every process that shares the store. False if the key is in the store
    ///   already; the store is then unchanged. A store never returns true for a value that it does not keep.
    /// - Throws: ``StoreError/expired`` for a lifetime of zero or less, and any other ``StoreError``.
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool
    /// Removes the value of a key and returns it. Of any number of concurrent callers, in whichever process, only one receives
    /// the value.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: The value, or nil if the key is not in the store or has expired.
    /// - Throws: Any ``StoreError``.
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]?
    /// Returns the value of a key and leaves it in the store. An implementation must not take the value and insert it again: the
    /// key would be free for a moment.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: The value, or nil if the key is not in the store or has expired.
    /// - Throws: Any ``StoreError``.
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]?
}

/// The error of a store that did not perform an operation.
@nonexhaustive public enum StoreError: Error, Equatable, Sendable {
    /// The store is not reachable, or did not respond in time. Whether an `insert` took place is not known; a `take` that took
    /// place returned its value to no caller.
    case unavailable
    /// The write took place at the store's primary server, but fewer replicas than required confirmed it in time: a failover can
    /// undo it. The value of a `take` was returned to no caller.
    case notReplicated
    /// The store has no room for one more entry, or for one of this size. Its entries remain.
    case full
    /// The store rejected the client, or the client the store: credentials, certificates or a setting of either side are wrong.
    case refused
    /// The lifetime of a value to insert was zero or negative. No value was stored.
    case expired
    /// The task was cancelled.
    case cancelled
}
