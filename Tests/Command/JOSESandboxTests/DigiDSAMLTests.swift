#if SAML
    import Foundation
    import JOSEKeySets
    import JOSEDigiD
    import JOSERelyingParty
    import JOSESandbox
    import Synchronization
    import TestSupport
    import Testing

    /// Tests of DigiD by SAML, over the whole flow: the service, the page that stands for the app, and the resolution of
    /// artifacts.
    @Suite("Sandbox: DigiD by SAML") struct DigiDSAMLTests {
        private static let interfaces = ["digid-saml3", "digid-saml4"]

        /// Begins a login with the button, up to the page that stands for the app.
        private func open(_ name: String, _ bench: Bench) async -> Surfer {
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/\(name)", [])
            #expect(surfer.title == "DigiD app (sandbox)", "\(name)")
            #expect(surfer.url.hasPrefix("https://app.digid.test:8443/digid-app?app-app="))
            return surfer
        }

        private static func answer(
            level: String = "substantieel", pin: String = "12345", decision: String = "approve",
            _ situation: DigiDSituations? = nil
        ) -> [String: String] {
            [
                "person": "anna", "level": level, "pin": pin, "misbehaviour": situation?.name ?? "",
                "decision": decision,
            ]
        }

        private func login(
            by name: String, _ answers: [[String: String]] = [Self.answer()], forgetsCookies: Bool = false
        ) async throws -> Surfer {
            var surfer = await open(name, try await Bench.shared.value)
            if forgetsCookies { surfer.forgetCookies(of: Bench.origin) }
            for answer in answers { await surfer.submit(answer) }
            return surfer
        }

        @Test(
            "both interface versions sign in a user who approves, and show sector and level but no number"
        )
        func approve() async throws {
            for name in Self.interfaces {
                for level in ["substantieel", "hoog"] {
                    let surfer = try await login(by: name, [Self.answer(level: level)])
                    #expect(surfer.title == "You are signed in", "\(name): \(surfer.item("failure") ?? "")")
                    #expect(surfer.text.contains("<dd>\(level)</dd>"), "\(name)")
                    #expect(surfer.text.firstRange(of: /99900[0-9]{4}/) == nil, "\(name)")
                }
                // No login of this session is pending.
                #expect(try await login(by: name, forgetsCookies: true).item("failure") == "state_mismatch", "\(name)")
            }
        }

        @Test("each situation that the provider simulates ends with its documented outcome")
        func misbehaviours() async throws {
            for (place, name) in Self.interfaces.enumerated() {
                for situation in DigiDSituations.allCases {
                    let surfer = try await login(by: name, [Self.answer(situation)])
                    guard let failures = situation.failure?.split(separator: "|").map(String.init) else {
                        #expect(surfer.url.hasPrefix("https://app.digid.test:8443/"), "\(name), \(situation)")
                        continue
                    }
                    #expect(surfer.title == "You are not signed in", "\(name), \(situation)")
                    let failure = surfer.item("failure") ?? ""
                    let isExpected = failure == failures[min(place, failures.count - 1)]
                    #expect(isExpected, "\(name), \(situation): \(failure)")
                }
            }
        }

        @Test(
            "DigiD case 44: the page of the return URL links to the app with the value byte for byte, and uses nothing up; another value is refused"
        )
        func returnPage() async throws {
            let bench = try await Bench.shared.value
            for name in Self.interfaces {
                var surfer = await open(name, bench)
                await surfer.submit(Self.answer().merging(["opens": "browser"]) { $1 })
                #expect(surfer.title == "Return to the app", "\(name)")
                let parts = surfer.url.split(separator: "?", maxSplits: 1).map(String.init)
                #expect(parts[0] == "\(Bench.origin)/return/\(name)")
                #expect(surfer.text.contains("<a id=\"app\" href=\"bulla-demo://return?\(parts[1])\">"), "\(name)")
                #expect(surfer.response.header("Cache-Control") == "no-store")
                #expect(surfer.response.header("Referrer-Policy") == "no-referrer")
                #expect(surfer.response.header("Content-Security-Policy")?.hasPrefix("default-src 'none';") == true)
                var other = Surfer(bench)
                await other.get(surfer.url)
                #expect(other.title == "Return to the app")
                #expect(await other.account() == "A service")
                for value in ["%22%3E%3Cscript%3E", "javascript:alert(1)", ""] {
                    await other.get("\(parts[0])?app-app=\(value)")
                    #expect(other.title == "You are not signed in" && !other.text.contains("<script"), "\(value)")
                }
                // The app sends the value to the service, which finds the login of its session.
                await surfer.get("\(Bench.origin)/callback/\(name)?\(parts[1])")
                #expect(surfer.title == "You are signed in", "\(name): \(surfer.item("failure") ?? "")")
            }
        }

        /// The situations: the actions of the user on the app's page, the outcome that the user reports to the service if no
        /// answer comes, and the result.
        private static let ten:
            [(
                number: String, answers: [[String: String]], silence: String?, situation: DigiDSituation,
                advice: DigiDAdvice
            )] = [
                ("5.1", [answer(.notFound)], "not-opened", .appNotFound, .offerApp),
                ("5.2", [answer(.notActivated)], nil, .notActivated, .explainActivation),
                ("5.3", [answer(level: "midden")], nil, .levelTooLow, .explainLevel),
                ("5.4", [answer(.switchedOff)], nil, .switchedOff, .offerAnotherWay),
                ("5.5", [answer(.switchedOffForService)], nil, .switchedOffForService, .showFault),
                // No answer comes; one release of the app has an error code for it.
                ("5.6", [answer(.returnURLUnknown)], "no-answer", .sessionExpired, .offerAgain),
                ("5.6", [answer(.returnURLTold)], nil, .returnURLUnknown, .showFault),
                ("5.7", Array(repeating: answer(pin: "54321"), count: 3), nil, .pinBlocked, .explainActivation),
                ("5.8", [answer(decision: "refuse")], nil, .cancelled, .tellCancelled),
                ("5.9", [answer(.silence)], "no-answer", .sessionExpired, .offerAgain),
                ("5.10", [answer(.fault)], nil, .technicalFault, .showFault),
            ]

        @Test("each of the ten failure situations shows its advice, and a later login succeeds (DigiD, 5.1 to 5.10)")
        func situations() async throws {
            for name in Self.interfaces {
                for row in Self.ten {
                    var surfer = try await login(by: name, row.answers)
                    if let silence = row.silence {
                        #expect(surfer.url.hasPrefix("https://app.digid.test:8443/"), "\(name), \(row.number)")
                        await surfer.endPendingLogin(silence)
                    }
                    #expect(surfer.title == "You are not signed in", "\(name), \(row.number)")
                    // In the later generation a rejection has no detail.
                    let isPlain = name == "digid-saml4" && row.number == "5.4"
                    let situation = isPlain ? DigiDSituation.technicalFault : row.situation
                    let advice = isPlain ? DigiDAdvice.showFault : row.advice
                    #expect(surfer.item("situation") == "\(situation)", "\(name), \(row.number)")
                    #expect(surfer.item("advice") == "\(advice)", "\(name), \(row.number)")
                    #expect(await surfer.account() == "A service")
                    await surfer.post(Bench.origin + "/login/\(name)", [])
                    await surfer.submit(Self.answer())
                    #expect(surfer.title == "You are signed in", "\(name), \(row.number)")
                }
            }
        }

        /// Opens the app by the link of a login whose envelope was changed.
        private func opened(_ name: String, _ change: (inout [String: String]) -> Void) async throws -> Surfer {
            var surfer = await open(name, try await Bench.shared.value)
            let parts = surfer.url.split(separator: "=", maxSplits: 1).map(String.init)
            let data = try #require(Data(base64Encoded: parts[1]))
            var envelope = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
            change(&envelope)
            let changed = try JSONSerialization.data(withJSONObject: envelope, options: .withoutEscapingSlashes)
            await surfer.get(parts[0] + "=" + changed.base64EncodedString().replacing("+", with: "%2B"))
            return surfer
        }

        @Test("a return URL that differs by one letter gets no response, and the registered one does (DigiD, 5.6)")
        func returnURLs() async throws {
            for name in Self.interfaces {
                for (old, new) in [(name, name), (name, name + "/"), (name, name + "?a"), ("https:", "HTTPS:")] {
                    let surfer = try await opened(name) {
                        $0["ReturnUrl"] = $0["ReturnUrl"]?.replacing(old, with: new)
                    }
                    let title = old == new ? "DigiD app (sandbox)" : "DigiD (sandbox): refused"
                    #expect(surfer.title == title, "\(name), \(new)")
                    #expect(surfer.text.contains("The return address is not registered.") == (old != new))
                }
            }
        }

        @Test("a request with another algorithm or an invalid signature is rejected")
        func signatures() async throws {
            let legacy = "http://www.w3.org/2000/09/xmldsig#"
            let changes: [(inout [String: String]) -> Void] = [
                { $0["SigAlg"] = legacy + "rsa-sha1" }, { $0["SigAlg"] = legacy + "rsa-sha256" },
                { $0["SigAlg"] = nil }, { $0["Signature"] = nil }, { $0["RelayState"] = "other" },
                { $0["RelayState"] = nil }, { $0["Signature"] = String(repeating: "A", count: 342) + "==" },
                { ($0["SigAlg"], $0["Signature"]) = (nil, nil) },
            ]
            #expect(try await opened("digid-saml3") { _ in }.title == "DigiD app (sandbox)")
            for (place, change) in changes.enumerated() {
                #expect(try await opened("digid-saml3", change).title == "DigiD (sandbox): refused", "\(place)")
            }
            // In this generation the signature is in the request, and RelayState is required.
            for (change, title) in [
                ({ _ in }, "DigiD app (sandbox)"), ({ $0["RelayState"] = nil }, "DigiD (sandbox): refused"),
                ({ $0["SAMLRequest"] = $0["SAMLRequest"].map { "AAAA" + $0 } }, "DigiD (sandbox): refused"),
            ] as [((inout [String: String]) -> Void, String)] {
                #expect(try await opened("digid-saml4", change).title == title)
            }
        }

        @Test("the service's timeout ends a login after 15 minutes, and a later response finds no login (DigiD, 5.9)")
        func timer() async throws {
            let late = Mutex(0.0)
            let bench = try Bench(elapsed: { late.withLock { $0 } })
            for name in Self.interfaces + ["digid"] {
                var surfer = Surfer(bench)
                await surfer.post(Bench.origin + "/login/\(name)", [])
                late.withLock { $0 += 899 }
                await surfer.get(Bench.origin + "/")
                #expect(surfer.title == "A service" && surfer.text.contains("is under way"))
                late.withLock { $0 += 1 }
                await surfer.get(Bench.origin + "/")
                #expect(surfer.item("situation") == "sessionExpired", "\(name)")
                // It is reported once.
                await surfer.get(Bench.origin + "/")
                #expect(surfer.title == "A service" && !surfer.text.contains("is under way"))
            }
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/digid-saml3", [])
            let link = surfer.url
            await surfer.endPendingLogin("no-answer")
            #expect(surfer.item("failure") == "session_expired")
            await surfer.get(link)
            await surfer.submit(Self.answer())
            #expect(surfer.item("failure") == "state_mismatch")
        }

        @Test("D08: an artifact is resolved only for a client with the registered certificate")
        func certificates() async throws {
            let bench = try await Bench.shared.value
            let stranger = try TestAuthority().issueClient("service.test").der
            let registered = bench.sandbox.serviceCertificate.der
            for path in ["/saml/idp/resolve_artifact", "/saml/v4/idp/resolve_artifact"] {
                // With the certificate the sandbox reads the request, and cannot parse it.
                for (certificate, status) in [(nil, 403), (stranger, 403), (registered, 404)] as [([UInt8]?, Int)] {
                    var request = WebRequest(
                        "POST", authority: "\(Sandbox.apiHost):9443", target: path, body: Array("<x/>".utf8))
                    request.clientCertificate = certificate
                    #expect(await bench.sandbox.respond(request).status == status, "\(path)")
                }
            }
        }

        @Test("only a pending login can be ended, and a login whose user returned is no longer pending")
        func nobodyWaits() async throws {
            var surfer = Surfer(try await Bench.shared.value)
            await surfer.endPendingLogin("no-answer")
            #expect(surfer.response.status == 404)
            await surfer.post(Bench.origin + "/login/digid-saml3", [])
            let page = surfer
            await surfer.get(Bench.origin + "/")
            #expect(surfer.text.contains("is under way"))
            await surfer.post(Bench.origin + "/pending-login", [("outcome", "else")])
            #expect(surfer.response.status == 404)
            surfer = page
            await surfer.submit(Self.answer())
            #expect(surfer.title == "You are signed in")
            await surfer.endPendingLogin("no-answer")
            #expect(surfer.response.status == 404)
        }
    }

    extension Surfer {
        /// Returns the title of the service's account page, or of the page that it returns to others.
        func account() async -> String {
            var copy = self
            await copy.get(Bench.origin + "/account")
            return copy.title
        }
    }
#endif
