import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSESandbox
import JOSETokens
import Testing

/// Tests of logins that the service begins at MitID's broker, and polls for once the browser is back.
@Suite("Sandbox: back-channel logins") struct BackChannelTests {
    private static let name = "mitid-ciba"

    @Test(
        "a user who approves is signed in, a cancellation is shown, and another browser's return signs nobody in (R06)"
    )
    func button() async throws {
        let bench = try Bench.withoutPauses()
        let approved = try await bench.login(Self.name, person: "bo")
        #expect(approved.title == "You are signed in", "\(approved.item("failure") ?? "")")
        #expect(approved.text.contains("Bo O&#39;Hara &lt;b&gt;"))
        #expect(approved.url == Bench.origin + "/account")
        let refused = try await bench.login(Self.name, decision: "refuse")
        #expect(refused.item("remedy") == "tellUser" && refused.title == "You are not signed in")
        #expect(try await bench.login(Self.name, person: "low").item("failure") == "acr_too_low")
        #expect(try await bench.login(Self.name, forgetsCookies: true).item("failure") == "binding_mismatch")
        var again = try await bench.login(Self.name, decision: "refuse")
        await again.get(again.url)
        #expect(again.item("failure") == "token_replayed")
        #expect(try await bench.login(Self.name).title == "You are signed in")
    }

    @Test("each fault that the provider simulates in a back-channel login is reported by its own code") func everyRow()
        async throws
    {
        let bench = try Bench.withoutPauses()
        let client = try bench.registration(Self.name)
        let faults = Misbehaviour.all(for: client)
        #expect(faults.contains(.tampered) && faults.contains(.otherSubject) && !faults.contains(.twoCodes))
        for fault in faults {
            let surfer = try await bench.login(Self.name, fault)
            #expect(surfer.tells(of: fault), "\(fault): \(surfer.item("failure") ?? "")")
        }
        let absent = try await bench.login(Self.name, .twoCodes)
        #expect(absent.title == "MitID (sandbox): this request is refused")
    }

    private func broker(_ bench: Bench, _ clock: BenchClock) throws -> RelyingParty {
        let client = try bench.client("mitid")
        let sandbox = bench.sandbox
        return try RelyingParty(
            .mitIDBackChannel().limited(to: busyTimeLimit), in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(
                id: client.clientID, redirectURI: client.redirectURI, credentials: .secret(try #require(client.secret))),
            transport: Wire { sandbox.answer($0) }, store: MemoryLoginStore(), clock: clock.reading)
    }

    /// Returns what the browser brings back to the service once its user has decided.
    private func decided(_ decision: String, _ start: AuthorizationRequest, _ bench: Bench) async throws
        -> AuthorizationCallback
    {
        var surfer = Surfer(bench)
        surfer.keepsAwayFromService = true
        await surfer.get(start.url)
        #expect(surfer.title == "MitID (sandbox): log in")
        await surfer.submit(["person": "anna", "misbehaviour": "", "decision": decision])
        return .query(String(surfer.url.split(separator: "?", maxSplits: 1)[1]))
    }

    private func openID(_ bench: Bench, _ clock: BenchClock) throws -> RelyingParty {
        let client = try bench.client("openid")
        let sandbox = bench.sandbox
        let keys = sandbox.serviceKeys.keys.compactMap { key in
            if case .privateKey(let key) = key, key.use == .signature { key } else { nil }
        }
        return try RelyingParty(
            .openID(issuer: client.issuer).limited(to: busyTimeLimit), in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(
                id: client.clientID, redirectURI: client.redirectURI,
                credentials: .keys(signing: try #require(keys.first))),
            transport: Wire { sandbox.answer($0) }, store: MemoryLoginStore(), clock: clock.reading)
    }

    @Test(
        "a person decides on the page in place of a device, and polls return the result (OpenID Connect CIBA, 7 to 11)")
    func polled() async throws {
        let clock = BenchClock()
        let bench = try Bench(clock: clock.reading)
        let party = try openID(bench, clock)
        let session = "the secret of a session"
        for decision in ["approve", "refuse"] {
            var request = LoginRequest()
            request["login_hint"] = "anna"
            request.bindingMessage = "Order 4711 <b>"
            let login = try await party.beginBackChannelLogin(request, session: session)
            clock.pass(.seconds(3))
            #expect(try await party.poll(login.handle, session: session).user == nil)
            var surfer = Surfer(bench)
            await surfer.get(try bench.client("openid").issuer + "/sandbox/approval?person=anna")
            #expect(surfer.text.contains("Order 4711 &lt;b&gt;"))
            await surfer.submit(["person": "anna", "misbehaviour": "", "decision": decision])
            clock.pass(.seconds(3))
            if decision == "approve" {
                #expect(try await party.poll(login.handle, session: session).user != nil)
            } else {
                await #expect(throws: RelyingPartyError(.cancelled, in: .tokenResponse)) {
                    try await party.poll(login.handle, session: session)
                }
            }
        }
        var unknown = LoginRequest()
        unknown["login_hint"] = "nobody"
        let code = try #require(ProviderErrorCode("unknown_user_id"))
        await #expect(throws: RelyingPartyError(.providerError(code), in: .pushedRequest)) {
            try await party.beginBackChannelLogin(unknown, session: session)
        }
    }

    @Test(
        "polling for a back-channel login begins when its browser is back (OpenID Connect CIBA, 7 to 11)")
    func backChannel() async throws {
        let clock = BenchClock()
        let bench = try Bench(clock: clock.reading)
        let party = try broker(bench, clock)
        for decision in ["approve", "refuse"] {
            let start = try await party.beginMitIDBackChannelLogin(.mitID(level: .substantial))
            let other = try await party.beginMitIDBackChannelLogin(.mitID(level: .substantial))
            let callback = try await decided(decision, start, bench)
            let login = try await party.resumeMitIDBackChannelLogin(callback: callback, binding: start.binding)
            #expect(login.interval == .seconds(3))
            #expect(try await party.poll(login.handle, session: start.binding).user == nil)
            clock.pass(.seconds(3))
            if decision == "approve" {
                let user = try #require(try await party.poll(login.handle, session: start.binding).user)
                #expect(user.mitID != nil)
                await #expect(throws: RelyingPartyError(.replayed, in: .tokenResponse)) {
                    try await party.poll(login.handle, session: start.binding).user
                }
            } else {
                await #expect(throws: RelyingPartyError.self) {
                    try await party.poll(login.handle, session: start.binding).user
                }
            }
            // The login of one browser is brought by another.
            let stolen = try await decided(decision, other, bench)
            await #expect(throws: RelyingPartyError(.bindingMismatch, in: .callback)) {
                try await party.resumeMitIDBackChannelLogin(callback: stolen, binding: start.binding)
            }
        }
        let start = try await party.beginMitIDBackChannelLogin(.mitID())
        let callback = try await decided("approve", start, bench)
        let late = try await party.resumeMitIDBackChannelLogin(callback: callback, binding: start.binding)
        clock.pass(.seconds(301))
        await #expect(throws: RelyingPartyError(.expired, in: .tokenResponse)) {
            try await party.poll(late.handle, session: start.binding)
        }
    }
}
