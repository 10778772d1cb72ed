package import JOSE
internal import Synchronization

/// A key source whose keys a test changes, and that records the reports it gets.
package final class ChangingKeys: KeySource {
    private struct State {
        var keys: Result<KeySet, JOSEError>
        var missing: [[UInt8]?] = []
        var failed: [[UInt8]?] = []
        var used: [String?] = []
        var asked = 0
        var outage: KeysUnavailableReason?
        var refresh: (@Sendable () async throws -> Bool)?
    }
    private let state: Mutex<State>

    package init(_ keys: Result<KeySet, JOSEError>) { state = Mutex(State(keys: keys)) }
    package convenience init(_ keys: KeySet) { self.init(.success(keys)) }

    package func set(_ keys: Result<KeySet, JOSEError>) { state.withLock { $0.keys = keys } }
    package func set(_ keys: KeySet) { set(.success(keys)) }
    /// Sets the function that `awaitRefresh` calls from now on; nil stands for no refresh under way.
    package func onRefresh(_ refresh: (@Sendable () async throws -> Bool)?) { state.withLock { $0.refresh = refresh } }

    /// Sets the value that `outage(ofMissing:)` returns from now on.
    package func onMissing(_ outage: KeysUnavailableReason?) { state.withLock { $0.outage = outage } }

    /// The names that were reported missing.
    package var missing: [[UInt8]?] { state.withLock { $0.missing } }
    /// The names of tokens whose signature failed under a key of the set.
    package var failed: [[UInt8]?] { state.withLock { $0.failed } }
    /// The names of the keys that were used.
    package var used: [String?] { state.withLock { $0.used } }
    /// The number of calls of `current()`.
    package var asked: Int { state.withLock { $0.asked } }

    package func current() throws(JOSEError) -> KeySet {
        let keys = state.withLock { state in
            state.asked += 1
            return state.keys
        }
        return try keys.get()
    }
    package func reportMissing(keyID: [UInt8]?) { state.withLock { $0.missing.append(keyID) } }
    package func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { state.withLock { $0.outage } }
    package func reportFailedSignature(keyID: [UInt8]?) { state.withLock { $0.failed.append(keyID) } }
    package func reportUse(of key: JWK) { state.withLock { $0.used.append(key.keyID) } }
    package func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        try await state.withLock { $0.refresh }?() ?? false
    }
}
