/// The service's own accounts, as far as logins need them. Whoever implements it writes to the service's database.
public protocol AccountStore: Sendable {
    /// How the service names an account.
    associatedtype AccountID: Hashable & Sendable

    /// The account that has the reference now.
    func account(of reference: AccountReference) async throws(StoreError) -> AccountID?
    /// All that the account has.
    func links(of account: AccountID) async throws(StoreError) -> [AccountLink]
    /// Accounts with a link of this person.
    func accounts(ofPerson person: String) async throws(StoreError) -> [AccountID]
    /// Gives an account a link; false, and nothing is changed, where the reference is held already, by whatever account.
    func link(_ link: AccountLink, to account: AccountID) async throws(StoreError) -> Bool
    /// In one transaction: takes the references of `change.old` from the account, gives it `new`, and keeps `change`. False, and
    /// nothing is changed, where one of the old ones is not this account's any more, or the new one is another account's. Of any
    /// number of callers that move one reference, one alone gets true.
    func replace(
        on account: AccountID, by new: AccountLink, change: AccountChange
    ) async throws(StoreError) -> Bool
}
