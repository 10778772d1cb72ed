import JOSERelyingParty
import Synchronization

/// A store in memory that performs no operation of a cancelled task, as a store over a network does, and that fails where a test
/// says so.
final class FaultyLoginStore: LoginStore {
    enum Operation: Sendable { case insert, take, value }
    private struct Fault: Sendable {
        let operation: Operation
        let key: StoreKey
        let error: StoreError
        let hasEffect: Bool
    }
    private let inner = MemoryLoginStore()
    private let fault = Mutex<Fault?>(nil)
    private let intruder = Mutex<(key: StoreKey, value: [UInt8]?)?>(nil)

    /// Lets the next operation of this kind with an entry of a login fail, once.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - kind: The kind of the entry.
    ///   - login: The login.
    ///   - error: The error.
    ///   - hasEffect: Whether the operation takes effect, so that only its response is lost.
    func fail(
        _ operation: Operation, _ kind: String, of login: BackChannelLogin, with error: StoreError,
        hasEffect: Bool = false
    ) throws {
        let key = try StoreKey(kind: kind, value: login.handle)
        fault.withLock { $0 = Fault(operation: operation, key: key, error: error, hasEffect: hasEffect) }
    }

    /// Removes an entry right before it is taken, once, as another process would, and puts another in its place if `value` is not nil.
    func replace(_ kind: String, of login: BackChannelLogin, by value: [UInt8]?) throws {
        let key = try StoreKey(kind: kind, value: login.handle)
        intruder.withLock { $0 = (key, value) }
    }

    /// Returns the entry of a login.
    func entry(_ kind: String, of login: BackChannelLogin) async throws -> [UInt8]? {
        try await inner.value(for: StoreKey(kind: kind, value: login.handle))
    }

    /// Whether the operation that a test named has failed.
    var hasFailed: Bool { fault.withLock { $0 == nil } }

    private func perform<Value>(
        _ operation: Operation, _ key: StoreKey, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard !Task.isCancelled else { throw .cancelled }
        let due = fault.withLock { fault -> Fault? in
            guard let found = fault, found.operation == operation, found.key == key else { return nil }
            fault = nil
            return found
        }
        guard let due else { return try await body() }
        if due.hasEffect { _ = try await body() }
        throw due.error
    }

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        try await perform(.insert, key) { () async throws(StoreError) in
            try await inner.insert(value, for: key, lifetime: lifetime)
        }
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let due = intruder.withLock { intruder in
            guard let found = intruder, found.key == key else { return nil as (key: StoreKey, value: [UInt8]?)? }
            intruder = nil
            return found
        }
        if let due {
            _ = try await inner.take(key)
            if let value = due.value { _ = try await inner.insert(value, for: key, lifetime: .seconds(60)) }
        }
        return try await perform(.take, key) { () async throws(StoreError) in try await inner.take(key) }
    }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        try await perform(.value, key) { () async throws(StoreError) in try await inner.value(for: key) }
    }
}
