import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("Account rebinding") struct AccountRebindingTests {
    private let clock = TestClock()
    private let accounts = MemoryAccountStore<String>()
    private var rebinding: AccountRebinding<MemoryAccountStore<String>> {
        AccountRebinding(store: accounts, clock: clock.wallClock)
    }
    private static let v1 = "https://merchant.itsme.be/oidc"
    private static let v2 = "https://idp.prd.itsme.services/v2"
    private static let broker = "https://pp.netseidbroker.dk/op"
    private func reference(_ subject: String, at issuer: String = v1) -> AccountReference {
        AccountReference(issuer: issuer, subject: subject)
    }

    @Test("itsme: a new sub replaces the old one, which no longer identifies the account")
    func overwriting() async throws {
        _ = try await accounts.link(AccountLink(reference("old")), to: "jane")
        _ = try await accounts.link(AccountLink(reference("other", at: "https://bank.example")), to: "jane")
        try await rebinding.rebind("jane", to: AccountLink(reference("new")), replacing: [Self.v1])
        #expect(try await accounts.account(of: reference("old")) == nil)
        #expect(try await accounts.account(of: reference("new")) == "jane")
        // The reference of another provider is unchanged.
        #expect(try await accounts.account(of: reference("other", at: "https://bank.example")) == "jane")
        #expect(accounts.changes.map(\.reason) == [.proven])
        // A second call has nothing to replace, and changes nothing.
        try await rebinding.rebind("jane", to: AccountLink(reference("new")), replacing: [Self.v1])
        #expect(try await accounts.account(of: reference("new")) == "jane")
        #expect(accounts.changes.count == 1)
    }

    @Test("itsme: from version 1 to 2 the issuer changes, and the old account reference is removed")
    func newIssuer() async throws {
        _ = try await accounts.link(AccountLink(reference("same")), to: "jane")
        let new = reference("same", at: Self.v2)
        #expect(try await accounts.account(of: new) == nil)
        try await rebinding.rebind("jane", to: AccountLink(new), replacing: [Self.v1, Self.v2])
        #expect(try await accounts.account(of: new) == "jane")
        #expect(try await accounts.account(of: reference("same")) == nil)
    }

    @Test("itsme: a sub that belongs to another account is not moved to this one")
    func taken() async throws {
        _ = try await accounts.link(AccountLink(reference("hers")), to: "jane")
        _ = try await accounts.link(AccountLink(reference("his")), to: "john")
        await #expect(throws: RelyingPartyError(.subjectMismatch, in: .store)) {
            try await rebinding.rebind("jane", to: AccountLink(reference("his")), replacing: [Self.v1])
        }
        await #expect(throws: RelyingPartyError(.subjectMismatch, in: .store)) {
            try await rebinding.rebind("joan", to: AccountLink(reference("his")), replacing: [Self.v1])
        }
        #expect(try await accounts.account(of: reference("his")) == "john")
        #expect(try await accounts.account(of: reference("hers")) == "jane")
        try await rebinding.rebind("joan", to: AccountLink(reference("free")), replacing: [Self.v1])
        #expect(try await accounts.account(of: reference("free")) == "joan")
    }

    @Test("MitID: a person regains the account after a recent login at no lower level")
    func samePerson() async throws {
        let old = AccountLink(reference("a", at: Self.broker), person: "uuid-1", level: 2)
        _ = try await accounts.link(old, to: "jane")
        var new = AccountLink(reference("b", at: Self.broker), person: "uuid-1", level: 1)
        let now = clock.now
        await #expect(throws: RelyingPartyError(.acrTooLow, in: .idToken)) {
            try await rebinding.rebindPerson(new, authenticatedAt: now)
        }
        new.level = nil
        await #expect(throws: RelyingPartyError(.acrTooLow, in: .idToken)) {
            try await rebinding.rebindPerson(new, authenticatedAt: now)
        }
        new.level = 2
        await #expect(throws: RelyingPartyError(.authenticationTooOld, in: .idToken)) {
            try await rebinding.rebindPerson(new, authenticatedAt: now - .seconds(301))
        }
        await #expect(throws: RelyingPartyError(.invalidParameter("person"), in: .idToken)) {
            try await rebinding.rebindPerson(AccountLink(new.reference, level: 3), authenticatedAt: now)
        }
        #expect(try await accounts.account(of: old.reference) == "jane")
        #expect(try await rebinding.rebindPerson(new, authenticatedAt: now - .seconds(300)) == "jane")
        #expect(try await accounts.account(of: new.reference) == "jane")
        #expect(try await accounts.account(of: old.reference) == nil)
        #expect(accounts.changes.map(\.reason) == [.samePerson])
        let stranger = AccountLink(reference("c", at: Self.broker), person: "uuid-2", level: 3)
        #expect(try await rebinding.rebindPerson(stranger, authenticatedAt: now) == nil)
    }

    @Test("MitID: rebinding a person with two accounts is rejected, and nothing is changed")
    func twoAccounts() async throws {
        let first = AccountLink(reference("a", at: Self.broker), person: "uuid-1", level: 2)
        _ = try await accounts.link(first, to: "jane")
        _ = try await accounts.link(
            AccountLink(reference("b", at: Self.v1), person: "uuid-1", level: 2), to: "joan")
        let new = AccountLink(reference("c", at: Self.broker), person: "uuid-1", level: 3)
        let now = clock.now
        await #expect(throws: RelyingPartyError(.subjectMismatch, in: .store)) {
            try await rebinding.rebindPerson(new, authenticatedAt: now)
        }
        #expect(try await accounts.account(of: first.reference) == "jane")
    }

    @Test("itsme: accounts are found only by issuer and sub, byte by byte")
    func keys() async throws {
        _ = try await accounts.link(AccountLink(reference("é")), to: "jane")
        #expect(try await accounts.account(of: reference("é")) == "jane")
        #expect(try await accounts.account(of: reference("e\u{301}")) == nil)
        #expect(try await accounts.account(of: reference("é", at: Self.v1 + "/")) == nil)
        #expect(try await !accounts.link(AccountLink(reference("é")), to: "john"))
        #expect(try await accounts.link(AccountLink(reference("e\u{301}")), to: "john"))
        let link = AccountLink(reference("secret-sub"), person: "secret-person")
        var text = "\(link) \(String(reflecting: link.reference))"
        dump(link, to: &text)
        let isSilent = !text.contains("secret")
        #expect(isSilent)
    }
}
