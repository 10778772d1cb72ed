internal import JOSE
internal import JOSEBytes

/// The entries in the login store of one login that the back end began.
///
/// The login itself never changes. Its pace is replaced by the poll that has the turn, which is an entry of its own: whoever
/// inserts it has the turn, and it expires in case a process stops during its poll.
struct BackChannelEntries: Sendable {
    let store: any LoginStore
    private let loginKey, paceKey, turnKey, overKey: StoreKey

    /// The time after which another poll may begin although the last one did not end.
    private static let turnLifetime = Duration.seconds(120)
    /// The time for which an expired login is kept, so that a poll reports that it has expired.
    private static let grace = Duration.seconds(300)

    init(_ handle: String, in store: any LoginStore) throws(RelyingPartyError) {
        self.store = store
        do throws(StoreError) {
            loginKey = try StoreKey(kind: "back-channel login", value: handle)
            paceKey = try StoreKey(kind: "back-channel pace", value: handle)
            turnKey = try StoreKey(kind: "back-channel turn", value: handle)
            overKey = try StoreKey(kind: "back-channel over", value: handle)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Returns the time for which entries of a login are stored.
    static func lifetime(until expires: NumericDate, now: NumericDate) -> Duration { max(.zero, expires - now) + grace }

    func insert(
        _ login: LoginTransaction, _ pace: BackChannelPace, lifetime: Duration
    ) async throws(RelyingPartyError) {
        let isNew: Bool
        do throws(StoreError) {
            // Nobody finds the pace before the login is stored.
            _ = try await store.insert(pace.json, for: paceKey, lifetime: lifetime)
            isNew = try await store.insert(login.json, for: loginKey, lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
        // Two random handles of 256 bits are never equal.
        guard isNew else { throw RelyingPartyError(.internalFault, in: .store) }
    }

    func login() async throws(RelyingPartyError) -> LoginTransaction? {
        do throws(StoreError) {
            return try await store.value(for: loginKey).flatMap { LoginTransaction(json: $0) }
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Returns the hash of the session's secret of a login that is over; nil if the login is not over, or was not begun.
    func over() async throws(RelyingPartyError) -> String? {
        do throws(StoreError) {
            return try await store.value(for: overKey).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw RelyingPartyError(error)
        }
    }

    func pace() async throws(RelyingPartyError) -> BackChannelPace? {
        do throws(StoreError) {
            return try await store.value(for: paceKey).flatMap { BackChannelPace(json: $0) }
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Replaces the pace. Only the poll that has the turn may do so.
    func replace(_ pace: BackChannelPace, lifetime: Duration) async throws(RelyingPartyError) {
        do throws(StoreError) {
            _ = try await store.take(paceKey)
            _ = try await store.insert(pace.json, for: paceKey, lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Returns whether the caller has the turn. Of all concurrent callers in all processes, one has it.
    func beginTurn() async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await store.insert([], for: turnKey, lifetime: Self.turnLifetime)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Ends the turn. If the store does not respond, the turn ends by its lifetime.
    func endTurn() async { _ = try? await store.take(turnKey) }

    /// Ends the login. Later polls of its session are `replayed`.
    ///
    /// - Throws: `replayed` if the login is over already.
    func end(_ login: LoginTransaction, lifetime: Duration) async throws(RelyingPartyError) {
        let found: [UInt8]?
        do throws(StoreError) { found = try await store.take(loginKey) } catch { throw RelyingPartyError(error) }
        guard found != nil else { throw RelyingPartyError(.replayed, in: .tokenResponse) }
        // Without the mark, a later poll is reported as `stateMismatch`, which is no reason to fail this one.
        _ = try? await store.insert(Array(login.bindingHash.utf8), for: overKey, lifetime: lifetime)
        _ = try? await store.take(paceKey)
    }
}
