/// The operations on a service's accounts that logins need. A conforming type performs them in the service's own
/// database.
public protocol AccountStore: Sendable {
    /// The type of the service's account identifiers.
    associatedtype AccountID: Hashable & Sendable

    /// Returns the account that has a reference.
    ///
    /// - Parameter reference: The reference.
    /// - Returns: The account, or nil if no account has the reference.
    func account(of reference: AccountReference) async throws(StoreError) -> AccountID?
    /// Returns all links of an account.
    ///
    /// - Parameter account: The account.
    func links(of account: AccountID) async throws(StoreError) -> [AccountLink]
    /// Returns the accounts that have a link to a person.
    ///
    /// - Parameter person: The person, as in ``AccountLink/person``.
    func accounts(ofPerson person: String) async throws(StoreError) -> [AccountID]
    /// Adds a link to an account.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - account: The account.
    /// - Returns: True if the link was added; false if any account already has its reference, in which case nothing
    ///   changes.
    func link(_ link: AccountLink, to account: AccountID) async throws(StoreError) -> Bool
    /// Replaces references of an account with a new one, in one transaction: removes the references `change.old`, adds
    /// `new`, and records `change`. If several callers replace the same reference concurrently, only one receives true.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - new: The link with the new reference.
    ///   - change: The record of the change.
    /// - Returns: True if the references were replaced; false if the account no longer has one of the old references or
    ///   another account has the new one, in which case nothing changes.
    func replace(
        on account: AccountID, by new: AccountLink, change: AccountChange
    ) async throws(StoreError) -> Bool
}
