import JOSE
import JOSESupport
import JOSETesting
import Synchronization
import TestSupport
import Testing

@testable import JOSEMitID
@testable import JOSERelyingParty

@Suite("Logins that an app begins and a browser tab carries out") struct AppLoginTests {
    @Test("MitID case 45: with the app switch, the app learns the end of the login that it began, once") func switched()
        async throws
    {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        #expect(try await app.poll() == .pending)
        // MitID's app returns to the app, which brings the tab to the front; then the broker posts the form in the tab.
        try app.open(try #require(try tab.appSwitchLink))
        #expect(try await app.poll() == .pending)
        let end = try await tab.post(tab.approved())
        // The app has presented the value, so that it may be notified.
        #expect(end.notifiedHandle == app.handle)
        #expect(try await app.poll() == AppLoginFixture.done)
        #expect(try await app.poll() == .expired)
        // The button has the same value.
        #expect(try end.page.link == tab.appSwitchLink)
    }

    @Test("MitID case 12: a login without an app switch ends with the button of its last page") func button()
        async throws
    {
        for system in [nil, MitIDParameters.AppSwitch.System.iOS] {
            let fixture = try AppLoginFixture()
            var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
            try await tab.open(try await app.begin(appSwitch: system))
            #expect(try (tab.appSwitchLink == nil) == (system == nil))
            let end = try await tab.post(tab.approved())
            // Until the user presses the button, no app is notified.
            #expect(end.notifiedHandle == nil)
            #expect(try await app.poll() == .pending)
            let html = end.page.html
            #expect(html.contains("<a id=\"app\" href=\"\(end.page.link)\"") && html.contains("lang=\"da\""))
            #expect(html.contains("Tilbage til appen") && !html.contains("<script"))
            try app.open(end.page.link)
            #expect(try await app.poll() == AppLoginFixture.done)
        }
    }

    @Test("MitID case 46: the app learns that the user abandoned the login, and the page says so")
    func cancelled() async throws {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        let state = try #require(FormFields(tab.approved())["state"])
        let end = try await tab.post("error=access_denied&error_description=mitid_user_aborted&state=\(state)")
        #expect(end.page.html.contains("Du er ikke logget ind."))
        try app.open(end.page.link)
        #expect(try await app.poll() == .ended(Array("error user_cancelled".utf8)))
    }

    @Test("MitID case 31: a login whose callback does not come expires for the app too") func expiry() async throws {
        for (age, error) in [
            (599, nil), (600, RelyingPartyError.callback(.stateMismatch)), (720, .callback(.stateMismatch)),
        ] {
            let fixture = try AppLoginFixture()
            var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
            try await tab.open(try await app.begin())
            fixture.clock.advance(by: .seconds(age))
            #expect(try await refusal { try await tab.post(tab.approved()) } == error, "\(age)")
            #expect(fixture.broker.provider.calls(.token) == (error == nil ? 1 : 0), "\(age)")
            try app.open(try #require(try tab.appSwitchLink))
            #expect(
                try await app.poll() == (error == nil ? AppLoginFixture.done : age < 720 ? .pending : .expired),
                "\(age)")
        }
    }

    @Test("R50 a start link is good for one opening within a minute, and the second tab that opens it gets nothing")
    func opened() async throws {
        let fixture = try AppLoginFixture()
        var app = AppOnDevice(fixture)
        let expired = RelyingPartyError(.expired, in: .request)
        for (age, error) in [(59, nil), (60, expired)] {
            let link = try await app.begin()
            fixture.clock.advance(by: .seconds(age))
            var tab = BrowserTab(fixture)
            #expect(try await refusal { try await tab.open(link) } == error, "\(age)")
            // A thief who opens it second finds nothing.
            #expect(try await refusal { try await tab.open(link) } == expired, "\(age)")
        }
        for (query, reason) in [
            ("", RelyingPartyError.Reason.missingParameter("start")), ("start=", .missingParameter("start")),
            ("start=a&start=b", .duplicateParameter("start")), ("start=a", .expired),
        ] {
            #expect(
                try await refusal { try await fixture.logins.open(query: query) } == .request(reason), "\(query)")
        }
        // The clock of the machine that opens a link may be behind.
        let link = try await app.begin()
        fixture.clock.advance(by: .seconds(-2))
        var tab = BrowserTab(fixture)
        try await tab.open(link)
    }

