import JOSE
import JOSERelyingParty
import Synchronization

/// A counter of the operations of the stores that share it. After the operation with a given number its response is lost, or an
/// event takes place before the response is returned.
final class StoreSteps: Sendable {
    private struct State {
        var count = 0
        var target: Int?
        var event: (@Sendable () async -> Void)?
    }
    private let state = Mutex(State())

    /// Begins to count from one again.
    ///
    /// - Parameters:
    ///   - number: The number of the operation.
    ///   - event: The event after the operation; nil to lose the operation's response.
    func arm(at number: Int, _ event: (@Sendable () async -> Void)? = nil) {
        state.withLock { $0 = State(target: number, event: event) }
    }

    /// Stops counting: all further operations pass.
    func disarm() { state.withLock { $0 = State() } }

    /// Whether the operation with the number has taken place.
    var isSpent: Bool { state.withLock { $0.target == nil } }

    func step() async throws(StoreError) {
        let (isDue, event) = state.withLock { state in
            state.count += 1
            guard state.target == state.count else { return (false, (@Sendable () async -> Void)?.none) }
            state.target = nil
            return (true, state.event)
        }
        guard isDue else { return }
        guard let event else { throw .unavailable }
        await event()
    }
}

/// A store in memory that counts its operations, and whose values can be read.
final class SteppedLoginStore: LoginStore {
    let inner: MemoryLoginStore
    let steps: StoreSteps
    private let kept = Mutex<[[UInt8]]>([])
    /// All values that were ever inserted.
    var values: [[UInt8]] { kept.withLock { $0 } }

    init(_ steps: StoreSteps = StoreSteps(), clock: WallClock = .system) {
        self.steps = steps
        inner = MemoryLoginStore(clock: clock)
    }

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        kept.withLock { $0.append(value) }
        let isNew = try await inner.insert(value, for: key, lifetime: lifetime)
        try await steps.step()
        return isNew
    }

    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let value = try await inner.take(key)
        try await steps.step()
        return value
    }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let value = try await inner.value(for: key)
        try await steps.step()
        return value
    }
}

/// Accounts in memory that count their operations.
struct SteppedAccountStore: AccountStore {
    let inner = MemoryAccountStore<String>()
    let steps: StoreSteps

    func account(of reference: AccountReference) async throws(StoreError) -> String? {
        let account = try await inner.account(of: reference)
        try await steps.step()
        return account
    }

    func links(of account: String) async throws(StoreError) -> [AccountLink] { try await inner.links(of: account) }

    func accounts(ofPerson person: String) async throws(StoreError) -> [String] {
        try await inner.accounts(ofPerson: person)
    }

    func link(_ link: AccountLink, to account: String) async throws(StoreError) -> Bool {
        try await inner.link(link, to: account)
    }

    func replace(
        on account: String, by new: AccountLink, change: AccountChange
    ) async throws(StoreError) -> Bool {
        let isReplaced = try await inner.replace(on: account, by: new, change: change)
        try await steps.step()
        return isReplaced
    }
}

/// A store that is never available.
struct BrokenLoginStore: LoginStore {
    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        throw .unavailable
    }
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
}
