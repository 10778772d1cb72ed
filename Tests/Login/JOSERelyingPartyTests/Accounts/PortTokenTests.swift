import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Testing

@Suite("Port tokens") struct PortTokenTests {
    private let web = CarrierWeb()
    private let clock = TestClock()
    private let accounts = MemoryAccountStore<String>()
    private let used = MemoryLoginStore()
    private let old = AccountReference(issuer: CarrierWeb.att, subject: "mccmnc-old")
    private let new = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-new")

    private func migration() -> PortTokenMigration<MemoryAccountStore<String>> {
        PortTokenMigration(
            clientID: CarrierWeb.clientID, trust: .carriers, transport: web, store: accounts, used: used,
            clock: clock.wallClock, elapsed: { 0 })
    }
    private func resolve(
        _ tokens: String..., as current: AccountReference? = nil
    ) async throws -> PortTokenMigration<MemoryAccountStore<String>>.Report {
        try await migration().resolve(current ?? new, portTokens: tokens)
    }
    private func token(_ claims: String? = nil, header: String? = nil, key: PrivateKey = CarrierWeb.attKey) throws
        -> String
    {
        let claims = claims ?? CarrierWeb.portClaims(issued: clock.now - .seconds(60))
        guard let header else { return try CarrierWeb.token(claims, key: key) }
        return try CarrierWeb.token(header: header, claims, key: key)
    }
    /// Expects that a token moves nothing and is reported with this reason.
    private func expect(_ failure: RelyingPartyError.Reason, of bad: String, _ comment: Comment? = nil) async throws {
        let report = try await resolve(bad)
        #expect(report.outcome == .unknown, comment)
        #expect(report.refusals == [RelyingPartyError(failure, in: .portToken)], comment)
        #expect(try await accounts.account(of: old) == "jane", comment)
    }
    /// Expects that a valid token moves the account.
    private func expectMove() async throws {
        let report = try await resolve(try token())
        #expect(report.outcome == .moved("jane"))
        #expect(report.refusals == [nil])
    }

