import JOSE
import JOSEDigiD
import JOSEKeySets
import JOSERelyingParty
import JOSESandbox
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Tests of DigiD by OpenID Connect, over the whole flow: the service, the web site, the page that stands for the app, and the
/// host that requires a client certificate.
@Suite("Sandbox: DigiD") struct DigiDTests {
    /// Begins a login with the button, up to the page that stands for the app.
    private func open(_ bench: Bench) async throws -> Surfer {
        var surfer = Surfer(bench)
        await surfer.post(Bench.origin + "/login/digid", [])
        #expect(surfer.title == "DigiD app (sandbox)")
        #expect(surfer.url.hasPrefix("https://app.digid.test:8443/digid-app?data="))
        return surfer
    }

    private func login(
        _ bench: Bench, level: String = "substantieel", pin: String = "12345", decision: String = "approve",
        _ fault: DigiDFault? = nil
    ) async throws -> Surfer {
        var surfer = try await open(bench)
        await surfer.submit([
            "person": "anna", "level": level, "pin": pin, "misbehaviour": fault?.name ?? "", "decision": decision,
        ])
        return surfer
    }

    @Test("a login shows the user's sector and level, and no number (D07)")
    func approve() async throws {
        let bench = try await Bench.shared.value
        for level in ["substantieel", "hoog"] {
            let surfer = try await login(bench, level: level)
            #expect(surfer.title == "You are signed in", "\(surfer.item("failure") ?? "")")
            #expect(surfer.text.contains("<dd>\(level)</dd>"))
            #expect(surfer.text.contains("<dd>bsn</dd>"))
            #expect(surfer.text.firstRange(of: /99900[0-9]{4}/) == nil)
        }
        let low = try await login(bench, level: "midden")
        #expect(low.item("failure") == "acr_too_low")
        let cancelled = try await login(bench, decision: "refuse")
        #expect(cancelled.item("failure") == "user_cancelled")
        #expect(cancelled.item("remedy") == "tellUser")
    }

    @Test("each simulated fault is reported by its own code or as no response, and the user is not signed in")
    func everyRow() async throws {
        let bench = try await Bench.shared.value
        for fault in DigiDFault.allCases {
            var surfer = try await login(bench, fault)
            if let failure = fault.failure {
                #expect(surfer.title == "You are not signed in", "\(fault)")
                #expect(surfer.item("failure") == failure, "\(fault)")
            } else {
                #expect(surfer.url.hasPrefix("https://app.digid.test:8443/"), "\(fault)")
                await surfer.visitingAccount { #expect($0 == "A service", "\(fault)") }
                await surfer.endPendingLogin(fault == .notFound ? "not-opened" : "no-answer")
                let situation: DigiDSituation = fault == .notFound ? .appNotFound : .sessionExpired
                #expect(surfer.item("situation") == "\(situation)", "\(fault)")
            }
        }
    }

    @Test("three wrong PINs end the login, and two do not")
    func pins() async throws {
        let bench = try await Bench.shared.value
        let wrong = ["person": "anna", "level": "hoog", "pin": "54321", "misbehaviour": "", "decision": "approve"]
        var right = wrong
        right["pin"] = "12345"
        var surfer = try await open(bench)
        for left in [2, 1] {
            await surfer.submit(wrong)
            #expect(surfer.text.contains("<span id=\"tries-\(left)\">\(left)</span>"))
        }
        await surfer.submit(right)
        #expect(surfer.title == "You are signed in")
        surfer = try await open(bench)
        for _ in 0..<3 { await surfer.submit(wrong) }
        #expect(surfer.item("failure") == "user_cancelled")
    }

    @Test("the app's page works in one browser, and a callback in another session signs nobody in (R01, D02)")
    func sessions() async throws {
        let bench = try await Bench.shared.value
        let approval = ["person": "anna", "level": "hoog", "pin": "12345", "misbehaviour": "", "decision": "approve"]
        var surfer = try await open(bench)
        let place = surfer.url
        var other = Surfer(bench)
        await other.get(place)
        #expect(other.response.status == 400)
        surfer.forgetCookies(of: Bench.origin)
        await surfer.submit(approval)
        #expect(surfer.item("failure") == "binding_mismatch")
        #expect(try await login(bench).title == "You are signed in")
    }

    @Test("an authorization code is rejected without the registered client certificate (RFC 8705, 2.1)")
    func certificates() async throws {
        let bench = try await Bench.shared.value
        let client = try bench.client("digid")
        let sandbox = bench.sandbox
        let stranger = try TestAuthority().issueClient("service.test").der
        func failure(_ certificate: [UInt8]?) async throws -> RelyingPartyError.Reason? {
            let party = try party(bench, client) { request in
                var request = request
                if request.host == Sandbox.apiHost { request.clientCertificate = certificate }
                return sandbox.answer(request)
            }
            let start = try await party.beginLogin(.digiD(level: .midden))
            var surfer = Surfer(bench)
            surfer.keepsAwayFromService = true
            await surfer.get(start.url)
            await surfer.submit([
                "person": "anna", "level": "hoog", "pin": "12345", "misbehaviour": "", "decision": "approve",
            ])
            let query = String(surfer.url.split(separator: "?", maxSplits: 1)[1])
            do {
                let user = try await party.completeLogin(callback: .query(query), binding: start.binding)
                #expect(user.digiD?.level == .hoog)
                return nil
            } catch { return error.reason }
        }
        #expect(try await failure(sandbox.serviceCertificate.der) == nil)
        #expect("\(try await failure(stranger)!)" == "providerError(invalid_request)")
        #expect("\(try await failure(nil)!)" == "providerError(invalid_request)")
    }

    private func party(
        _ bench: Bench, _ client: TestClient, _ answer: @escaping @Sendable (WebRequest) async -> TransportResponse
    ) throws -> RelyingParty {
        var signing: PrivateKey?
        var decryption: [JWK] = []
        for case .privateKey(let key) in bench.sandbox.serviceKeys.keys {
            if key.use == .signature { signing = key } else { decryption.append(.privateKey(key)) }
        }
        var settings = DigiDOpenIDSettings(issuer: client.issuer)
        // The metadata keys are pinned, as in production.
        settings.metadataKeys = bench.sandbox.digiD.metadataKeys
        return try RelyingParty(
            .digiDOpenID(settings).limited(to: busyTimeLimit), in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(
                id: client.clientID, redirectURI: client.redirectURI,
                credentials: .keys(signing: try #require(signing), decryption: KeySet(decryption))),
            transport: Wire(answer: answer), store: MemoryLoginStore())
    }
}

extension Surfer {
    /// Visits the service's account page with the same cookies.
    fileprivate func visitingAccount(_ body: (String) -> Void) async {
        var copy = self
        await copy.get(Bench.origin + "/account")
        body(copy.title)
    }
    /// Ends the pending login at the service, as a user does who no longer waits.
    mutating func endPendingLogin(_ word: String) async {
        await get(Bench.origin + "/")
        await post(Bench.origin + "/pending-login", [("outcome", word)])
    }
}
