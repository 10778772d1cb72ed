import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSESandbox
import JOSETesting
import JOSETokens
import JOSEZenKey
import TestSupport
import Testing

/// Tests of what the sandbox requests from the service or sends to it, besides the answers that a browser brings.
@Suite("Sandbox: requests to the service") struct ServiceCallTests {
    @Test(
        "a request object is fetched only from its registered URL (OpenID Connect Core 6.2; R19)"
    )
    func references() async throws {
        let login = try await RawLogin("itsme-v2-reference")
        var surfer = Surfer(login.bench)
        await surfer.post(Bench.origin + "/login/itsme-v2-reference", [])
        #expect(surfer.title == "itsme (sandbox): log in")
        let uri = try #require(surfer.parameter("request_uri"))
        #expect(uri.hasPrefix("https://service.test:443/requests/"))
        let start = surfer.url
        let name = FormFields.encoded(uri)
        for other in [
            "https://service.test/requests/x", "https://localhost:443/requests/x", "https://service.test:443/account",
            "https://service.test:443/requests/../account", "https://service.test:443/requests/nothing-is-here",
            "https://service.test:443@other.test/requests/x", "http://service.test:443/requests/x",
        ] {
            await surfer.get(start.replacing(name, with: FormFields.encoded(other)))
            #expect(surfer.title == "itsme (sandbox): this request is refused", "\(other)")
        }
        // The address is registered for one client only.
        let without = try await RawLogin("itsme-v2").client.clientID
        await surfer.get(start.replacing(login.client.clientID, with: without))
        #expect(surfer.title == "itsme (sandbox): this request is refused")
        await surfer.get(start)
        #expect(surfer.title == "itsme (sandbox): log in")
    }

    @Test("a logout token ends the sessions of its user, once, and no other sessions (R24)")
    func logout() async throws {
        let bench = try await Bench.shared.value
        var anna = try await bench.login("mitid")
        var bo = try await bench.login("mitid", person: "bo")
        let provider = try #require(bench.sandbox.providers.first { $0.issuer.hasSuffix("/op") })
        var operations = Surfer(bench)
        await operations.get("https://provider.test:8443/")
        #expect(operations.text.contains("Log Bo O&#39;Hara &lt;b&gt; out"))
        await operations.post("https://provider.test:8443/logout", [("issuer", provider.issuer), ("person", "anna")])
        #expect(operations.text.contains("<span id=\"told\">3</span>"))
        await anna.get(Bench.origin + "/account")
        #expect(anna.title == "A service")
        await bo.get(Bench.origin + "/account")
        #expect(bo.title == "You are signed in")

        let person = try #require(Person.all.first { $0.id == "bo" })
        let token = try provider.logoutToken(person, bench.registration("mitid"))
        func status(_ token: String) async -> Int {
            await operations.post(Bench.origin + "/logout-notice/mitid", [("logout_token", token)])
            return operations.response.status
        }
        #expect(await status(String(token.dropLast(2))) == 400)
        await bo.get(Bench.origin + "/account")
        #expect(bo.title == "You are signed in")
        #expect(await status(token) == 200)
        #expect(await status(token) == 400)
        await bo.get(Bench.origin + "/account")
        #expect(bo.title == "A service")
    }

    @Test("a user whose number is ported to another carrier keeps the account, once")
    func portTokens() async throws {
        let bench = try await Bench.shared.value
        let client = try bench.client("zenkey")
        let sandbox = bench.sandbox
        let environment = ZenKeyEnvironment(
            discoveryURL: client.issuer + "/.well-known/openid_configuration",
            discoveryUIURL: client.issuer + "/ui/discovery-ui",
            trust: ZenKeyCarrierTrust(origins: Sandbox.hosts.map { "https://\($0):8443" }))
        let party = try RelyingParty(
            ProviderProfile.zenKey.at(environment).limited(to: busyTimeLimit), in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(
                id: client.clientID, redirectURI: client.redirectURI, credentials: .secret(try #require(client.secret))),
            transport: Wire { sandbox.answer($0) }, store: MemoryLoginStore())
        func login(_ network: String, isPorted: Bool) async throws -> LoggedInUser {
            var request = LoginRequest.zenKey([.email])
            request.provider = network
            let start = try await party.beginLogin(request)
            var surfer = Surfer(bench)
            surfer.keepsAwayFromService = true
            await surfer.get(start.url)
            var fields = ["person": "anna", "misbehaviour": "", "decision": "approve"]
            if isPorted { fields["ported"] = "yes" }
            await surfer.submit(fields)
            let query = String(surfer.url.split(separator: "?", maxSplits: 1)[1])
            return try await party.completeLogin(callback: .query(query), binding: start.binding)
        }
        let accounts = MemoryAccountStore<String>()
        let migration = try PortTokenMigration(party, store: accounts)
        let old = try await login("310410", isPorted: false)
        #expect(old.zenKey?.portTokens == [])
        _ = try await accounts.link(AccountLink(AccountReference(issuer: old.issuer, subject: old.subject)), to: "anna")
        let stranger = try await login("001001", isPorted: false)
        #expect(try await migration.resolve(stranger).outcome == .unknown)
        let moved = try await login("001001", isPorted: true)
        #expect(moved.issuer == "https://carrier-two.test:8443")
        let report = try await migration.resolve(moved)
        #expect(report.outcome == .moved("anna"))
        #expect(try await migration.resolve(moved).outcome == .known("anna"))
        #expect(try await accounts.account(of: AccountReference(issuer: old.issuer, subject: old.subject)) == nil)
    }
}
