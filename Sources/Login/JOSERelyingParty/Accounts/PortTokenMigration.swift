internal import JOSEBytes
internal import JOSECrypto
public import JOSEKeySets
internal import JOSETokens

/// Finds the account of a user who has come from another carrier, by the port tokens (`aka`) of a fully valid ID token, and gives it the
/// reference that the user has now.
///
/// It is asked for users whose own reference is unknown. A token that is not valid never fails a login: it moves nothing.
public struct PortTokenMigration<Store: AccountStore>: Sendable {
    /// Of one ID token; those behind them are not looked at.
    public static var tokenLimit: Int { 8 }
    /// The seconds that the port tokens of one login may take together, for the carriers' metadata and keys.
    public static var timeLimit: Double { 10 }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// The account has the user's current reference already, or another login of the same user has moved it meanwhile.
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
        /// The error of each token that was evaluated, in the order of the tokens; nil for a token that is valid.
        public let refusals: [RelyingPartyError?]
    }

    /// A token that this user may use.
    private struct Claim {
        let token: PortToken
        let key: StoreKey
        /// What the store has for the token: the user, and random bytes of the login that claimed it. Nil for the claim of another login.
        let value: [UInt8]?
    }

    private static var loginBytes: Int { 16 }

    private struct Found {
        let account: Store.AccountID
        let token: PortToken
    }
    private let store: Store
    private let used: any LoginStore
    private let verifier: PortTokenVerifier

    /// `used` keeps what was used once, for as long as a token could come again. `now` tells seconds since 1970.
    public init(
        clientID: String, trust: ZenKeyCarrierTrust = .carriers, transport: any HTTPTransport, store: Store,
        used: any LoginStore, now: @escaping @Sendable () -> Double
    ) {
        self.init(
            clientID: clientID, trust: trust, transport: transport, store: store, used: used, now: now,
            elapsed: SystemClock.elapsed)
    }

    /// Creates a migration whose time limit is measured by another clock than the machine's.
    package init(
        clientID: String, trust: ZenKeyCarrierTrust, transport: any HTTPTransport, store: Store, used: any LoginStore,
        now: @escaping @Sendable () -> Double, elapsed: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.used = used
        verifier = PortTokenVerifier(
            clientID: clientID, trust: trust, transport: transport, keys: CarrierKeys(transport: transport), now: now,
            elapsed: elapsed)
    }

    /// Finds whose account it is, and moves the account where a port token proves that it is this user's.
    ///
    /// The call is safe to repeat: a token remains usable by the user who brought it until their account has the new reference, whatever
    /// answer of a store was lost meanwhile, and logins of one user at the same time all end in the account.
    ///
    /// - Parameters:
    ///   - current: The issuer and subject of the ID token that brought the port tokens.
    ///   - tokens: The port tokens (`aka`) of that ID token.
    /// - Returns: The account, and the error of each token that is not valid. A token that could not be checked within
    ///   ``timeLimit`` is `unreachable`.
    /// - Throws: `storeUnavailable`, `storeFull` or `interrupted` where nobody knows whose login this is; the call may be repeated.
    public func resolve(
        _ current: AccountReference, portTokens tokens: [String]
    ) async throws(RelyingPartyError) -> Report {
        if let account = try await account(of: current) { return Report(outcome: .known(account), refusals: []) }
        let deadline = verifier.elapsed() + Self.timeLimit
        var claims: [Claim] = []
        var found: [Found] = []
        var refusals: [RelyingPartyError?] = []
        for token in tokens.prefix(Self.tokenLimit) {
            do throws(RelyingPartyError) {
                let token = try await verifier.verify(token, current: current, until: deadline)
                // The claim comes before the look at the account: of two users with one token, one alone goes on.
                guard let claim = try await claim(token, for: current) else {
                    throw RelyingPartyError(.replayed, in: .portToken)
                }
                claims.append(claim)
                if let account = try await account(of: token.old) {
                    found.append(Found(account: account, token: token))
                }
                refusals.append(nil)
            } catch {
                // Claims remain where a store fails: they are this user's own, who may try again.
                if error.step == .store || error.reason == .interrupted { throw error }
                refusals.append(error)
            }
        }
        // In the order of the tokens.
        var accounts: [Store.AccountID] = []
        for one in found where !accounts.contains(one.account) { accounts.append(one.account) }
        if accounts.count == 1, let first = found.first, try await move(first, all: found, to: current) {
            let moved = found.map(\.token.hash)
            for claim in claims where !moved.contains(claim.token.hash) { try? await release(claim) }
            return Report(outcome: .moved(first.account), refusals: refusals)
        }
        // Another login of this user may have moved the account since the first look. Its claims are then not to be released.
        if !refusals.isEmpty, let account = try await account(of: current) {
            return Report(outcome: .known(account), refusals: refusals)
        }
        for claim in claims { try await release(claim) }
        return Report(outcome: accounts.count > 1 ? .severalAccounts(accounts) : .unknown, refusals: refusals)
    }

    /// Replaces the references of the tokens by the current one; false where somebody else has changed the account meanwhile. Where the
    /// store gives no answer, whether it took place is not known: if it did, the next login finds the account by its new reference; if
    /// not, it finds these tokens claimed by the same user.
    private func move(
        _ first: Found, all found: [Found], to current: AccountReference
    ) async throws(RelyingPartyError) -> Bool {
        var old: [AccountReference] = []
        for one in found where !old.contains(one.token.old) { old.append(one.token.old) }
        let change = AccountChange(
            old: old, new: current, reason: .portToken(hash: first.token.hash), time: verifier.now())
        do throws(StoreError) {
            return try await store.replace(on: first.account, by: AccountLink(current), change: change)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    private func account(of reference: AccountReference) async throws(RelyingPartyError) -> Store.AccountID? {
        do throws(StoreError) { return try await store.account(of: reference) } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Marks the token as claimed by this user; nil where another user has claimed it. An earlier claim of this user is as good as a new
    /// one: it comes from another login at the same time, or from one that a lost answer of a store has cut short.
    private func claim(_ token: PortToken, for current: AccountReference) async throws(RelyingPartyError) -> Claim? {
        do throws(StoreError) {
            let key = try StoreKey(kind: "zenkey-port-token", value: token.hash)
            let user = try StoreKey(
                kind: "zenkey-port-token-user", issuer: current.issuer, value: current.subject
            ).bytes
            let login: [UInt8]
            do throws(CryptoError) { login = try Random.bytes(Self.loginBytes) } catch { throw .unavailable }
            for _ in 0..<2 {
                if try await used.insert(user + login, for: key, lifetime: token.remaining) {
                    return Claim(token: token, key: key, value: user + login)
                }
                if let owner = try await used.value(for: key) {
                    return owner.dropLast(Self.loginBytes) == user[...]
                        ? Claim(token: token, key: key, value: nil) : nil
                }
                // Released between the two calls.
            }
            throw .unavailable
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Removes the claim that this login made, so that other users can use the token. No other login removes it, so that between the two
    /// calls none can take its place; a claim that another login of this user made is that login's to remove.
    private func release(_ claim: Claim) async throws(RelyingPartyError) {
        guard let value = claim.value else { return }
        do throws(StoreError) {
            guard try await used.value(for: claim.key) == value else { return }
            _ = try await used.take(claim.key)
        } catch {
            throw RelyingPartyError(error)
        }
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
            clientID: party.client.id, trust: carriers.discovery.environment.trust, transport: party.transport,
            store: store, used: party.store, now: { clock.seconds })
    }

    /// Whose account it is that a user has logged in to.
    public func resolve(_ user: LoggedInUser) async throws(RelyingPartyError) -> Report {
        try await resolve(
            AccountReference(issuer: user.issuer, subject: user.subject), portTokens: user.zenKey?.portTokens ?? [])
    }
}
