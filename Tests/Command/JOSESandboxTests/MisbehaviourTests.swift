import JOSESandbox
import Testing

/// Tests of every row of the table, at every login of the service, over the whole flow.
@Suite("Sandbox: logins") struct MisbehaviourTests {
    @Test("each profile signs in a user who approves, and shows a cancellation")
    func approveAndRefuse() async throws {
        let bench = try await Bench.shared.value
        #expect(
            bench.names == [
                "itsme-v1", "itsme-v1-nested", "itsme-v2", "itsme-v2-reference", "itsme-now-key", "itsme-now-secret",
                "zenkey", "mitid", "mitid-pushed", "mitid-business", "altid", "openid", "entra",
            ])
        for name in bench.names {
            let surfer = try await bench.login(name, person: "bo")
            #expect(surfer.title == "You are signed in", "\(name): \(surfer.item("failure") ?? "")")
            // The name of a person is text, whatever characters it has.
            #expect(surfer.text.contains("Bo O&#39;Hara &lt;b&gt;"), "\(name)")
            let refused = try await bench.login(name, decision: "refuse")
            #expect(refused.title == "You are not signed in", "\(name)")
            #expect(refused.item("remedy") == "tellUser", "\(name)")
        }
    }

    @Test("each fault that the provider simulates is reported by its own code, and the user is not signed in")
    func everyRow() async throws {
        let bench = try await Bench.shared.value
        for name in bench.names {
            let client = try bench.registration(name)
            for fault in Misbehaviour.all(for: client) {
                let surfer = try await bench.login(name, fault)
                #expect(surfer.tells(of: fault), "\(name), \(fault): \(surfer.item("failure") ?? "")")
            }
        }
    }

    @Test("a user with the lowest level is rejected with acr_too_low")
    func level() async throws {
        let bench = try await Bench.shared.value
        // The wallet AltID and Entra ID state no level.
        for name in bench.names where !["altid", "entra"].contains(name) {
            #expect(try await bench.login(name, person: "low").item("failure") == "acr_too_low", "\(name)")
            #expect(try await bench.login(name, person: "anna").title == "You are signed in", "\(name)")
        }
    }

    @Test("a callback in another browser signs nobody in (R01)")
    func otherBrowser() async throws {
        let bench = try await Bench.shared.value
        for name in bench.names {
            let surfer = try await bench.login(name, forgetsCookies: true)
            #expect(surfer.item("failure") == "binding_mismatch", "\(name)")
            #expect(try await bench.login(name).title == "You are signed in", "\(name)")
        }
    }

    @Test("a login succeeds with both carriers, each with its own issuer")
    func carriers() async throws {
        let bench = try await Bench.shared.value
        var issuers: Set<String> = []
        for carrier in ["310410", "001001"] {
            let surfer = try await bench.login("zenkey", carrier: carrier)
            #expect(surfer.title == "You are signed in")
            for host in ["carrier-one.test", "carrier-two.test"] where surfer.text.contains("https://\(host):8443<") {
                issuers.insert(host)
            }
        }
        #expect(issuers.count == 2)
    }

    @Test("SameSite is None for the cookie of a form_post login, and Lax for all others")
    func cookies() async throws {
        let bench = try await Bench.shared.value
        for name in bench.names {
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/\(name)", [])
            let isPosted = try bench.client(name).answersByPost
            #expect(
                surfer.lastCookie(of: Bench.origin)?.contains("SameSite=\(isPosted ? "None" : "Lax");") == true,
                "\(name)")
        }
    }
}
