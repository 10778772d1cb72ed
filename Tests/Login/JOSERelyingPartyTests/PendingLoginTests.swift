import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@testable import JOSERelyingParty

/// The values that a callback must have in common with the login that it completes, whatever the store returns.
@Suite("Pending logins") struct PendingLoginTests {
    private static func manner() -> ProviderManner {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        return manner
    }

    private static func fixture() throws -> LoginFixture {
        try LoginFixture(
            ProviderProfile(name: "own", production: nil), manner: manner(), request: LoginRequest())
    }

    /// Returns another relying party at the provider of a fixture.
    private static func party(
        _ fixture: LoginFixture, _ profile: ProviderProfile = ProviderProfile(name: "own", production: nil),
        clientID: String = "partner-code", store: any LoginStore
    ) throws -> RelyingParty {
        let client = RelyingPartyClient(
            id: clientID, redirectURI: LoginFixture.redirectURI, credentials: fixture.client.credentials)
        return try RelyingParty(
            profile, in: .sandbox(issuer: LoginFixture.issuer), client: client, transport: fixture.provider,
            store: store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
    }

    @Test("R18: a login expires by the service's clock, also if the store never removes it or the clock goes back")
    func ages() async throws {
        for (age, reason) in [
            (0, nil), (599, nil), (600, RelyingPartyError.Reason.stateMismatch), (601, .stateMismatch), (-59, nil),
            (-60, .stateMismatch), (-61, .stateMismatch),
        ] {
            let fixture = try Self.fixture()
            let party = try Self.party(fixture, store: ListStore())
            let start = try await party.beginLogin()
            let query = fixture.provider.authorize(start.url)
            fixture.clock.advance(by: .seconds(age))
            let error = try await refusal {
                try await party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error == reason.map { RelyingPartyError.callback($0) }, "\(age)")
            #expect(fixture.provider.calls(.token) == (reason == nil ? 1 : 0), "\(age)")
        }
    }

    @Test("R01: a login is completed by the profile and the client that began it, though they share a store")
    func owners() async throws {
        let fixture = try Self.fixture()
        for (name, clientID, reason) in [
            ("own", "partner-code", nil), ("other", "partner-code", RelyingPartyError.Reason.stateMismatch),
            ("own", "another", .stateMismatch),
        ] {
            let store = ListStore()
            let party = try Self.party(
                fixture, ProviderProfile(name: name, production: nil), clientID: clientID, store: store)
            let start = try await Self.party(fixture, store: store).beginLogin()
            let calls = fixture.provider.calls(.token)
            let query = fixture.provider.authorize(start.url)
            let error = try await refusal {
                try await party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error == reason.map { RelyingPartyError.callback($0) }, "\(name) \(clientID)")
            #expect(fixture.provider.calls(.token) == calls + (reason == nil ? 1 : 0), "\(name) \(clientID)")
        }
    }

    @Test("R04: a login that the store returns for the state of another login is rejected") func otherState()
        async throws
    {
        let fixture = try Self.fixture()
        let party = try Self.party(fixture, store: LastValueStore())
        let first = try await party.beginLogin()
        let second = try await party.beginLogin()
        // The browser has the binding of the login that the store returns.
        let error = try await refusal {
            try await party.completeLogin(
                callback: .query(fixture.provider.authorize(first.url)), binding: second.binding)
        }
        #expect(error == .callback(.stateMismatch))
        #expect(fixture.provider.calls(.token) == 0)
        let query = fixture.provider.authorize(second.url)
        #expect(
            try await party.completeLogin(callback: .query(query), binding: second.binding).subject == "user-1")
    }

