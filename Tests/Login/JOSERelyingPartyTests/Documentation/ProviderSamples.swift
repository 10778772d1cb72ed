import JOSE
import JOSEEntra
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Synchronization
import Testing

/// The samples of the article "Logging in with ZenKey".
private struct ZenKeySample {
    let party: RelyingParty

    // Sample: begin with a carrier
    func begin(mccmnc: String?) async throws(RelyingPartyError) -> (location: String, setCookie: String) {
        var request = LoginRequest.zenKey([.name, .email])
        request.zenKeyContext = "Sign in to the shop"
        let entry = mccmnc.flatMap { MobileNetwork($0) }.map { ZenKeyEntry.network($0) } ?? .page
        switch try await party.beginZenKey(request, from: entry) {
        case .login(let start): return (start.url, start.cookie)
        case .page(let visit): return (visit.url, visit.cookie)
        }
    }
    // Sample: end

    // Sample: move accounts
    func account(
        of user: LoggedInUser, in accounts: MemoryAccountStore<String>
    ) async throws(RelyingPartyError) -> String? {
        switch try await PortTokenMigration(party, store: accounts).resolve(user).outcome {
        case .known(let account), .moved(let account): return account
        default: return nil
        }
    }
    // Sample: end
}

/// The samples of the article "Logging in with Microsoft Entra ID".
private enum EntraSample {
    static func oneTenant() -> ProviderProfile {
        // Sample: log in users of one tenant
        let profile = ProviderProfile.openID(
            issuer: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0")
        // Sample: end
        return profile
    }

    static func listedTenants() -> ProviderProfile {
        // Sample: log in users of listed tenants
        let profile = ProviderProfile.entra(.oneOf(["72f988bf-86f1-41af-91ab-2d7cd011db47"]))
        // Sample: end
        return profile
    }

    static func organizations() -> ProviderProfile {
        // Sample: log in users of any organization
        let profile = ProviderProfile.entra(.any(except: [IssuerTemplate.entraPersonalTenant]))
        // Sample: end
        return profile
    }
}

/// The samples of the article "Logging in with MitID".
private struct MitIDSample {
    let party: RelyingParty

    // Sample: complete from a form
    func complete(body: [UInt8], contentType: String, cookies: String) async throws(RelyingPartyError) -> LoggedInUser {
        let callback = AuthorizationCallback.form(body, contentType: contentType)
        return try await party.completeLogin(callback: callback, binding: callback.binding(inCookies: cookies))
    }
    // Sample: end

    // Sample: a login of the back end
    func resume(query: String, cookies: String) async throws -> LoggedInUser {
        let callback = AuthorizationCallback.query(query)
        let binding = callback.binding(inCookies: cookies) ?? ""
        let login = try await party.resumeMitIDBackChannelLogin(callback: callback, binding: binding)
        var next = login.nextPoll
        while true {
            try await Task.sleep(for: max(.zero, next - .now))
            switch try await party.poll(login.handle, session: binding) {
            case .user(let user): return user
            case .pending(let nextPoll): next = nextPoll
            }
        }
    }
    // Sample: end

    static func requests() -> [LoginRequest] {
        // Sample: requests for other identity providers
        let member = LoginRequest.mitIDErhverv()
        let adult = LoginRequest.mitIDAge(atLeast: 18)
        let person = LoginRequest.altIDPerson([.fullName, .nationality])
        var either = LoginRequest.mitID(level: .substantial)
        either.mitIDProviders = [.mitID, .eBoks]
        // Sample: end
        return [member, adult, person, either]
    }

    // Sample: compare a civil registration number
    func isNumber(_ number: String, ofUserWith ticket: MitIDCPRTicket) async throws(RelyingPartyError) -> Bool {
        try await party.matchMitIDCPR(number, ticket)
    }
    // Sample: end

    // Sample: complete an age proof
    func isAdult(body: [UInt8], contentType: String, cookies: String) async throws(RelyingPartyError) -> Bool {
        let callback = AuthorizationCallback.form(body, contentType: contentType)
        let binding = callback.binding(inCookies: cookies)
        return try await party.completeAltIDAgeProof(callback: callback, binding: binding).hasReached(18) == true
    }
    // Sample: end
}

/// The samples of the section on apps.
private final class AppLoginSample: Sendable {
    let logins: AppLogin
    let notified = Mutex<[String]>([])

