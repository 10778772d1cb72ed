package import JOSE
internal import JOSECrypto
package import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// An operation that finds the account of a ZenKey user who changed carriers, by the port tokens (`aka`) of the
/// verified ID token, and gives the account the user's current reference.
///
/// The service uses it for users whose current reference belongs to no account yet. At most eight port tokens of an ID
/// token are read, and all of them, with the requests for the carriers' metadata and keys, may take ten seconds. An invalid port token changes no
/// account, and does not make the login fail.
public struct PortTokenMigration<Store: AccountStore>: Sendable {
    /// The largest number of port tokens that are read from one ID token. Any others are ignored.
    package static var tokenLimit: Int { 8 }
    /// The longest time for verifying all port tokens of one login, including the requests for the carriers' metadata
    /// and keys.
    package static var timeLimit: Duration { .seconds(10) }

    /// The result of a migration.
    public enum Outcome: Sendable, Equatable {
        /// The account already has the user's current reference, or a concurrent login of the same user has just added
        /// it.
        case known(Store.AccountID)
        /// The account was found by an old reference. It now has the current one, and the old one has stopped working.
        case moved(Store.AccountID)
        /// No account was found. The service creates one, or offers the user to link an account that they already have.
        case unknown
        /// The port tokens belong to several accounts. Nothing was changed, and a person must decide which account to
        /// use.
        case severalAccounts([Store.AccountID])
    }

    /// The result of a migration, and the errors of the port tokens that were rejected.
    public struct Report: Sendable {
        /// The result of the migration.
        public let outcome: Outcome
        /// The error of each port token that was read, in the order of the tokens; nil for a token that was accepted.
        public let refusals: [RelyingPartyError?]
    }

    /// A token that this user may use.
    private struct Claim {
        let token: PortToken
        let key: StoreKey
        /// The value in the store: the user, and random bytes of the login that claimed the token; nil if another login
        /// of the user claimed it.
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

    /// Creates a migration for the users of a ZenKey client.
    ///
    /// - Parameters:
    ///   - clientID: The service's `client_id`, which is the audience of port tokens.
    ///   - trust: The carriers whose port tokens are accepted.
    ///   - transport: The transport for requests for the carriers' metadata and keys.
    ///   - store: The store of the accounts.
    ///   - used: The store that records used port tokens, each for as long as the token would otherwise be accepted.
    ///   - clock: The clock by which port tokens expire.
    package init(
        clientID: String, trust: ZenKeyCarrierTrust = .carriers, transport: any HTTPTransport, store: Store,
        used: any LoginStore, clock: WallClock = .system
    ) {
        self.init(
            clientID: clientID, trust: trust, transport: transport, store: store, used: used, clock: clock,
            elapsed: SystemClock.elapsed)
    }

    /// Creates a migration that measures ``timeLimit`` by the given monotonic clock.
    package init(
        clientID: String, trust: ZenKeyCarrierTrust, transport: any HTTPTransport, store: Store, used: any LoginStore,
        clock: WallClock, elapsed: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.used = used
        verifier = PortTokenVerifier(
            clientID: clientID, trust: trust, transport: transport, keys: CarrierKeys(transport: transport),
            clock: clock, elapsed: elapsed)
    }

