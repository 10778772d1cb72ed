public import JOSE

/// A store of values for a limited time, each of which one caller takes: pending logins, and records of what is accepted only
/// once, such as a `jti` or a port token.
/// All processes of a service must share one store.
///
/// Keys and values are opaque bytes to the store. The values are secret: only the service may have access to them.
public protocol LoginStore: Sendable {
    /// Stores a value under a key for a limited time, unless the store already contains the key.
    ///
    /// - Parameters:
    ///   - value: The value, which may be empty.
    ///   - key: The key of the value.
    ///   - lifetime: The time after which the value expires. It must be positive.
    /// - Returns: True if the value was stored and every process that shares the store can see it; false if the store
    ///   already contains the key, in which case nothing changes. An implementation must never return true for a value
    ///   that it did not store.
    /// - Throws: ``StoreError/expired`` for a lifetime of zero or less, and any other ``StoreError``.
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool
    /// Removes the value of a key and returns it. The operation is atomic: of all concurrent callers in all processes,
    /// only one receives the value.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: The value, or nil if the store does not contain the key or its value has expired.
    /// - Throws: Any ``StoreError``.
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]?
    /// Returns the value of a key and leaves it in the store. An implementation must not take the value and insert it
    /// again, because another caller could insert the key in between.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: The value, or nil if the store does not contain the key or its value has expired.
    /// - Throws: Any ``StoreError``.
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]?
}

/// An error of a ``LoginStore``, or of another store of a service.
@nonexhaustive public enum StoreError: CodedError, Equatable {
    /// The store could not be reached or did not respond in time. An `insert` may have taken effect or not. If a `take`
    /// took effect, its value is lost.
    case unavailable
    /// The primary server performed the write, but too few replicas confirmed it in time, so that a failover can undo
    /// it. The value of a `take` is not returned to any caller.
    case notReplicated
    /// The store has no room for another entry of this size. Existing entries are kept.
    case full
    /// The store or its client rejected the connection, because the credentials, a certificate or a setting is wrong.
    case refused
    /// The lifetime of a value to insert was zero or negative. No value was stored.
    case expired
    /// The task was cancelled.
    case cancelled
}

extension StoreError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .unavailable:
            row(
                "store_unavailable", "the store could not be reached, or did not respond in time",
                remedy: "retry later, and check the store", retryable: true)
        case .notReplicated:
            row(
                "store_not_replicated", "too few replicas confirmed the write in time",
                remedy: "check the replicas of the store")
        case .full:
            row(
                "store_full", "the store has no room for another entry",
                remedy: "retry later, or raise the limits of the store", retryable: true)
        case .refused:
            row(
                "store_connection_rejected",
                "the store rejected the connection: look at credentials, certificates and settings",
                remedy: "correct the credentials, the certificates or the settings")
        case .expired:
            row(
                "lifetime_not_positive", "the lifetime of the value is zero or negative",
                remedy: "set a lifetime of more than zero")
        case .cancelled: row("task_cancelled", "the task was cancelled", remedy: "repeat the call", retryable: true)
        }
    }
}
