internal import Synchronization

/// Accounts in this process's own memory: for trying things out, and for tests of a service.
public final class MemoryAccountStore<AccountID: Hashable & Sendable>: AccountStore {
    private struct State {
        var accounts: [AccountReference: AccountID] = [:]
        var links: [AccountID: [AccountLink]] = [:]
        var changes: [AccountChange] = []
    }
    private let state = Mutex(State())

    /// Empty.
    public init() {}

    /// All that were made, in their order.
    public var changes: [AccountChange] { state.withLock { $0.changes } }

    /// Throws nothing; neither do the others.
    public func account(of reference: AccountReference) async throws(StoreError) -> AccountID? {
        state.withLock { $0.accounts[reference] }
    }

    /// In the order in which they were given.
    public func links(of account: AccountID) async throws(StoreError) -> [AccountLink] {
        state.withLock { $0.links[account] ?? [] }
    }

    /// In no order.
    public func accounts(ofPerson person: String) async throws(StoreError) -> [AccountID] {
        state.withLock { state in
            state.links.filter { $0.value.contains { $0.person?.utf8.elementsEqual(person.utf8) == true } }.map(\.key)
        }
    }

    /// See `AccountStore.link(_:to:)`.
    public func link(_ link: AccountLink, to account: AccountID) async throws(StoreError) -> Bool {
        state.withLock { state in
            guard state.accounts[link.reference] == nil else { return false }
            state.accounts[link.reference] = account
            state.links[account, default: []].append(link)
            return true
        }
    }

    /// See `AccountStore.replace(on:by:change:)`.
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
