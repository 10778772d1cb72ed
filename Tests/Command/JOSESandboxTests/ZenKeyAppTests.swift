import JOSEKeySets
import JOSESandbox
import Testing

/// Tests of logins that an app with ZenKey's SDK performs, and hands over to its service.
@Suite("Sandbox: ZenKey's logins by an app") struct ZenKeyAppTests {
    /// Logs in from the service's button to the last page of the app.
    private func login(
        _ bench: Bench, carrier: String = "001001", person: String = "anna", decision: String = "approve",
        _ fault: ZenKeyAppFault? = nil, carrierFault: Misbehaviour? = nil
    ) async -> Surfer {
        var surfer = Surfer(bench)
        await surfer.post(Bench.origin + "/login/zenkey-app", [])
        #expect(surfer.title == "An app (sandbox)")
        await surfer.submit(["carrier": carrier, "misbehaviour": fault?.name ?? ""])
        await surfer.submit(["person": person, "misbehaviour": carrierFault?.name ?? "", "decision": decision])
        return surfer
    }

    @Test("the service completes a login with the verifier of the app, at both carriers (ZenKey case 29)")
    func users() async throws {
        let bench = try await Bench.shared.value
        for carrier in ["310410", "001001"] {
            let surfer = await login(bench, carrier: carrier, person: "bo")
            #expect(surfer.title == "You are signed in", "\(surfer.item("failure") ?? "")")
            #expect(surfer.text.contains("Bo O&#39;Hara &lt;b&gt;"))
        }
        #expect(await login(bench, person: "low").item("failure") == "acr_too_low")
        let refused = await login(bench, decision: "refuse")
        #expect(refused.item("cancelled") == "in the app" && refused.title == "You are not signed in")
    }

    @Test(
        "each fault of the app ends with its own code, and its members with URLs are ignored (ZenKey case 30, ZenKey case 31, ZenKey case 32, ZenKey case 33, ZenKey case 34, ZenKey case 35, ZenKey case 36)"
    )
    func faults() async throws {
        let bench = try await Bench.shared.value
        for fault in ZenKeyAppFault.allCases {
            let surfer = await login(bench, fault)
            #expect(surfer.item("failure") == fault.failure, "\(fault)")
            #expect((surfer.title == "You are signed in") == (fault.failure == nil), "\(fault)")
        }
    }

    @Test("the tokens of a login by an app are checked as those of any other (ZenKey case 32)")
    func tokens() async throws {
        let bench = try await Bench.shared.value
        for fault in [
            Misbehaviour.wrongNonce, .missingNonce, .wrongIssuer, .strangersKey, .otherSubject, .codeRefused,
        ] {
            let surfer = await login(bench, carrierFault: fault)
            #expect(surfer.item("failure") == fault.failure, "\(fault)")
        }
        #expect(await login(bench).title == "You are signed in")
    }

    @Test("the callback of the app belongs to one device and is used once")
    func devices() async throws {
        let bench = try await Bench.shared.value
        var surfer = Surfer(bench)
        await surfer.post(Bench.origin + "/login/zenkey-app", [])
        await surfer.submit(["carrier": "001001", "misbehaviour": ""])
        var other = surfer
        other.forgetCookies(of: "https://zenkey-app.test:8443")
        let form = ["person": "anna", "misbehaviour": "", "decision": "approve"]
        await surfer.submit(form)
        #expect(surfer.title == "You are signed in")
        let callback = surfer.url
        await surfer.get(callback)
        #expect(surfer.title == "You are not signed in")
        await other.get(callback)
        #expect(other.title == "You are not signed in")
    }
}