    init(_ logins: AppLogin) { self.logins = logins }

    func newSession(of user: LoggedInUser) async -> [UInt8] { Array("session of \(user.subject)".utf8) }
    func notify(_ handle: String) async { notified.withLock { $0.append(handle) } }

    // Sample: an app's back end
    func begin(for instance: [UInt8], on system: MitIDParameters.AppSwitch.System) async throws(RelyingPartyError)
        -> AppLogin.Start
    {
        try await logins.begin(.mitID(level: .substantial, scopes: [.ssn]), instance: instance, appSwitch: system)
    }

    func startPage(query: String) async throws(RelyingPartyError) -> [(name: String, value: String)] {
        try await logins.open(query: query)
    }

    func redirectURI(
        body: [UInt8], contentType: String, cookies: String
    ) async throws(RelyingPartyError) -> (headers: [(name: String, value: String)], page: String) {
        let callback = AuthorizationCallback.form(body, contentType: contentType)
        let end = try await logins.complete(callback: callback, cookies: cookies) { result in
            switch result {
            case .success(let user): await self.newSession(of: user)
            case .failure(let error): Array("error:\(error.action)".utf8)
            }
        }
        if let handle = end.notifiedHandle { await self.notify(handle) }
        return (end.headers, end.page.html)
    }

    func poll(
        handle: String, instance: [UInt8], returnValue: String?
    ) async throws(RelyingPartyError) -> AppLogin.Answer {
        try await logins.poll(handle, instance: instance, returnValue: returnValue)
    }
    // Sample: end
}

/// The samples of the article "Logging in from the back end".
private struct BackChannelSample {
    let party: RelyingParty

    // Sample: begin from the back end
    func begin(email: String, session: String) async throws(RelyingPartyError) -> BackChannelLogin {
        var request = LoginRequest()
        request["login_hint"] = email
        request.bindingMessage = "Order 4711"
        return try await party.beginBackChannelLogin(request, session: session)
    }
    // Sample: end

    // Sample: poll
    func user(of login: BackChannelLogin, session: String) async throws -> LoggedInUser {
        var next = login.nextPoll
        while true {
            try await Task.sleep(for: max(.zero, next - .now))
            switch try await party.poll(login.handle, session: session) {
            case .user(let user): return user
            case .pending(let nextPoll): next = nextPoll
            }
        }
    }
    // Sample: end
}

/// The samples of the article "Storing logins".
private enum StoreSample {
    static func memory() -> MemoryLoginStore {
        // Sample: a store in memory
        let store = MemoryLoginStore()
        // Sample: end
        return store
    }
}

@Suite("Documentation of the providers") struct ProviderSampleTests {
    @Test(
        "ZenKey's sample redirects to the carrier, or to the discovery page if unknown, and finds an account"
    )
    func zenKey() async throws {
        let fixture = try ZenKeyFixture()
        let sample = ZenKeySample(party: fixture.party)
        let page = try await sample.begin(mccmnc: nil)
        #expect(page.location.hasPrefix("https://discoveryui.myzenkey.com/"))
        let start = try await sample.begin(mccmnc: "310010")
        let callback = AuthorizationCallback.query(fixture.carrier.authorize(start.location))
        let cookies = [page, start].map { String($0.setCookie.prefix { $0 != ";" }) }.joined(separator: "; ")
        let user = try await fixture.party.completeLogin(
            callback: callback, binding: callback.binding(inCookies: cookies))
        let accounts = MemoryAccountStore<String>()
        #expect(try await sample.account(of: user, in: accounts) == nil)
        _ = try await accounts.link(
            AccountLink(AccountReference(issuer: user.issuer, subject: user.subject)), to: "jane")
        #expect(try await sample.account(of: user, in: accounts) == "jane")
    }

    @Test("MitID's sample logs a user in by form_post, only in the browser that began the login") func mitID()
        async throws
    {
        let fixture = try MitIDFixture()
        let sample = MitIDSample(party: fixture.party)
        for (isSame, subject) in [(true, "user-1"), (false, nil)] {
            let start = try await fixture.party.beginLogin(.mitID())
            let other = try await fixture.party.beginLogin(.mitID())
            let user = try? await sample.complete(
                body: Array(fixture.form(start.url).utf8), contentType: "application/x-www-form-urlencoded",
                cookies: String((isSame ? start : other).cookie.prefix { $0 != ";" }))
            #expect(user?.subject == subject)
        }
    }

