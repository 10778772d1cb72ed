internal import JOSESupport
internal import Synchronization

/// An account store in the memory of this process, for prototypes and tests.
public final class MemoryAccountStore<AccountID: Hashable & Sendable>: AccountStore {
    private struct State {
        var accounts: [AccountReference: AccountID] = [:]
        var links: [AccountID: [AccountLink]] = [:]
        var changes: [AccountChange] = []
    }
    private let state = Mutex(State())

    /// Creates a store without accounts.
    public init() {}

    /// All recorded changes, the oldest first.
    public var changes: [AccountChange] { state.withLock { $0.changes } }

    /// Returns the account that has a reference; nil if there is none. It never throws.
    public func account(of reference: AccountReference) async throws(StoreError) -> AccountID? {
        state.withLock { $0.accounts[reference] }
    }

    /// Returns the links of an account, in the order in which they were added. It never throws.
    public func links(of account: AccountID) async throws(StoreError) -> [AccountLink] {
        state.withLock { $0.links[account] ?? [] }
    }

    /// Returns the accounts that have a link to a person, in no particular order. It never throws.
    public func accounts(ofPerson person: String) async throws(StoreError) -> [AccountID] {
        state.withLock { state in
            state.links.filter { $0.value.contains { bytesEqual($0.person, person) } }.map(\.key)
        }
    }

    /// Adds a link to an account and returns true, or returns false if any account already has the link's reference. It
    /// never throws.
    public func link(_ link: AccountLink, to account: AccountID) async throws(StoreError) -> Bool {
        state.withLock { state in
            guard state.accounts[link.reference] == nil else { return false }
            state.accounts[link.reference] = account
            state.links[account, default: []].append(link)
            return true
        }
    }

    /// Replaces references of an account with a new one, records the change and returns true. It returns false if the
    /// account lacks one of the old references or another account has the new one. It never throws.
    public func replace(
        on account: AccountID, by new: AccountLink, change: AccountChange
    ) async throws(StoreError) -> Bool {
        state.withLock { state in
            guard !change.old.isEmpty, change.old.allSatisfy({ state.accounts[$0] == account }) else { return false }
            guard (state.accounts[new.reference] ?? account) == account else { return false }
            let gone = Set(change.old + [new.reference])
            for reference in gone { state.accounts[reference] = nil }
            state.links[account]?.removeAll { gone.contains($0.reference) }
            state.accounts[new.reference] = account
            state.links[account, default: []].append(new)
            state.changes.append(change)
            return true
        }
    }
}
