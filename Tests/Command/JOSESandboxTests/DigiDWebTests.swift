#if SAML
    import JOSE
    import JOSESupport
    import JOSECrypto
    import JOSEKeySets
    import JOSESandbox
    import Synchronization
    import TestSupport
    import Testing

    /// Tests of logins on DigiD's web page, over the whole flow: the service, the page, and the resolution of
    /// artifacts.
    @Suite("Sandbox: DigiD's web page by SAML", .serialized) struct DigiDWebTests {
        /// The responses of the bench below to the service. The tests that read them run one after another.
        private static let responses = Mutex<[String]>([])
        private static let watched = Task {
            try Bench(watch: { response in
                responses.withLock { $0.append(String(decoding: response.body, as: UTF8.self)) }
            })
        }

        @Test(
            "DigiD case 34: the page opens for a request whose signature fits the octets that were sent, and for no other"
        )
        func requests() async throws {
            let bench = try await Bench.shared.value
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/digid-web-saml3", [])
            #expect(surfer.title == Surfer.digiDLogin)
            let url = surfer.url
            let request = try #require(surfer.parameter("SAMLRequest"))
            let deflated = try #require(Base64.decode(Array(request.utf8)))
            let xml = try Deflate.inflate(deflated.span, maximum: 10_000).withBytes { $0.copy() }
            #expect(String(decoding: xml, as: UTF8.self).contains("AssertionConsumerServiceIndex=\"1\""))
            for (old, new) in [
                ("rsa-sha256", "rsa-sha1"), ("&RelayState=", "&RelayState=x"), ("SAMLRequest=", "SAMLRequest=A"),
                ("%2B", "%2b"), ("&SigAlg=", "&Another="), ("&Signature=", "&Signature=AAAA"), ("idp/", "v4/idp/"),
            ] {
                let changed = url.replacing(old, with: new)
                guard changed != url else {
                    #expect(old == "%2B", "\(old) is not in the URL")
                    continue
                }
                await surfer.get(changed)
                #expect(surfer.response.status == 404, "\(old)")
            }
            await surfer.get(url)
            #expect(surfer.title == Surfer.digiDLogin)

            await surfer.post(Bench.origin + "/login/digid-web-saml4", [])
            #expect(surfer.title == "Log in with DigiD")
            let form = surfer
            let text = try #require(surfer.hidden("SAMLRequest"))
            let message = String(decoding: try #require(Base64.decode(Array(text.utf8))), as: UTF8.self)
            #expect(message.hasPrefix("<samlp:AuthnRequest") && message.contains("<ds:SignatureValue>"))
            let other = message.replacing("ServiceIndex=\"1\"", with: "ServiceIndex=\"0\"")
            let place = "https://digid.test:8443/saml/v4/idp/request_authentication"
            await surfer.post(place, [("SAMLRequest", Base64.encode(Array(other.utf8).span))])
            #expect(surfer.response.status == 404 && other != message)
            await surfer.get(place + "?SAMLRequest=" + FormFields.encoded(text))
            #expect(surfer.response.status == 404)
            surfer = form
            await surfer.submit([:])
            #expect(surfer.title == Surfer.digiDLogin)
        }

        @Test(
            "DigiD case 36: both interface versions sign in a user who approves; cancelling and a low level have their codes"
        )
        func decisions() async throws {
            let bench = try await Bench.shared.value
            for name in Surfer.digiDPages {
                for level in ["substantieel", "hoog"] {
                    let surfer = await Surfer.onDigiD(bench, name, ["level": level])
                    #expect(surfer.title == "You are signed in", "\(name): \(surfer.item("failure") ?? "")")
                    #expect(surfer.text.contains("<dd>\(level)</dd>"), "\(name)")
                    #expect(surfer.text.firstRange(of: /99900[0-9]{4}/) == nil, "\(name)")
                }
                for level in ["basis", "midden"] {
                    #expect(
                        await Surfer.onDigiD(bench, name, ["level": level]).item("failure") == "acr_too_low", "\(name)")
                }
                let cancelled = await Surfer.onDigiD(bench, name, ["decision": "refuse"])
                #expect(cancelled.item("failure") == "user_cancelled" && cancelled.item("remedy") == "tellUser")
                #expect(await cancelled.account() == "A service")
            }
        }

        @Test(
            "DigiD case 35, DigiD case 37, DigiD case 38: each wrong way back, and each wrong assertion, ends with its own code, and the right one signs in"
        )
        func misbehaviours() async throws {
            let bench = try await Bench.shared.value
            for name in Surfer.digiDPages {
                let rows =
                    DigiDWebFault.allCases.map { ($0.name, $0.failure ?? "") }
                    + DigiDSituations.resolution.map { ($0.name, $0.failure ?? "") }
                for (fault, failure) in rows {
                    var surfer = await Surfer.onDigiD(bench, name, ["misbehaviour": fault])
                    if fault == DigiDWebFault.post.name { await surfer.submit([:]) }
                    #expect(surfer.title == "You are not signed in", "\(name), \(fault)")
                    #expect(surfer.item("failure") == failure, "\(name), \(fault)")
                    #expect(await surfer.account() == "A service", "\(name), \(fault)")
                }
                #expect(await Surfer.onDigiD(bench, name, [:]).title == "You are signed in", "\(name)")
            }
        }

        @Test("DigiD case 38: an artifact without the browser's cookie is not resolved, and an artifact is used once")
        func cookies() async throws {
            let bench = try await Self.watched.value
            func resolved() -> Int { Self.responses.withLock { $0.count } }
            for name in Surfer.digiDPages {
                let before = resolved()
                var surfer = await Surfer.openDigiD(bench, name)
                var copy = surfer
                copy.forgetCookies(of: Bench.origin)
                await copy.submit(Surfer.digiDApproval)
                #expect(copy.item("failure") == "state_mismatch")
                #expect(resolved() == before, "\(name)")
                // The page was answered in the other browser, so that the user begins again.
                surfer = await Surfer.openDigiD(bench, name)
                surfer.keepsAwayFromService = true
                await surfer.submit(Surfer.digiDApproval)
                surfer.keepsAwayFromService = false
                let callback = surfer.url
                await surfer.get(callback)
                #expect(surfer.title == "You are signed in" && resolved() == before + 1, "\(name)")
                await surfer.get(callback)
                #expect(surfer.item("failure") == "state_mismatch" && resolved() == before + 1, "\(name)")
            }
        }

        @Test("R41 the sandbox's response has each element and attribute of the sample in DigiD's specification")
        func sample() async throws {
            let bench = try await Self.watched.value
            #expect(await Surfer.onDigiD(bench, "digid-web-saml3", [:]).title == "You are signed in")
            let sample = try #require(try ProviderSample("digid/artifact-response").message.string)
            let sent = Self.names(in: try #require(Self.responses.withLock { $0.last }))
            #expect(Self.names(in: sample).isSubset(of: sent))
            // The envelope and the signatures, which the sample leaves out.
            let more = sent.subtracting(Self.names(in: sample)).filter {
                !$0.hasPrefix("ds:") && !$0.hasPrefix("soapenv:")
            }
            #expect(more == [])
        }

        /// Returns the names of the elements, and of the attributes with their elements, without declarations of
        /// namespaces.
        private static func names(in xml: String) -> Set<String> {
            var names: Set<String> = []
            for tag in xml.matches(of: /<([a-z]+:[A-Za-z]+)([^>]*)>/) {
                let element = String(tag.output.1)
                names.insert(element)
                for attribute in tag.output.2.matches(of: /([A-Za-z:]+)="/) where !attribute.output.1.hasPrefix("xmlns")
                {
                    names.insert(element + "@" + attribute.output.1)
                }
            }
            return names
        }
    }

    extension Surfer {
        static let digiDPages = ["digid-web-saml3", "digid-web-saml4"]
        static let digiDLogin = "DigiD (sandbox): log in"
        static let digiDApproval = [
            "person": "anna", "level": "substantieel", "misbehaviour": "", "decision": "approve",
        ]

        /// Begins a login with the button, up to DigiD's page.
        static func openDigiD(_ bench: Bench, _ name: String) async -> Surfer {
            var surfer = Surfer(bench)
            await surfer.post(Bench.origin + "/login/\(name)", [])
            // In the later generation a form brings the request.
            if name.hasSuffix("4") { await surfer.submit([:]) }
            #expect(surfer.title == Self.digiDLogin, "\(name)")
            return surfer
        }

        /// Logs in on DigiD's page, with other fields than those of an approval.
        static func onDigiD(_ bench: Bench, _ name: String, _ fields: [String: String]) async -> Surfer {
            var surfer = await openDigiD(bench, name)
            await surfer.submit(digiDApproval.merging(fields) { $1 })
            return surfer
        }
    }
#endif
