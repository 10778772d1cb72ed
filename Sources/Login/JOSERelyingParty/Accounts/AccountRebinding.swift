internal import JOSETokens

/// Gives an account a new reference in the place of one that has died. What it replaces stops working in the same transaction.
public struct AccountRebinding<Store: AccountStore>: Sendable {
    /// How long ago the user may have proved who they are, in seconds, where a login itself is the proof.
    public static var freshness: Double { 300 }

    private let store: Store
    private let now: @Sendable () -> Double

    /// `now` tells seconds since 1970.
    public init(store: Store, now: @escaping @Sendable () -> Double) {
        self.store = store
        self.now = now
    }

    /// The user has come with a new `sub` and has proved by other means whose account it is: all references of `issuers` that the
    /// account has are overwritten by the new one. itsme gives a new `sub` after the user deleted an itsme account, and its newer
    /// version has another issuer: then both are named here. Where there is nothing to overwrite the account is linked.
    ///
    /// Throws `subjectMismatch` where the new reference is another account's, and `storeUnavailable`.
    public func rebind(
        _ account: Store.AccountID, to new: AccountLink, replacing issuers: [String]
    ) async throws(RelyingPartyError) {
        let links = try await asked { store throws(StoreError) in try await store.links(of: account) }
        let old = links.map(\.reference).filter { reference in
            reference != new.reference && issuers.contains { $0.utf8.elementsEqual(reference.issuer.utf8) }
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

    /// The user has come with a new `sub` and the same person behind it, such as a service of MitID whose client has moved to another
    /// organisation or broker. The account of that person gets the new reference, where this login is fresh and no less sure
    /// than the one that made the link; nil where no account has the person.
    ///
    /// Throws `claimMissing` where the link names no person, `authenticationTooOld`, `acrTooLow`, `subjectMismatch` where
    /// several accounts have the person or the new reference is another account's, and `storeUnavailable`.
    public func rebindPerson(
        _ new: AccountLink, authenticatedAt time: Double
    ) async throws(RelyingPartyError) -> Store.AccountID? {
        guard let person = new.person, !person.isEmpty else {
            throw RelyingPartyError(.claimMissing("mitid.uuid"), in: .idToken)
        }
        let accounts = try await asked { store throws(StoreError) in try await store.accounts(ofPerson: person) }
        guard let account = accounts.first else { return nil }
        guard accounts.count == 1 else { throw RelyingPartyError(.subjectMismatch, in: .store) }
        let links = try await asked { store throws(StoreError) in try await store.links(of: account) }
            .filter { $0.person?.utf8.elementsEqual(person.utf8) == true }
        if links.contains(where: { $0.reference == new.reference }) { return account }
        guard (-60...Self.freshness).contains(now() - time) else {
            throw RelyingPartyError(.authenticationTooOld, in: .idToken)
        }
        // A link of which no level is known was of the highest.
        guard links.allSatisfy({ new.level ?? .min >= $0.level ?? .max }) else {
            throw RelyingPartyError(.acrTooLow, in: .idToken)
        }
        try await replace(links.map(\.reference), on: account, by: new, .samePerson)
        return account
    }

    private func replace(
        _ old: [AccountReference], on account: Store.AccountID, by new: AccountLink, _ reason: AccountChange.Reason
    ) async throws(RelyingPartyError) {
        let change = AccountChange(old: old, new: new.reference, reason: reason, time: now())
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
