import JOSESandbox
import Testing

/// Tests of logins that an app begins and a tab carries out, with an app and a tab that share no cookie.
@Suite("Sandbox: MitID's logins from an app") struct MitIDAppTests {
    private static let app = Bench.origin + "/app/mitid-app"

    /// The browser context of an app that has begun a login, and the one of the tab that has opened its link.
    private func begun(_ bench: Bench, system: String = "android") async throws -> (app: Surfer, tab: Surfer) {
        var (app, tab) = (Surfer(bench), Surfer(bench))
        await app.get(Self.app)
        await app.submit(["switch": system])
        #expect(app.title == "The app: waiting")
        await tab.get(try #require(app.link("tab")))
        return (app, tab)
    }

    private func decide(
        _ tab: inout Surfer, _ decision: String = "approve", fault: Misbehaviour? = nil
    ) async {
        await tab.submit(["person": "bo", "misbehaviour": fault?.name ?? "", "decision": decision])
    }

    @Test(
        "with the app switch and without it, the app learns of the login after its link (MitID case 12, MitID case 45)")
    func users() async throws {
        let bench = try await Bench.shared.value
        for system in ["android", "ios", ""] {
            var (app, tab) = try await begun(bench, system: system)
            await decide(&tab)
            let link = tab.link("app-switch")
            #expect((link == nil) == system.isEmpty)
            if let link {
                await app.get(link)
                #expect(app.title == "The app: waiting")
            }
            await tab.submit([:])
            #expect(tab.title == "The login has finished.")
            if link == nil {
                await app.submit([:])
                #expect(app.title == "The app: waiting")
                await app.get(try #require(tab.link("app")))
            } else {
                await app.submit([:])
            }
            #expect(app.title == "You are signed in" && app.text.contains("Bo O&#39;Hara"), "\(system)")
            // The tab is not signed in.
            await tab.get(Bench.origin + "/account")
            #expect(tab.title == "A service")
        }
    }

    @Test("an app with the value of its link is notified of the end by a push message, and no other (MitID case 12)")
    func pushed() async throws {
        let bench = try await Bench.shared.value
        var (app, tab) = try await begun(bench)
        await decide(&tab)
        await app.get(try #require(tab.link("app-switch")))
        let link = try #require(app.link("push"))
        let waiting = Task { [app] in
            var app = app
            await app.get(link)
            return app
        }
        await tab.submit([:])
        #expect(tab.title == "The login has finished.")
        app = await waiting.value
        #expect(app.title == "The app: notified")
        await app.submit([:])
        #expect(app.title == "You are signed in")
    }

    @Test("the app learns the code of each fault of the broker, and nobody is signed in (MitID case 46)")
    func faults() async throws {
        let bench = try await Bench.shared.value
        for fault in Misbehaviour.all(for: try bench.registration("mitid-app")) {
            var (app, tab) = try await begun(bench, system: "")
            await decide(&tab, fault: fault)
            if tab.title.hasSuffix(": back to the service") { await tab.submit([:]) }
            // A response without the right state is of no login, and the app waits on.
            guard let link = tab.link("app") else {
                #expect(tab.tells(of: fault), "\(fault) \(tab.title) \(tab.item("failure") ?? "")")
                await app.submit([:])
                #expect(app.title == "The app: waiting", "\(fault)")
                continue
            }
            await app.get(link)
            #expect(app.tells(of: fault), "\(fault) \(app.title) \(app.item("failure") ?? "")")
        }
        var (app, tab) = try await begun(bench)
        await decide(&tab, "refuse")
        await tab.submit([:])
        #expect(tab.title == "You have not logged in.")
        await app.get(try #require(tab.link("app")))
        #expect(app.item("remedy") == "tellUser")
    }

    @Test("R50 an attacker's app learns nothing of the login of a victim who opened its link") func victim()
        async throws
    {
        let bench = try await Bench.shared.value
        var (attacker, victim) = (Surfer(bench), Surfer(bench))
        await attacker.get(Self.app)
        await attacker.submit(["switch": "android"])
        // The app of the victim has begun a login of its own.
        await victim.get(Self.app)
        await victim.submit(["switch": "android"])
        await victim.get(try #require(attacker.link("tab")))
        await decide(&victim)
        let link = try #require(victim.link("app-switch"))
        await victim.submit([:])
        for _ in 0..<2 {
            await attacker.submit([:])
            #expect(attacker.title == "The app: waiting")
        }
        await victim.get(link)
        #expect(victim.item("failure") == "invalid_parameter(login)")
        // The control: the app that began the login, with the link.
        await attacker.get(link)
        #expect(attacker.title == "You are signed in")
    }

    @Test("R50 a second opening of a link, and the form in a tab without its cookie, do not end a login") func tabs()
        async throws
    {
        let bench = try await Bench.shared.value
        var (app, thief) = (Surfer(bench), Surfer(bench))
        await app.get(Self.app)
        await app.submit(["switch": "android"])
        let link = try #require(app.link("tab"))
        await thief.get(link)
        var tab = Surfer(bench)
        await tab.get(link)
        #expect(tab.item("failure") == "token_expired")
        await decide(&thief)
        var other = thief
        other.forgetCookies(of: Bench.origin)
        await other.submit([:])
        #expect(other.item("failure") == "binding_mismatch")
        await thief.submit([:])
        #expect(thief.title == "The login has finished.")
        await app.submit([:])
        #expect(app.title == "The app: waiting")
        // The control: with the last link the login ends.
        await app.get(try #require(thief.link("app")))
        #expect(app.title == "You are signed in")
    }
}
