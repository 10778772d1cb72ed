public import JOSEKeySets
internal import JOSETokens

/// Finds the account of a user who has come from another carrier, by the port tokens (`aka`) of a fully valid ID token, and gives it the
/// reference that the user has now.
///
/// It is asked for users whose own reference is unknown. A token that does not hold never stands in a login's way: it moves nothing.
public struct PortTokenMigration<Store: AccountStore>: Sendable {
    /// Of one ID token; those behind them are not looked at.
    public static var tokenLimit: Int { 8 }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// The user is known as they are; no token was looked at.
        case known(Store.AccountID)
        /// The account was found by an old reference, which has stopped working, and has the new one.
        case moved(Store.AccountID)
        /// No account: one is made, and the user is offered to link another that is theirs.
        case unknown
        /// The tokens point at several accounts: nothing was changed, and a person decides.
        case severalAccounts([Store.AccountID])
    }

    /// What came of it, and of each token that moved nothing.
    public struct Report: Sendable {
        /// Whose login it is.
        public let outcome: Outcome
        /// In the order of the tokens that were looked at; nil for one that held.
        public let refusals: [RelyingPartyError?]
    }

    private struct Found {
        let account: Store.AccountID
        let token: PortToken
    }
    private let store: Store
    private let used: any LoginStore
    private let verifier: PortTokenVerifier

    /// `used` keeps what was used once, for as long as a token could come again; `requiresType` is for carriers of the later guide,
    /// whose port tokens name their type. `now` tells seconds since 1970.
    public init(
        clientID: String, trust: CarrierTrust = .carriers, requiresType: Bool, transport: any Transport, store: Store,
        used: any LoginStore, now: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.used = used
        verifier = PortTokenVerifier(
            clientID: clientID, trust: trust, type: requiresType ? .late : .seed, transport: transport,
            keys: CarrierKeys(transport: transport), now: now)
    }

    /// `current`: out of the ID token that brought `tokens`. Throws where a store gives no answer: then nobody knows whose login this is.
    public func resolve(
        _ current: AccountReference, portTokens tokens: [String]
    ) async throws(RelyingPartyError) -> Report {
        if let account = try await account(of: current) { return Report(outcome: .known(account), refusals: []) }
        var found: [Found] = []
        var refusals: [RelyingPartyError?] = []
        var fault: RelyingPartyError?
        for token in tokens.prefix(Self.tokenLimit) {
            do throws(RelyingPartyError) {
                if let one = try await find(token, current) { found.append(one) }
                refusals.append(nil)
            } catch {
                if error.step == .store || error.failure == .interrupted {
                    fault = error
                    break
                }
                refusals.append(error)
            }
        }
        let accounts = Set(found.map(\.account))
        guard fault == nil, accounts.count <= 1, let first = found.first else {
            try await release(found)
            if let fault { throw fault }
            let isUnknown = accounts.isEmpty
            // In the order of the tokens.
            var listed: [Store.AccountID] = []
            for one in found where !listed.contains(one.account) { listed.append(one.account) }
            return Report(outcome: isUnknown ? .unknown : .severalAccounts(listed), refusals: refusals)
        }
        let isMoved = try await move(first, all: found, to: current)
        return Report(outcome: isMoved ? .moved(first.account) : .unknown, refusals: refusals)
    }

    /// The account that the token points at, with the token marked as used; nil, and no mark, where there is none.
    private func find(_ token: String, _ current: AccountReference) async throws(RelyingPartyError) -> Found? {
        let token = try await verifier.verify(token, current: current)
        // First the mark, and then the account: of two that bring one token, one alone goes on.
        guard try await mark(token) else { throw RelyingPartyError(.replayed, in: .portToken) }
        do throws(RelyingPartyError) {
            if let account = try await account(of: token.old) { return Found(account: account, token: token) }
        } catch {
            try? await unmark(token)
            throw error
        }
        try await unmark(token)
        return nil
    }

    private func move(
        _ first: Found, all found: [Found], to current: AccountReference
    ) async throws(RelyingPartyError) -> Bool {
        var old: [AccountReference] = []
        for one in found where !old.contains(one.token.old) { old.append(one.token.old) }
        let change = AccountChange(
            old: old, new: current, reason: .portToken(hash: first.token.hash), time: verifier.now())
        do throws(StoreError) {
            if try await store.replace(on: first.account, by: AccountLink(current), change: change) { return true }
        } catch {
            // Whether it took place is not known. If it did, the next login finds the account by its new reference; if not,
            // it must find these tokens unused.
            try? await release(found)
            throw RelyingPartyError(error)
        }
        // Somebody else changed the account meanwhile.
        try await release(found)
        return false
    }

    private func account(of reference: AccountReference) async throws(RelyingPartyError) -> Store.AccountID? {
        do throws(StoreError) { return try await store.account(of: reference) } catch {
            throw RelyingPartyError(error)
        }
    }

    private func mark(_ token: PortToken) async throws(RelyingPartyError) -> Bool {
        do throws(StoreError) {
            return try await used.insert([1], for: try key(token), lifetime: token.remaining)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    private func unmark(_ token: PortToken) async throws(RelyingPartyError) {
        do throws(StoreError) { _ = try await used.take(try key(token)) } catch { throw RelyingPartyError(error) }
    }

    private func release(_ found: [Found]) async throws(RelyingPartyError) {
        for one in found { try await unmark(one.token) }
    }

    private func key(_ token: PortToken) throws(StoreError) -> StoreKey {
        try StoreKey(kind: "zenkey-port-token", value: token.hash)
    }
}

extension PortTokenMigration {
    /// Of the users of a ZenKey relying party: its client, carriers, transport, store and clock. Throws `configurationError` for
    /// another provider's.
    public init(_ party: RelyingParty, store: Store) throws(RelyingPartyError) {
        guard let carriers = party.directory as? CarrierDirectory else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        let clock = party.clock
        self.init(
            clientID: party.client.id, trust: carriers.discovery.environment.trust,
            requiresType: party.profile.name == "zenkey.late", transport: party.transport, store: store,
            used: party.store, now: { clock.seconds })
    }

    /// Whose account it is that a user has logged in to.
    public func resolve(_ user: LoggedInUser) async throws(RelyingPartyError) -> Report {
        try await resolve(
            AccountReference(issuer: user.issuer, subject: user.subject), portTokens: user.zenKey?.portTokens ?? [])
    }
}
