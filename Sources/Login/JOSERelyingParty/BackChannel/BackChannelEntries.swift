internal import JOSE
internal import JOSESupport

/// The entries in the login store of one login that the back end began.
///
/// The login itself never changes. Its pace is replaced by the poll that has the turn, which is an entry of its own.
struct BackChannelEntries: Sendable {
    let store: any LoginStore
    private let loginKey, paceKey, turnKey, endedKey: StoreKey

    /// The time for which an expired login is kept, so that a poll reports that it has expired.
    private static let grace = Duration.seconds(300)

    init(_ handle: String, in store: any LoginStore) throws(RelyingPartyError) {
        self.store = store
        do throws(StoreError) {
            loginKey = try StoreKey(kind: "back-channel login", value: handle)
            paceKey = try StoreKey(kind: "back-channel pace", value: handle)
            turnKey = try StoreKey(kind: "back-channel turn", value: handle)
            endedKey = try StoreKey(kind: "back-channel ended", value: handle)
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

    /// Returns the hash of the session's secret of a login that has ended; nil if the login has not ended, or was not
    /// begun.
    func ended() async throws(RelyingPartyError) -> String? {
        do throws(StoreError) {
            return try await store.value(for: endedKey).map { String(decoding: $0, as: UTF8.self) }
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

    /// Begins a turn; returns nil if another poll has it.
    func beginTurn(at now: NumericDate) async throws(RelyingPartyError) -> BackChannelTurn? {
        try await BackChannelTurn.begin(turnKey, in: store, at: now)
    }

    /// Replaces the pace, unless the turn has expired: another poll may have stored a later pace.
    func replace(
        _ pace: BackChannelPace, by turn: BackChannelTurn, lifetime: Duration
    ) async throws(RelyingPartyError) {
        do throws(StoreError) {
            guard try await turn.isCurrent() else { return }
            _ = try await store.take(paceKey)
            _ = try await store.insert(pace.json, for: paceKey, lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Ends the login. Later polls of its session are `replayed`.
    ///
    /// - Throws: `replayed` if the login has ended already.
    func end(_ login: LoginTransaction, lifetime: Duration) async throws(RelyingPartyError) {
        let found: [UInt8]?
        do throws(StoreError) { found = try await store.take(loginKey) } catch { throw RelyingPartyError(error) }
        guard found != nil else { throw RelyingPartyError(.replayed, in: .tokenResponse) }
        // Without the mark, a later poll is reported as `stateMismatch`, which is no reason to fail this one.
        _ = try? await store.insert(Array(login.bindingHash.utf8), for: endedKey, lifetime: lifetime)
        _ = try? await store.take(paceKey)
    }

    /// Ends the login, unless the turn has expired.
    func end(
        _ login: LoginTransaction, by turn: BackChannelTurn, lifetime: Duration
    ) async throws(RelyingPartyError) {
        let isCurrent: Bool
        do throws(StoreError) { isCurrent = try await turn.isCurrent() } catch { throw RelyingPartyError(error) }
        if isCurrent { try await end(login, lifetime: lifetime) }
    }
}
