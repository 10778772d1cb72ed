#if SAML
    import JOSEDigiD
    import JOSE
    import JOSESupport
    import JOSECrypto
    import JOSEKeySets
    import JOSESandbox
    import Testing

    /// Tests of logouts at DigiD, which the service begins, and of those that DigiD begins.
    @Suite("Sandbox: logouts at DigiD and by DigiD", .serialized) struct DigiDLogoutTests {
        /// The bench of this suite, whose tests run one after another: DigiD ends the sessions of a user in all
        /// browsers.
        private static let bench = Task { try Bench() }

        private static let logoutPage = "DigiD (sandbox): log out"

        /// Logs in, and signs out up to DigiD's page.
        private func signOut(_ name: String, _ bench: Bench) async -> Surfer {
            var surfer = await Surfer.onDigiD(bench, name, [:])
            #expect(surfer.title == "You are signed in")
            await surfer.submit([:])
            if name.hasSuffix("4") {
                #expect(surfer.title == "Log out")
                await surfer.submit([:])
            }
            #expect(surfer.title == Self.logoutPage, "\(name)")
            return surfer
        }

        private func logOut(
            _ name: String, _ bench: Bench, _ fault: DigiDLogoutFault? = nil, _ decision: String = "logout"
        ) async -> Surfer {
            var surfer = await signOut(name, bench)
            await surfer.submit(["misbehaviour": fault?.name ?? "", "decision": decision])
            if name.hasSuffix("4") { await surfer.submit([:]) }
            return surfer
        }

        @Test("DigiD case 39: each answer to a logout ends with its own code, and the session at the service has ended")
        func answers() async throws {
            let bench = try await Self.bench.value
            for name in Surfer.digiDPages {
                for (decision, result) in [("logout", "loggedOut"), ("partial", "partial"), ("stay", "stillLoggedIn")] {
                    let surfer = await logOut(name, bench, nil, decision)
                    #expect(surfer.title == "You are signed out", "\(name), \(surfer.item("failure") ?? "")")
                    #expect(surfer.item("logout-result") == result, "\(name)")
                    #expect(await surfer.account() == "A service")
                }
                for fault in DigiDLogoutFault.allCases {
                    let surfer = await logOut(name, bench, fault)
                    #expect(surfer.item("failure") == fault.failure, "\(name), \(fault)")
                    let title = fault.failure == nil ? "You are signed out" : "You are signed out here"
                    #expect(surfer.title == title, "\(name), \(fault)")
                    #expect(await surfer.account() == "A service", "\(name), \(fault)")
                }
            }
        }

        @Test("a session at DigiD begins with an assertion, and ends with the logout of its user")
        func sessions() async throws {
            let bench = try Bench()
            for (place, name) in Surfer.digiDPages.enumerated() {
                let cancelled = await Surfer.onDigiD(bench, name, ["decision": "refuse"])
                #expect(cancelled.item("failure") == "user_cancelled" && bench.sandbox.digiD.sessionCounts[place] == 0)
                var counts: [Int] = []
                for decision in ["logout", "stay"] {
                    var surfer = await signOut(name, bench)
                    counts.append(bench.sandbox.digiD.sessionCounts[place])
                    await surfer.submit(["misbehaviour": "", "decision": decision])
                    counts.append(bench.sandbox.digiD.sessionCounts[place])
                }
                #expect(counts == [1, 0, 1, 1], "\(name)")
            }
        }

        @Test("DigiD case 39: a response is accepted once")
        func once() async throws {
            let bench = try await Self.bench.value
            var surfer = await logOut("digid-web-saml3", bench)
            #expect(surfer.item("logout-result") == "loggedOut")
            await surfer.get(surfer.url)
            #expect(surfer.item("failure") == "token_replayed")
            surfer = await signOut("digid-web-saml4", bench)
            await surfer.submit(["misbehaviour": "", "decision": "logout"])
            let page = surfer
            await surfer.submit([:])
            #expect(surfer.item("logout-result") == "loggedOut")
            surfer = page
            await surfer.submit([:])
            #expect(surfer.item("failure") == "token_replayed")
        }

        @Test(
            "DigiD case 40: DigiD accepts the service's logout request, which has no SessionIndex, and no changed one")
        func requests() async throws {
            let bench = try await Self.bench.value
            var surfer = await signOut("digid-web-saml3", bench)
            let url = surfer.url
            let request = try #require(surfer.parameter("SAMLRequest"))
            let deflated = try #require(Base64.decode(Array(request.utf8)))
            let xml = try Deflate.inflate(deflated.span, maximum: 10_000).withBytes { $0.copy() }
            let text = String(decoding: xml, as: UTF8.self)
            #expect(text.contains("<samlp:LogoutRequest") && !text.contains("SessionIndex"))
            await surfer.get(url.replacing("&SigAlg=", with: "&RelayState=x&SigAlg="))
            #expect(surfer.response.status == 404)
            await surfer.get(url)
            #expect(surfer.title == Self.logoutPage)
        }

        @Test("DigiD case 43: a user who logged in with the app signs out at the service only")
        func appLogins() async throws {
            let bench = try await Self.bench.value
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/digid-saml3", [])
            await surfer.submit(Surfer.digiDApproval.merging(["pin": "12345"]) { $1 })
            #expect(surfer.title == "You are signed in")
            await surfer.submit([:])
            #expect(surfer.title == "A service" && surfer.url == Bench.origin + "/")
        }

        /// Lets DigiD ask the service to end the sessions of a person.
        private func ask(
            _ bench: Bench, _ person: String, _ fault: DigiDLogoutRequestFault? = nil, _ send: String = "once"
        ) async -> Surfer {
            var surfer = Surfer(bench)
            await surfer.get("https://digid.test:8443/")
            #expect(surfer.title == "DigiD (sandbox): sessions")
            await surfer.submit(["person": person, "misbehaviour": fault?.name ?? "", "send": send])
            return surfer
        }

        @Test(
            "DigiD case 41, DigiD case 42: a wrong request of DigiD ends no session, and the right one ends those of its user, once"
        )
        func requestsOfDigiD() async throws {
            let bench = try await Self.bench.value
            let first = await Surfer.onDigiD(bench, "digid-web-saml3", [:])
            let second = await Surfer.onDigiD(bench, "digid-web-saml3", [:])
            let other = await Surfer.onDigiD(bench, "digid-web-saml3", ["person": "bo"])
            for fault in DigiDLogoutRequestFault.allCases {
                let asked = await ask(bench, "anna", fault)
                #expect(asked.item("status") == "403" && asked.item("status-answer") == "none", "\(fault)")
                for surfer in [first, second, other] {
                    #expect(await surfer.account() == "You are signed in", "\(fault)")
                }
            }
            // A user without a session is answered in the same way as others.
            let unknown = await ask(bench, "low")
            #expect(unknown.item("status") == "200" && unknown.item("status-answer") == "Success")
            let asked = await ask(bench, "anna", nil, "twice")
            #expect(asked.item("status") == "200" && asked.item("status-answer") == "Success")
            #expect(asked.item("again") == "403" && asked.item("again-answer") == "none")
            #expect(await first.account() == "A service")
            #expect(await second.account() == "A service")
            #expect(await other.account() == "You are signed in")
        }
    }
#endif