    @Test("a start link is not good for longer than the pushed request to which it leads (RFC 9126, 2.2)")
    func pushedRequest() async throws {
        for (age, error) in [(29, nil), (30, RelyingPartyError(.expired, in: .request))] {
            let fixture = try AppLoginFixture(.mitIDPushed(MitIDFixture.settings))
            fixture.broker.provider.script.answers[.pushed] = { _ in
                .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:1","expires_in":30}"#, status: 201)
            }
            var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
            let link = try await app.begin()
            fixture.clock.advance(by: .seconds(age))
            #expect(try await refusal { try await tab.open(link) } == error, "\(age)")
        }
    }

    @Test(
        "R50 a start link that a thief opens first ends nothing in the app until the last link of the thief is followed"
    )
    func stolen() async throws {
        let fixture = try AppLoginFixture()
        var (app, thief) = (AppOnDevice(fixture), BrowserTab(fixture))
        let link = try await app.begin()
        try await thief.open(link)
        var mine = BrowserTab(fixture)
        #expect(try await refusal { try await mine.open(link) } == RelyingPartyError(.expired, in: .request))
        // The thief logs in as itself, to have its victim use the thief's account.
        let end = try await thief.post(thief.approved())
        #expect(end.notifiedHandle == nil)
        #expect(try await app.poll() == .pending)
        // What remains, and the control: a victim who follows the thief's last link uses the account of the thief.
        try app.open(end.page.link)
        #expect(try await app.poll() == AppLoginFixture.done)
    }