    /// Finds the account of a user. If a port token proves that the user had another reference at a previous carrier,
    /// the account with that reference receives the current one in its place.
    ///
    /// The call may be repeated, for example after a store did not respond: a port token remains usable for the user
    /// who presented it until their account has the current reference. Concurrent logins of one user all find the same
    /// account.
    ///
    /// - Parameters:
    ///   - current: The issuer and the subject of the ID token that contained the port tokens.
    ///   - tokens: The port tokens (`aka`) of that ID token.
    /// - Returns: The result with the account, and the error of each port token. A token that could not be verified
    ///   within ``timeLimit`` has the error `unreachable`.
    /// - Throws: `storeUnavailable`, `storeFull` or `interrupted` if the account could not be determined; the call may
    ///   be repeated.
    package func resolve(
        _ current: AccountReference, portTokens tokens: [String]
    ) async throws(RelyingPartyError) -> Report {
        if let account = try await account(of: current) { return Report(outcome: .known(account), refusals: []) }
        let deadline = CallDeadline(Self.timeLimit, elapsed: verifier.elapsed)
        var claims: [Claim] = []
        var found: [Found] = []
        var refusals: [RelyingPartyError?] = []
        for token in tokens.prefix(Self.tokenLimit) {
            do throws(RelyingPartyError) {
                let token = try await verifier.verify(token, current: current, until: deadline)
                // The token is claimed before the account is read, so that of two users with one token only one
                // continues.
                guard let claim = try await claim(token, for: current) else {
                    throw RelyingPartyError(.replayed, in: .portToken)
                }
                claims.append(claim)
                if let account = try await account(of: token.old) {
                    found.append(Found(account: account, token: token))
                }
                refusals.append(nil)
            } catch {
                // If a store fails, the claims remain: they are this user's, who may try again.
                if error.step == .store || error.reason == .interrupted { throw error }
                refusals.append(error)
            }
        }
        // The accounts, in the order of the tokens.
        var accounts: [Store.AccountID] = []
        for one in found where !accounts.contains(one.account) { accounts.append(one.account) }
        if accounts.count == 1, let first = found.first, try await move(first, all: found, to: current) {
            let moved = found.map(\.token.hash)
            for claim in claims where !moved.contains(claim.token.hash) { try? await release(claim) }
            return Report(outcome: .moved(first.account), refusals: refusals)
        }
        // A concurrent login of this user may have moved the account meanwhile. Its claims must then not be released.
        if !refusals.isEmpty, let account = try await account(of: current) {
            return Report(outcome: .known(account), refusals: refusals)
        }
        for claim in claims { try await release(claim) }
        return Report(outcome: accounts.count > 1 ? .severalAccounts(accounts) : .unknown, refusals: refusals)
    }

    /// Replaces the references of the tokens by the current one, and returns false if another caller has changed the
    /// account meanwhile.
    ///
    /// If the store does not respond, it is not known whether the references were replaced. If they were, the next
    /// login finds the account by its new reference; if not, it finds the tokens claimed by the same user.
    private func move(
        _ first: Found, all found: [Found], to current: AccountReference
    ) async throws(RelyingPartyError) -> Bool {
        var old: [AccountReference] = []
        for one in found where !old.contains(one.token.old) { old.append(one.token.old) }
        let change = AccountChange(
            old: old, new: current, reason: .portToken(hash: first.token.hash), time: verifier.clock.now)
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

    /// Marks a token as claimed by this user, and returns nil if another user has claimed it. An earlier claim of this
    /// user is as good as a new one: it comes from a concurrent login, or from one that ended when a response of the
    /// store was lost.
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
                // The claim was released between the two calls.
            }
            throw .unavailable
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Removes the claim that this login made, so that other users can use the token. No other login removes it, so
    /// that no other claim can replace it between the two calls; a claim of another login of this user is removed by
    /// that login.
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
    /// Creates a migration for the users of a ZenKey relying party. It uses the client ID, the trusted carriers, the
    /// transport, the login store and the clock of the relying party.
    ///
    /// - Parameters:
    ///   - party: The relying party.
    ///   - store: The store of the accounts.
    /// - Throws: `configurationError` for a relying party of another provider.
    public init(_ party: RelyingParty, store: Store) throws(RelyingPartyError) {
        guard let carriers = party.directory as? CarrierDirectory else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        self.init(
            clientID: party.client.id, trust: carriers.discovery.environment.trust, transport: party.transport,
            store: store, used: party.store, clock: party.clock)
    }

    /// Finds the account of a user who has logged in. If a port token of the login proves that the user had another
    /// reference at a previous carrier, the account with that reference receives the current one in its place.
    ///
    /// - Parameter user: The user who has logged in.
    /// - Returns: The result with the account, and the error of each port token.
    /// - Throws: `storeUnavailable`, `storeFull` or `interrupted` if the account could not be determined; the call may
    ///   be repeated.
    public func resolve(_ user: LoggedInUser) async throws(RelyingPartyError) -> Report {
        try await resolve(
            AccountReference(issuer: user.issuer, subject: user.subject), portTokens: user.zenKey?.portTokens ?? [])
    }
}