    @Test("ZenKey case 19: a port token moves the account once, and a second use is replayed")
    func moves() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let token = try token()
        let report = try await resolve(token)
        #expect(report.outcome == .moved("jane"))
        #expect(try await accounts.account(of: new) == "jane")
        #expect(try await accounts.account(of: old) == nil)
        let change = try #require(accounts.changes.first)
        #expect(change.old == [old] && change.new == new && change.time == clock.now)
        guard case .portToken(let hash) = change.reason else {
            Issue.record("another reason")
            return
        }
        #expect(hash.count == 32)
        // The token is replayed for another new sub too, even after another account gets the old reference.
        _ = try await accounts.link(AccountLink(old), to: "john")
        let other = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-other")
        let replay = try await resolve(token, as: other)
        #expect(replay.outcome == .unknown)
        #expect(replay.refusals == [RelyingPartyError(.replayed, in: .portToken)])
        #expect(try await accounts.account(of: old) == "john")
        // The user's own reference is known now.
        let again = try await resolve(token)
        #expect(again.outcome == .known("jane") && again.refusals.isEmpty)
    }

    @Test("ZenKey: of ten concurrent uses of one port token, only one moves the account")
    func race() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let token = try token()
        let migration = migration()
        let moved = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                let current = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-\(number)")
                group.addTask {
                    try await migration.resolve(current, portTokens: [token]).outcome == .moved("jane")
                }
            }
            var moved = 0
            for try await isMoved in group where isMoved { moved += 1 }
            return moved
        }
        #expect(moved == 1)
        #expect(accounts.changes.count == 1)
    }

    @Test("ZenKey case 20: a port token for another service moves no account")
    func audiences() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        try await expect(
            .audienceMismatch, of: try token(CarrierWeb.portClaims(audience: "ccid-SP0002", issued: clock.now)))
        let now = Int64(clock.now.secondsSince1970)
        let both = #"{"iss":"\#(CarrierWeb.att)","sub":"mccmnc-old","aud":["ccid-SP0001","x"],"iat":\#(now)}"#
        try await expect(.audienceMismatch, of: try token(both))
        try await expectMove()
    }

    @Test("ZenKey case 21: a port token of an untrusted or the current issuer is rejected without a request to it")
    func issuers() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let strangers = [
            "https://evil.example", "https://evil-att.com", "https://att.com@evil.example", "http://oidc.att.com",
            "https://oidc.att.com:8443", "https://169.254.169.254", "file:///etc/passwd", "",
        ]
        for issuer in strangers + [CarrierWeb.verizon] {
            let claims = CarrierWeb.portClaims(issuer: issuer, issued: clock.now)
            try await expect(.untrustedIssuer, of: try token(claims), "\(issuer)")
        }
        try await expect(.untrustedIssuer, of: try token(#"{"sub":"x","aud":"ccid-SP0001"}"#))
        #expect(web.requests.isEmpty)
        // Keys on the host of a stranger are not fetched either, though a trusted issuer's metadata name it.
        let page = CarrierWeb.att + "/.well-known/openid-configuration"
        let honest = web[page]
        web[page] = CarrierWeb.json(
            CarrierWeb.configuration(CarrierWeb.att).replacing(
                CarrierWeb.att + "/jwks", with: "https://evil.example/jwks"))
        try await expect(.untrustedIssuer, of: try token())
        #expect(web.urls == [page])
        web[page] = honest
        try await expectMove()
    }

    @Test("ZenKey case 22: a port token with HS256, none or another algorithm is rejected, whichever key signed it")
    func algorithms() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let claims = CarrierWeb.portClaims(issued: clock.now)
        for name in ["HS256", "none", "PS256", "rs256"] {
            let header = #"{"alg":"\#(name)","kid":"att-1","typ":"port_token+jwt"}"#
            try await expect(.algorithmNotAllowed, of: try token(claims, header: header), "\(name)")
        }
        #expect(web.requests.isEmpty)
        try await expectMove()
    }

    @Test("ZenKey case 23: a port token of 181 days is too old, one of 179 days is not, and iat is required")
    func ages() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let day = Duration.seconds(86_400)
        try await expect(.tooOld, of: try token(CarrierWeb.portClaims(issued: clock.now - day * 181)))
        try await expect(.issuedInFuture, of: try token(CarrierWeb.portClaims(issued: clock.now + .seconds(120))))
        let timeless = #"{"iss":"\#(CarrierWeb.att)","sub":"mccmnc-old","aud":"ccid-SP0001"}"#
        try await expect(.claimMissing("iat"), of: try token(timeless))
        let worded = #"{"iss":"\#(CarrierWeb.att)","sub":"mccmnc-old","aud":"ccid-SP0001","iat":"1700000000"}"#
        try await expect(.claimType("iat"), of: try token(worded))
        // `exp` is not required, but is checked if present.
        let past = #","exp":\#(Int64(clock.now.secondsSince1970) - 61)"#
        try await expect(.expired, of: try token(CarrierWeb.portClaims(issued: clock.now - day, more: past)))
        let report = try await resolve(try token(CarrierWeb.portClaims(issued: clock.now - day * 179)))
        #expect(report.outcome == .moved("jane"))
    }

    @Test("ZenKey case 24: of ten thousand port tokens only the first eight are read")
    func flood() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let bad = [String](repeating: "a.b.c", count: 8)
        let good = try token()
        let flood = bad + [String](repeating: good, count: 9_992)
        let report = try await migration().resolve(new, portTokens: flood)
        #expect(report.outcome == .unknown)
        #expect(report.refusals == bad.map { _ in RelyingPartyError(.malformed, in: .portToken) })
        #expect(web.requests.isEmpty)
        // The eighth token is read.
        let eighth = try await migration().resolve(new, portTokens: Array(bad.dropLast()) + [good])
        #expect(eighth.outcome == .moved("jane"))
    }

    @Test("R43 ZenKey: a logout token that names no type is rejected as a port token, because it has events")
    func logoutTokens() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let header = #"{"alg":"RS256","kid":"att-1"}"#
        let events = #","events":{"http://schemas.openid.net/event/backchannel-logout":{}}"#
        let logout = try token(CarrierWeb.portClaims(issued: clock.now, more: events), header: header)
        try await expect(.claimUnexpected("events"), of: logout)
        let report = try await resolve(try token(CarrierWeb.portClaims(issued: clock.now), header: header))
        #expect(report.outcome == .moved("jane"))
    }

    @Test("ZenKey: a malformed port token is rejected before any request is sent")
    func forms() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let claims = CarrierWeb.portClaims(issued: clock.now)
        let long = try token(
            CarrierWeb.portClaims(issued: clock.now, more: #","x":"\#(String(repeating: "y", count: 8_000))""#))
        try await expect(.tooLarge, of: long)
        for text in ["", "a.b", "a.b.c.d.e", "..", try token() + ".", "e30.e30.AA"] {
            let wanted: RelyingPartyError.Reason = text == "e30.e30.AA" ? .algorithmNotAllowed : .malformed
            try await expect(wanted, of: text, "\(text)")
        }
        try await expect(.malformed, of: try token(claims, header: #"{"alg":"RS256","typ":"port_token+jwt"}"#))
        for type in [#""at+jwt""#, #""logout+jwt""#, #""port_token""#] {
            let header = #"{"alg":"RS256","kid":"att-1","typ":\#(type)}"#
            try await expect(.contentTypeMismatch, of: try token(claims, header: header), "\(type)")
        }
        #expect(web.requests.isEmpty)
        // ZenKey's guide names no type; `JWT` and the type of the carriers' samples are accepted too.
        let types = ["", #","typ":"JWT""#, #","typ":"port_token+jwt""#, #","typ":"application/port_token+jwt""#]
        for (number, type) in types.enumerated() {
            let account = number == 0 ? "jane" : "user-\(number)"
            if number > 0 { _ = try await accounts.link(AccountLink(old), to: account) }
            let good = try token(claims, header: #"{"alg":"RS256","kid":"att-1"\#(type)}"#)
            let current = AccountReference(issuer: CarrierWeb.verizon, subject: "mccmnc-new-\(number)")
            #expect(try await resolve(good, as: current).outcome == .moved(account), "\(type)")
        }
    }

    @Test("ZenKey: a port token is verified with the key by kid from its issuer's metadata, at either well-known URL")
    func configurations() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let hyphen = CarrierWeb.att + "/.well-known/openid-configuration"
        let underscore = CarrierWeb.att + "/.well-known/openid_configuration"
        // A failure other than 404 and 410 is final, and so is a document that cannot be used.
        web[underscore] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.att))
        web[hyphen] = nil
        try await expect(.unreachable, of: try token())
        web[hyphen] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.att + "/"))
        try await expect(.discoveryMismatch, of: try token())
        web[hyphen] = CarrierWeb.json(#"{"issuer":"\#(CarrierWeb.att)"}"#)
        try await expect(.metadataMissing(.jwksURI), of: try token())
        #expect(web.urls == [hyphen, hyphen, hyphen])
        web[underscore] = nil
        for status in [404, 410] {
            web[hyphen] = TransportResponse(status: status)
            try await expect(.unreachable, of: try token())
            #expect(web.urls.suffix(2) == [hyphen, underscore])
        }
        web[underscore] = CarrierWeb.json(CarrierWeb.configuration(CarrierWeb.att))
        let claims = CarrierWeb.portClaims(issued: clock.now)
        let unknown = #"{"alg":"RS256","kid":"att-2","typ":"port_token+jwt"}"#
        try await expect(.keyNotFound, of: try token(claims, header: unknown))
        try await expect(.signatureInvalid, of: try token(key: CarrierWeb.strangerKey))
        try await expectMove()
    }

    @Test("ZenKey case 27: a key set with a private key is rejected as a whole")
    func privateMembers() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let honest = web[CarrierWeb.att + "/jwks"]
        let secret = #"{"keys":[\#(String(decoding: try CarrierWeb.attKey.exportPrivateJWK(), as: UTF8.self))]}"#
        #expect(secret.contains(#""d":"#))
        web[CarrierWeb.att + "/jwks"] = CarrierWeb.json(secret)
        let named = UnusableKey(index: 0, keyID: "att-1", reason: .keyInvalid(.privateInPublicSet))
        try await expect(.keySetRejected(.privateKey, keys: [named]), of: try token())
        web[CarrierWeb.att + "/jwks"] = honest
        try await expectMove()
    }

    @Test("ZenKey case 26: an ID token is not accepted as a port token")
    func otherKinds() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let claims = CarrierWeb.portClaims(
            issuer: CarrierWeb.verizon, subject: "mccmnc-new", issued: clock.now,
            more: #","exp":1800000000,"nonce":"n""#)
        let header = #"{"alg":"RS256","kid":"vz-1","typ":"port_token+jwt"}"#
        try await expect(.untrustedIssuer, of: try token(claims, header: header, key: CarrierWeb.verizonKey))
        let plain = #"{"alg":"RS256","kid":"vz-1","typ":"JWT"}"#
        try await expect(.untrustedIssuer, of: try token(claims, header: plain, key: CarrierWeb.verizonKey))
        let former = CarrierWeb.portClaims(issued: clock.now, more: #","exp":1800000000,"nonce":"n""#)
        try await expect(.claimType("nonce"), of: try token(former))
        try await expectMove()
    }

    @Test("ZenKey: a port token about the new subject, or without one, identifies no account")
    func newSubject() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        try await expect(.claimType("sub"), of: try token(CarrierWeb.portClaims(subject: "", issued: clock.now)))
        try await expect(
            .subjectMismatch, of: try token(CarrierWeb.portClaims(subject: "mccmnc-new", issued: clock.now)))
        try await expectMove()
    }

    @Test("ZenKey: port tokens of two different accounts move neither, and remain unused")
    func twoAccounts() async throws {
        let older = AccountReference(issuer: "https://oidc.t-mobile.com", subject: "mccmnc-older")
        web["https://oidc.t-mobile.com/.well-known/openid-configuration"] = CarrierWeb.json(
            CarrierWeb.configuration("https://oidc.t-mobile.com"))
        web["https://oidc.t-mobile.com/jwks"] = CarrierWeb.keys([CarrierWeb.attKey])
        _ = try await accounts.link(AccountLink(old), to: "jane")
        _ = try await accounts.link(AccountLink(older), to: "joan")
        let first = try token()
        let second = try token(
            CarrierWeb.portClaims(issuer: older.issuer, subject: older.subject, issued: clock.now))
        let stranger = try token(CarrierWeb.portClaims(subject: "nobody", issued: clock.now))
        let report = try await resolve("junk", stranger, first, second)
        #expect(report.outcome == .severalAccounts(["jane", "joan"]))
        #expect(report.refusals == [RelyingPartyError(.malformed, in: .portToken), nil, nil, nil])
        #expect(accounts.changes.isEmpty && used.count == 0)
        #expect(try await accounts.account(of: new) == nil)
        // Two tokens that lead to one account move it.
        let again = MemoryAccountStore<String>()
        _ = try await again.link(AccountLink(old), to: "jane")
        _ = try await again.link(AccountLink(older), to: "jane")
        let moved = try await PortTokenMigration(
            clientID: CarrierWeb.clientID, trust: .carriers, transport: web, store: again, used: used,
            clock: clock.wallClock, elapsed: { 0 }
        ).resolve(new, portTokens: [first, second])
        #expect(moved.outcome == .moved("jane"))
        #expect(try await again.account(of: older) == nil)
        #expect(used.count == 2)
    }

    @Test("ZenKey: if a store does not respond, the login fails and no account is created")
    func outages() async throws {
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let broken = PortTokenMigration(
            clientID: CarrierWeb.clientID, trust: .carriers, transport: web, store: accounts, used: BrokenLoginStore(),
            clock: clock.wallClock, elapsed: { 0 })
        await #expect(throws: RelyingPartyError(.storeUnavailable, in: .store)) {
            try await broken.resolve(new, portTokens: [try token()])
        }
        #expect(try await accounts.account(of: old) == "jane")
        try await expectMove()
    }
}
