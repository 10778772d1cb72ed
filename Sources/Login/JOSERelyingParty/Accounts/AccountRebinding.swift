public import JOSE
internal import JOSESupport
internal import JOSETokens

/// An operation that gives an account a new reference to its user, for example because the provider changed the user's
/// `sub`. The old references stop working in the same transaction.
public struct AccountRebinding<Store: AccountStore>: Sendable {
    /// The longest time since the user's authentication for which ``rebindPerson(_:authenticatedAt:)`` accepts the
    /// login: five minutes.
    package static var freshness: Duration { .seconds(300) }

    private let store: Store
    private let clock: WallClock

    /// Creates a value that rebinds the accounts of a store.
    ///
    /// - Parameters:
    ///   - store: The store of the accounts.
    ///   - clock: The clock for the age of authentications and for the times of changes.
    public init(store: Store, clock: WallClock = .system) {
        self.store = store
        self.clock = clock
    }

    /// Replaces an account's references of certain issuers with a new reference, after the user logged in with a new
    /// `sub` and proved by other means that the account is theirs.
    ///
    /// For example, a provider issues a new `sub` to a user who deletes their account there and creates another, and a
    /// newer version of the provider has another issuer: name both issuers. If the account has no reference to replace, the new one is
    /// added.
    ///
    /// - Parameters:
    ///   - account: The account that the user proved to be theirs.
    ///   - new: The link with the new reference.
    ///   - issuers: The issuers whose references are replaced.
    /// - Throws: `subjectMismatch` if the new reference belongs to another account or the account has changed
    ///   meanwhile, and `storeUnavailable` if the store does not respond.
    public func rebind(
        _ account: Store.AccountID, to new: AccountLink, replacing issuers: [String]
    ) async throws(RelyingPartyError) {
        let links = try await asked { store throws(StoreError) in try await store.links(of: account) }
        let old = links.map(\.reference).filter { reference in
            reference != new.reference && issuers.contains { bytesEqual($0, reference.issuer) }
        }
        guard !old.isEmpty else {
            let isLinked = try await asked { store throws(StoreError) in
                if try await store.link(new, to: account) { return true }
                return try await store.account(of: new.reference) == account
            }
            guard isLinked else { throw RelyingPartyError(.subjectMismatch, in: .store) }
            return
        }
        try await replace(old, on: account, by: new, .proven)
    }

    /// Replaces the references of a person's account with a new reference, after the person logged in with a new `sub`.
    /// A broker may issue a new `sub` to all users of a service, for example, when the service's client moves to another
    /// organization. The login must be recent, and its level of assurance no lower than that of the links
    /// that are replaced.
    ///
    /// - Parameters:
    ///   - new: The link with the new reference and the person.
    ///   - time: The time at which the user authenticated in this login (`auth_time`).
    /// - Returns: The account, or nil if no account has a link to the person.
    /// - Throws: `invalidParameter` if the link names no person, `authenticationTooOld` if the authentication is older
    ///   than five minutes, `acrTooLow` if its level is too low, `subjectMismatch` if several accounts have links to
    ///   the person or another account has the new reference, and `storeUnavailable` if the store does not respond.
    public func rebindPerson(
        _ new: AccountLink, authenticatedAt time: NumericDate
    ) async throws(RelyingPartyError) -> Store.AccountID? {
        guard let person = new.person, !person.isEmpty else {
            throw RelyingPartyError(.invalidParameter("person"), in: .idToken)
        }
        let accounts = try await asked { store throws(StoreError) in try await store.accounts(ofPerson: person) }
        guard let account = accounts.first else { return nil }
        guard accounts.count == 1 else { throw RelyingPartyError(.subjectMismatch, in: .store) }
        let links = try await asked { store throws(StoreError) in try await store.links(of: account) }
            .filter { bytesEqual($0.person, person) }
        if links.contains(where: { $0.reference == new.reference }) { return account }
        // In seconds, not as a `Duration`, so that a time that is not a number is rejected.
        let age = clock.now.secondsSince1970 - time.secondsSince1970
        guard (-60...Self.freshness.inSeconds).contains(age) else {
            throw RelyingPartyError(.authenticationTooOld, in: .idToken)
        }
        // A link without a level is taken for one of the highest level.
        guard links.allSatisfy({ new.level ?? .min >= $0.level ?? .max }) else {
            throw RelyingPartyError(.acrTooLow, in: .idToken)
        }
        try await replace(links.map(\.reference), on: account, by: new, .samePerson)
        return account
    }

    private func replace(
        _ old: [AccountReference], on account: Store.AccountID, by new: AccountLink, _ reason: AccountChange.Reason
    ) async throws(RelyingPartyError) {
        let change = AccountChange(old: old, new: new.reference, reason: reason, time: clock.now)
        let isReplaced = try await asked { store throws(StoreError) in
            try await store.replace(on: account, by: new, change: change)
        }
        guard isReplaced else { throw RelyingPartyError(.subjectMismatch, in: .store) }
    }

    private func asked<Answer: Sendable>(
        _ question: (Store) async throws(StoreError) -> Answer
    ) async throws(RelyingPartyError) -> Answer {
        do throws(StoreError) { return try await question(store) } catch {
            throw RelyingPartyError(error)
        }
    }
}