    @Test("the back end of an app begins a login, notifies the app when it may poll, and gives it a session")
    func apps() async throws {
        let fixture = try AppLoginFixture()
        let sample = AppLoginSample(fixture.logins)
        let instance = Array("an instance of the app".utf8)
        let start = try await sample.begin(for: instance, on: .android)
        let opening = Dictionary(
            try await sample.startPage(query: String(start.link.split(separator: "?")[1]))
        ) { _, last in last }
        var tab = BrowserTab(fixture)
        tab.receive(try #require(opening["Set-Cookie"]), try #require(opening["Location"]))
        let value = FormFields(ofURL: try #require(try tab.appSwitchLink))[AppLogin.returnParameter]
        #expect(try await sample.poll(handle: start.handle, instance: instance, returnValue: value) == .pending)
        let (headers, page) = try await sample.redirectURI(
            body: Array(tab.approved().utf8), contentType: "application/x-www-form-urlencoded",
            cookies: tab.cookies.joined(separator: "; "))
        #expect(page.contains("Tilbage til appen"))
        // The cookie of the tab is deleted.
        #expect(headers.contains { $0.name == "Set-Cookie" && $0.value.contains("Max-Age=0") })
        #expect(sample.notified.withLock { $0 } == [start.handle])
        #expect(
            try await sample.poll(handle: start.handle, instance: instance, returnValue: value)
                == .ended(Array("session of user-1".utf8)))
    }

    @Test("a callback without a pending login is rejected, and the store stays empty") func stores() async throws {
        let fixture = try MitIDFixture(.mitIDBackChannel(MitIDFixture.settings))
        let error = try await refusal {
            try await MitIDSample(party: fixture.party).resume(query: "state=x", cookies: "a=b")
        }
        #expect(error == .callback(.bindingMismatch))
        #expect(StoreSample.memory().count == 0)
    }

    @Test("MitID's samples ask other identity providers, compare a number, and read an age") func mitIDProviders()
        async throws
    {
        let fixture = try MitIDFixture()
        for request in MitIDSample.requests() { #expect(try await fixture.refused(request) == nil) }
        fixture.provider.script.answers[.cprMatch] = { _ in .json(#"{"cprNumberMatch":true}"#) }
        let ticket = try #require(try await fixture.login().mitIDCPRTicket)
        #expect(try await MitIDSample(party: fixture.party).isNumber("290288-1234", ofUserWith: ticket))
        let proofs = try AltIDFixture()
        let party = proofs.fixture.party
        let start = try await party.beginAltIDAgeProof(.altIDAge(atLeast: [18]))
        let form = proofs.fixture.form(start.url, issuer: LoginFixture.issuer)
        let isAdult = try await MitIDSample(party: party).isAdult(
            body: Array(form.utf8), contentType: "application/x-www-form-urlencoded",
            cookies: String(start.cookie.prefix { $0 != ";" }))
        #expect(isAdult)
    }

    @Test("the samples begin a login from the back end and poll for it") func backChannel() async throws {
        let fixture = try PollingFixture()
        let sample = BackChannelSample(party: fixture.party)
        let login = try await sample.begin(email: "user@example.com", session: PollingFixture.session)
        #expect(fixture.server.lastForm("/bc-authorize")["binding_message"] == "Order 4711")
        let good = try fixture.tokens()
        fixture.answer(good)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await sample.user(of: login, session: PollingFixture.session).subject == "user-1")
    }

    @Test("the samples create profiles with which a client can be configured") func entra() throws {
        let store = MemoryLoginStore()
        let secret = try ClientCredentials.secret("a secret of thirty-two bytes, and of some more")
        let client = RelyingPartyClient(
            id: "b9419818-09af-49c2-b0c3-653adc1f376e", redirectURI: LoginFixture.redirectURI, credentials: secret)
        let manner = ProviderManner(authentication: .secretPost)
        let provider = ScriptedProvider(issuer: LoginFixture.issuer, manner: manner, clock: TestClock())
        for profile in [EntraSample.oneTenant(), EntraSample.listedTenants(), EntraSample.organizations()] {
            #expect(throws: Never.self) {
                try RelyingParty(profile, in: .production, client: client, transport: provider, store: store)
            }
        }
    }
}
