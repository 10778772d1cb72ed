import JOSESandbox
import Testing

/// Every row of the table, at every login of the service: the cases of the providers' specifications, over the whole flow.
@Suite("Logins at the sandbox") struct MisbehaviourTests {
    @Test("each profile signs in who approves, and says so to who refuses, README 1")
    func approveAndRefuse() async throws {
        let bench = try Bench.shared.get()
        #expect(bench.names.count >= 1)
        for name in bench.names {
            let surfer = try await bench.login(name, person: "bo")
            #expect(surfer.title == "You are signed in", "\(name): \(surfer.item("failure") ?? "")")
            // What a person is called is text, whatever it looks like.
            #expect(surfer.text.contains("Bo O&#39;Hara &lt;b&gt;"), "\(name)")
            let refused = try await bench.login(name, decision: "refuse")
            #expect(refused.title == "You are not signed in", "\(name)")
            #expect(refused.item("remedy") == "tellUser", "\(name)")
        }
    }

    @Test("each misbehaviour ends with its own failure, and not signed in, README 6")
    func everyRow() async throws {
        let bench = try Bench.shared.get()
        for name in bench.names {
            let client = try bench.registration(name)
            for fault in Misbehaviour.all(for: client) {
                let surfer = try await bench.login(name, fault)
                let failure = surfer.item("failure") ?? ""
                let expected = fault.row.failure.split(separator: "|").map(String.init)
                #expect(surfer.title == "You are not signed in", "\(name), \(fault)")
                let isExpected = expected.contains(failure)
                #expect(isExpected, "\(name), \(fault): \(failure)")
            }
        }
    }

    @Test("who has the lowest level alone is told so, itsme case 12, zenkey case 16, mitid case 19")
    func level() async throws {
        let bench = try Bench.shared.get()
        for name in bench.names {
            #expect(try await bench.login(name, person: "low").item("failure") == "acrTooLow", "\(name)")
            #expect(try await bench.login(name, person: "anna").title == "You are signed in", "\(name)")
        }
    }

    @Test("a callback in another browser signs nobody in, R01")
    func otherBrowser() async throws {
        let bench = try Bench.shared.get()
        var surfer = Surfer(bench)
        await surfer.post(Bench.origin + "/login/itsme-v2", [])
        surfer.forgetCookies(of: Bench.origin)
        await surfer.submit(["person": "anna", "misbehaviour": "", "decision": "approve"])
        #expect(surfer.item("failure") == "bindingMismatch")
        #expect(try await bench.login("itsme-v2").title == "You are signed in")
    }
}