    @Test("R04: a profile that does not report replays does not ask the store for used states") func usedStates()
        async throws
    {
        for (reportsReplays, reason) in [
            (false, RelyingPartyError.Reason.stateMismatch), (true, .storeUnavailable),
        ] {
            let fixture = try Self.fixture()
            var profile = ProviderProfile(name: "own", production: nil)
            profile.callback.reportsReplays = reportsReplays
            let party = try Self.party(fixture, profile, store: UnreadableStore())
            let error = try await refusal {
                try await party.completeLogin(callback: .query("code=x&state=unknown"), binding: "x")
            }
            #expect(error?.reason == reason)
            let start = try await party.beginLogin()
            let query = fixture.provider.authorize(start.url)
            #expect(
                try await party.completeLogin(callback: .query(query), binding: start.binding).subject == "user-1")
        }
    }

    @Test("a callback without a code, or with an empty one, is rejected without a request (RFC 6749, 4.1.2)")
    func codes() async throws {
        let fixture = try Self.fixture()
        for (code, reason) in [
            (nil, RelyingPartyError.Reason.missingParameter("code")), ("", .missingParameter("code")),
            ("code-0", .providerError(try #require(ProviderErrorCode("invalid_grant")))),
        ] as [(String?, RelyingPartyError.Reason)] {
            let start = try await fixture.party.beginLogin()
            let calls = fixture.provider.calls(.token)
            let state = try #require(FormFields(ofURL: start.url)["state"])
            let query = "state=\(state)" + (code.map { "&code=" + $0 } ?? "")
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error?.reason == reason)
            #expect(fixture.provider.calls(.token) == calls + (code == "code-0" ? 1 : 0))
        }
        #expect(try await fixture.login().subject == "user-1")
    }

    @Test("no user is made of a token response without an ID token (OpenID Connect Core, 3.1.3.3)")
    func missingIDToken() async throws {
        let fixture = try Self.fixture()
        let now = fixture.clock.now.secondsSince1970
        let transaction = LoginTransaction(
            profile: "own", clientID: "partner-code", issuer: LoginFixture.issuer, state: "s", nonce: "n",
            redirectURI: LoginFixture.redirectURI, responseMode: .query, bindingHash: "", created: now)
        var claims = fixture.provider.commonClaims()
        claims["nonce"] = "n"
        claims["iat"] = .integer(Int64(now))
        claims["exp"] = .integer(Int64(now) + 300)
        let token = try fixture.provider.sign(claims)
        let provider = try await fixture.party.directory.provider(nil, until: nil)
        for (member, failure) in [
            (#","id_token":"\#(token)""#, nil),
            ("", RelyingPartyError(.missingParameter("id_token"), in: .tokenResponse)),
        ] {
            let response = try TokenResponse(
                .json(#"{"access_token":"a","token_type":"Bearer"\#(member)}"#), requiresIDToken: false)
            let error = try await refusal {
                try await fixture.party.user(response, transaction, code: nil, at: provider, until: nil)
            }
            #expect(error == failure)
        }
    }

    @Test("a stored login that lacks a member, or has one of another type, is not read") func members() throws {
        let whole = [
            "profile": #""own""#, "client": #""c""#, "issuer": #""https://i.test""#, "state": #""s""#,
            "nonce": #""n""#, "redirect": #""https://s.test""#, "mode": #""query""#, "binding": #""b""#,
            "created": "1700000000",
        ]
        func read(_ members: [String: String]) -> LoginTransaction? {
            LoginTransaction(
                json: Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8))
        }
        let transaction = try #require(read(whole))
        #expect(transaction.clientID == "c" && transaction.redirectURI == "https://s.test")
        #expect(transaction.created == 1_700_000_000 && transaction.responseMode == .query)
        for name in whole.keys {
            for value in [nil, "null", "[]"] {
                var members = whole
                members[name] = value
                #expect(read(members) == nil, "\(name) \(value ?? "absent")")
            }
        }
    }
}

/// A store that returns the last value that was inserted, whichever key it is asked for.
private final class LastValueStore: LoginStore {
    private let last = Mutex<[UInt8]?>(nil)

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        last.withLock { $0 = value }
        return true
    }
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { last.withLock { $0 } }
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { last.withLock { $0 } }
}

/// A store whose values can be taken, and not be read otherwise.
private struct UnreadableStore: LoginStore {
    let inner = ListStore()

    func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
        try await inner.insert(value, for: key, lifetime: lifetime)
    }
    func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { try await inner.take(key) }
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
}