    @Test("R50 an attacker's app learns nothing of a login that it began and a victim completed") func victim()
        async throws
    {
        let fixture = try AppLoginFixture()
        var attacker = AppOnDevice(fixture, "the phone of an attacker")
        var victim = AppOnDevice(fixture, "the phone of a victim")
        var tab = BrowserTab(fixture)
        _ = try await victim.begin()
        // The victim opens the attacker's link on the victim's phone, and approves the login.
        let start = try await attacker.begin()
        try await tab.open(start)
        let link = try #require(try tab.appSwitchLink)
        let end = try await tab.post(tab.approved())
        #expect(end.notifiedHandle == nil)
        for _ in 0..<3 { #expect(try await attacker.poll() == .pending) }
        // The attacker knows the start link and the handle. Nothing that is computed from these is the value.
        let code = String(try #require(start.split(separator: "=").last))
        for known in [code, attacker.handle, start] {
            let values =
                try [known, Secret.hash(known)]
                + ["return value", "binding of the tab", "start of a login"].map {
                    try Secret.mac(of: $0, under: known)
                }
            for value in try values + values.map({ try Secret.mac(of: "return value", under: $0) }) {
                var guess = attacker
                guess.returned = value
                #expect(try await refusal { try await guess.poll() } == .callback(.invalidParameter("login")))
            }
        }
        // The links open the app on the victim's phone, which has begun another login.
        for link in [link, end.page.link] {
            try victim.open(link)
            #expect(try await refusal { try await victim.poll() } == .callback(.invalidParameter("login")))
        }
        // A value of the attacker's own login does not help either.
        var own = AppOnDevice(fixture, "the phone of an attacker")
        var ownTab = BrowserTab(fixture)
        try await ownTab.open(try await own.begin())
        attacker.returned = FormFields(ofURL: try #require(try ownTab.appSwitchLink))[AppLogin.returnParameter]
        #expect(try await refusal { try await attacker.poll() } == .callback(.invalidParameter("login")))
        // The control: with the value of that login, which only an attacker who holds the victim's phone has, it ends.
        try attacker.open(end.page.link)
        #expect(try await attacker.poll() == AppLoginFixture.done)
    }

    @Test("R50 an attacker who opens the link first, and has a victim log in at the provider, learns nothing")
    func forwarded() async throws {
        let fixture = try AppLoginFixture()
        var (attacker, opener, victim) = (
            AppOnDevice(fixture, "the phone of an attacker"), BrowserTab(fixture), BrowserTab(fixture)
        )
        try await opener.open(try await attacker.begin())
        // The attacker knows the value, and sends the victim the URL of the provider.
        try attacker.open(try #require(try opener.appSwitchLink))
        victim.visit(opener.location)
        #expect(try await refusal { try await victim.post(victim.approved()) } == .callback(.bindingMismatch))
        #expect(fixture.broker.provider.calls(.token) == 0)
        #expect(try await attacker.poll() == .pending)
        // The control: the response in the browser that opened the link.
        _ = try await opener.post(opener.approved())
        #expect(try await attacker.poll() == AppLoginFixture.done)
    }

    @Test("a callback of a login of another app, or of the service's own page, is not used up") func otherLogins()
        async throws
    {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        let form = tab.approved()
        let other = try AppLogin(
            fixture.party, startPage: AppLoginFixture.startPage, returnLink: MitIDFixture.link + "2")
        let mismatch = RelyingPartyError.callback(.stateMismatch)
        #expect(try await refusal { try await tab.post(form, to: other) } == mismatch)
        try app.open(try await tab.post(form).page.link)
        #expect(try await app.poll() == AppLoginFixture.done)

        let start = try await fixture.party.beginLogin(.mitID())
        let callback = MitIDFixture.callback(fixture.broker.form(start.url))
        let cookies = String(start.cookie.prefix { $0 != ";" })
        #expect(
            try await refusal {
                try await fixture.logins.complete(
                    callback: callback, cookies: cookies, answer: AppLoginFixture.answer)
            } == mismatch)
        let user = try await fixture.party.completeLogin(
            callback: callback, binding: callback.binding(inCookies: cookies))
        #expect(user.subject == "user-1")
    }

    @Test("the response to a start link redirects the tab, binds it to the login, and is not cached")
    func startResponse() async throws {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        let link = try await app.begin()
        let query = String(link.dropFirst(AppLoginFixture.startPage.count + 1))
        let headers = try await fixture.logins.open(query: query)
        try #require(headers.map { $0.name } == ["Location", "Set-Cookie", "Cache-Control", "Referrer-Policy"])
        #expect(headers[0].value.hasPrefix("https://"))
        #expect(headers[1].value.contains("; Path=/; Secure; HttpOnly; SameSite="))
        #expect(headers[2].value == "no-store" && headers[3].value == "no-referrer")
        // With the location and the cookie alone the tab completes the login.
        tab.receive(headers[1].value, headers[0].value)
        try app.open(try #require(try tab.appSwitchLink))
        _ = try await tab.post(tab.approved())
        #expect(try await app.poll() == AppLoginFixture.done)
    }

    @Test("the age of a start link and of a login is checked by the clock of the service, whatever the store keeps")
    func standingStore() async throws {
        for (age, opens) in [(-61, false), (-59, true), (59, true), (60, false)] {
            let fixture = try AppLoginFixture(storeClock: TestClock().wallClock)
            var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
            let link = try await app.begin()
            fixture.clock.advance(by: .seconds(age))
            #expect(try await refusal { try await tab.open(link) } == (opens ? nil : .request(.expired)), "\(age)")
        }
        for (age, answer) in [(719, AppLogin.Answer.pending), (720, .expired)] {
            let fixture = try AppLoginFixture(storeClock: TestClock().wallClock)
            var app = AppOnDevice(fixture)
            _ = try await app.begin()
            fixture.clock.advance(by: .seconds(age))
            #expect(try await app.poll() == answer, "\(age)")
        }
    }

    @Test("a login is completed although the connection of its tab has ended") func cancelledTask() async throws {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        try app.open(try #require(try tab.appSwitchLink))
        let (open, form) = (tab, tab.approved())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await open.post(form)
        }
        task.cancel()
        _ = try await task.value
        #expect(try await app.poll() == AppLoginFixture.done)
    }

    @Test("R50 the answer of an attacker in the tab of a victim is rejected (login CSRF), before the provider is asked")
    func loginCSRF() async throws {
        let fixture = try AppLoginFixture()
        var (attacker, victim) = (AppOnDevice(fixture, "the phone of an attacker"), AppOnDevice(fixture))
        var (attackerTab, victimTab) = (BrowserTab(fixture), BrowserTab(fixture))
        try await attackerTab.open(try await attacker.begin())
        try await victimTab.open(try await victim.begin())
        let form = attackerTab.approved()
        #expect(try await refusal { try await victimTab.post(form) } == .callback(.bindingMismatch))
        #expect(fixture.broker.provider.calls(.token) == 0)
        // The controls: each form in its own tab.
        _ = try await attackerTab.post(form)
        try victim.open(try await victimTab.post(victimTab.approved()).page.link)
        #expect(try await victim.poll() == AppLoginFixture.done)
    }

    @Test("MitID case 10: a code of an attacker with the state of the victim's login logs nobody in") func injection()
        async throws
    {
        let fixture = try AppLoginFixture()
        var (attacker, victim) = (AppOnDevice(fixture, "the phone of an attacker"), AppOnDevice(fixture))
        var (attackerTab, victimTab) = (BrowserTab(fixture), BrowserTab(fixture))
        try await attackerTab.open(try await attacker.begin())
        try await victimTab.open(try await victim.begin())
        let code = try #require(FormFields(attackerTab.approved())["code"])
        let own = FormFields(victimTab.approved())
        let form = "code=\(code)&state=\(try #require(own["state"]))&iss=" + FormFields.encoded(MitIDFixture.issuer)
        let end = try await victimTab.post(form)
        try victim.open(end.page.link)
        #expect(try await victim.poll() == .ended(Array("error provider_error".utf8)))
        #expect(end.page.html.contains("Du er ikke logget ind."))
    }

    @Test("MitID case 11: another instance of the app cannot poll, with or without the value of the link")
    func instance()
        async throws
    {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        let end = try await tab.post(tab.approved())
        for name in ["a phone with another app", ""] {
            var other = AppOnDevice(fixture, name)
            other.handle = app.handle
            #expect(try await refusal { try await other.poll() } == .callback(.bindingMismatch))
            try other.open(end.page.link)
            #expect(try await refusal { try await other.poll() } == .callback(.bindingMismatch))
        }
        for wrong in ["", "x", String(app.handle.dropLast(2)), app.handle + "AA"] {
            var other = app
            other.handle = wrong
            #expect(try await refusal { try await other.poll() } == .callback(.invalidParameter("handle")))
        }
        try app.open(end.page.link)
        #expect(try await app.poll() == AppLoginFixture.done)
    }

    @Test("two logins of one app in two tabs, or in one browser, do not disturb each other") func two() async throws {
        let fixture = try AppLoginFixture()
        var (first, second) = (AppOnDevice(fixture), AppOnDevice(fixture))
        // Both tabs have the cookies of one browser.
        var browser = BrowserTab(fixture)
        try await browser.open(try await first.begin())
        let firstForm = browser.approved()
        try await browser.open(try await second.begin())
        try second.open(try await browser.post(browser.approved()).page.link)
        #expect(try await second.poll() == AppLoginFixture.done)
        #expect(try await first.poll() == .pending)
        try first.open(try await browser.post(firstForm).page.link)
        #expect(try await first.poll() == AppLoginFixture.done)
        #expect(try await refusal { try await browser.post(firstForm) } == .callback(.replayed))
    }

    @Test("a login that an app begins has a link back that the service knows, in a signed request") func links()
        async throws
    {
        let fixture = try AppLoginFixture()
        #expect(throws: Never.self) {
            try AppLogin(fixture.broker.party, startPage: AppLoginFixture.startPage, returnLink: MitIDFixture.link)
        }
        for (page, link) in [
            ("http://service.test/app-login", MitIDFixture.link), (AppLoginFixture.startPage, ""),
            (AppLoginFixture.startPage, "myapp://back"), (AppLoginFixture.startPage, MitIDFixture.link + "?a=b"),
            (AppLoginFixture.startPage, MitIDFixture.link + "#a"),
            (AppLoginFixture.startPage + "?a", MitIDFixture.link),
            (AppLoginFixture.startPage, "https://a@app.service.test/back"),
            ("https://login.service.test/app-login", MitIDFixture.link),
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration), "\(page) \(link)") {
                try AppLogin(fixture.broker.party, startPage: page, returnLink: link)
            }
        }
        // A link that MitID's settings do not have, and a request in plain parameters.
        let instance = Array("an instance of the app".utf8)
        let elsewhere = try AppLogin(
            fixture.broker.party, startPage: AppLoginFixture.startPage, returnLink: MitIDFixture.link + "2")
        var plain = LoginRequest.mitID()
        plain.delivery = .query
        for (logins, request) in [(elsewhere, LoginRequest.mitID()), (fixture.logins, plain)] {
            #expect(
                try await refusal { try await logins.begin(request, instance: instance, appSwitch: .iOS) }
                    == .request(.invalidParameter("app_switch_url")))
            #expect(try await refusal { try await logins.begin(request, instance: instance) } == nil)
        }
        #expect(
            try await refusal { try await fixture.logins.begin(.mitID(), instance: [1, 2, 3]) }
                == .request(.configurationError))
        for time in [Double.nan, .infinity, -.infinity] {
            fixture.clock.now = NumericDate(secondsSince1970: time)
            let error = try await refusal { try await fixture.logins.begin(.mitID(), instance: instance) }
            #expect(error == .request(.configurationError), "\(time)")
        }
    }

    @Test("a request by reference, whose document nobody would serve, is rejected") func reference() async throws {
        let instance = Array("an instance of the app".utf8)
        let url = "https://service.test/request"
        for (delivery, error) in [
            (RequestDelivery.reference(url), RelyingPartyError.request(.configurationError)), (.query, nil),
        ] {
            var profile = ProviderProfile.openID(issuer: LoginFixture.issuer)
            profile.request.deliveries = [.query, .reference(url)]
            let fixture = try LoginFixture(
                profile,
                manner: ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false)),
                request: LoginRequest())
            let logins = try AppLogin(
                fixture.party, startPage: AppLoginFixture.startPage, returnLink: MitIDFixture.link)
            var request = LoginRequest()
            request.delivery = delivery
            #expect(try await refusal { try await logins.begin(request, instance: instance) } == error, "\(delivery)")
        }
    }

    @Test("a handle that an app made by itself leaves nothing in the store") func forgedHandle() async throws {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        var forger = AppOnDevice(fixture)
        forger.returned = "a value"
        forger.handle = try AppLoginHandle.new(
            instance: forger.instance, returnHash: AppLoginHandle.hash(of: "a value"), now: fixture.clock.now
        ).text
        #expect(try await forger.poll() == .expired)
        #expect(fixture.store.values.isEmpty)
        // The control: a handle of the back end.
        try await tab.open(try await app.begin())
        try app.open(try #require(try tab.appSwitchLink))
        let count = fixture.store.values.count
        #expect(try await app.poll() == .pending)
        #expect(fixture.store.values.count == count + 1)
    }

    /// Returns a text, with what its parts in base64url stand for.
    private func unfolded(_ text: String) -> String {
        text.matches(of: /[A-Za-z0-9_-]{20,}/).reduce(into: text) { result, match in
            if let bytes = Base64URL.decode(match.output.utf8.span) {
                result += " " + String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    @Test("the store has neither the cookie, nor the code or the return value of a login; descriptions have no secret")
    func secrets() async throws {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        let link = try await app.begin()
        try await tab.open(link)
        let end = try await tab.post(tab.approved())
        try app.open(end.page.link)
        _ = try await app.poll()
        let cookie = try #require(tab.cookies.first?.split(separator: "=").last)
        let code = try #require(link.split(separator: "=").last)
        let secrets = [String(cookie), String(code), try #require(app.returned)]
        for value in fixture.store.values.map({ unfolded(String(decoding: $0, as: UTF8.self)) }) {
            for secret in secrets { #expect(!value.contains(secret)) }
        }
        // The positive control: in what the tab receives they are found.
        #expect(unfolded(tab.location).contains(secrets[2]) && link.contains(secrets[1]))
        let start = try await fixture.logins.begin(.mitID(), instance: app.instance)
        let opening = try await fixture.logins.opening(query: String(start.link.split(separator: "?")[1]))
        for printed in [start, opening, end, end.page] as [Any] {
            var dumped = ""
            dump(printed, to: &dumped)
            for text in ["\(printed)", dumped] {
                #expect(!text.contains("https") && !text.contains("=") && !text.contains(start.handle))
            }
        }
    }

    @Test("R34 of a hundred concurrent polls one gets the answer, and a login is completed once") func race()
        async throws
    {
        let fixture = try AppLoginFixture()
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        let (form, open) = (tab.approved(), tab)
        let ends = try await withThrowingTaskGroup(of: AppLogin.End?.self) { group in
            for _ in 0..<20 { group.addTask { try? await open.post(form) } }
            return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(ends.count == 1)
        try app.open(try #require(ends.first).page.link)
        let polling = app
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { try await polling.poll() == AppLoginFixture.done } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1)
    }

    /// An app that has begun a login, and the tab that has opened its link, with a store whose response can be lost.
    private func begun(_ steps: StoreSteps) async throws -> (app: AppOnDevice, tab: BrowserTab) {
        let fixture = try AppLoginFixture(steps: steps)
        var (app, tab) = (AppOnDevice(fixture), BrowserTab(fixture))
        try await tab.open(try await app.begin())
        return (app, tab)
    }

    @Test("R34 if a response of the store is lost, polls get the answer at most once, and then expired")
    func lostPolls()
        async throws
    {
        for number in 1...8 {
            let steps = StoreSteps()
            var (app, tab) = try await begun(steps)
            try app.open(try await tab.post(tab.approved()).page.link)
            steps.arm(at: number)
            var answers: [AppLogin.Answer] = []
            let error = try await refusal { answers.append(try await app.poll()) }
            let isSpent = steps.isSpent
            steps.disarm()
            for _ in 0..<2 { answers.append(try await app.poll()) }
            guard isSpent else {
                // The positive control: no response was lost.
                #expect(error == nil && answers == [AppLoginFixture.done, .expired, .expired] && number == 5)
                return
            }
            #expect(error == RelyingPartyError(.storeUnavailable, in: .store), "\(number)")
            #expect(error?.action == .retry, "\(number)")
            // The operations find the login, mark the value, read the answer, and mark it as returned.
            #expect(answers == [number < 4 ? AppLoginFixture.done : .expired, .expired], "\(number)")
        }
        Issue.record("a poll asks its store more than 8 times")
    }

    @Test("R34 if a response of the store is lost at the end of a login, the login has one end or none") func lostEnds()
        async throws
    {
        let lost = RelyingPartyError(.storeUnavailable, in: .store)
        // The operations find the handle, take the login, mark it as used, store the answer, which is tried twice, and look for the mark
        // of a poll.
        let expected: [(error: RelyingPartyError?, again: RelyingPartyError?, answer: AppLogin.Answer)] = [
            (lost, nil, AppLoginFixture.done), (lost, .callback(.stateMismatch), .pending),
            (nil, .callback(.replayed), AppLoginFixture.done), (nil, .callback(.replayed), AppLoginFixture.done),
            (nil, .callback(.replayed), AppLoginFixture.done),
        ]
        for (index, expected) in expected.enumerated() {
            let steps = StoreSteps()
            var (app, tab) = try await begun(steps)
            try app.open(try #require(try tab.appSwitchLink))
            let form = tab.approved()
            steps.arm(at: index + 1)
            let error = try await refusal { try await tab.post(form) }
            #expect(steps.isSpent)
            steps.disarm()
            let again = try await refusal { try await tab.post(form) }
            let answer = try await app.poll()
            #expect(error == expected.error && again == expected.again && answer == expected.answer, "\(index + 1)")
        }
    }

    @Test("R34 an answer that is stored while the app presents its value is found by one of both") func presented()
        async throws
    {
        for number in 1...8 {
            let steps = StoreSteps()
            var (app, tab) = try await begun(steps)
            try app.open(try #require(try tab.appSwitchLink))
            let (form, open) = (tab.approved(), tab)
            let notified = Mutex<Bool?>(nil)
            steps.arm(at: number) {
                let end = try? await open.post(form)
                notified.withLock { $0 = end?.notifiedHandle != nil }
            }
            let answer = try await app.poll()
            guard steps.isSpent else {
                #expect(number > 3)
                return
            }
            #expect(answer == AppLoginFixture.done || notified.withLock { $0 } == true, "\(number)")
            steps.disarm()
        }
        Issue.record("a poll asks its store more than 8 times")
    }
}
