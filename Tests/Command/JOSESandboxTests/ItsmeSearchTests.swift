import JOSE
import JOSEKeySets
import JOSESandbox
import JOSESupport
import JOSETesting
import TestSupport
import Testing

/// Tests of logins that the service begins at itsme, once the user has scanned a code with the app.
@Suite("Sandbox: itsme's logins by a code") struct ItsmeSearchTests {
    private static let name = "itsme-ciba"

    /// Scans the code that a page of the service shows, and returns the app's next page.
    private func scan(
        _ service: Surfer, _ bench: Bench, person: String = "anna", _ fault: SearchFault? = nil
    ) async throws -> Surfer {
        let link = try #require(service.codeLink)
        var app = Surfer(bench)
        await app.get(link)
        let code = try #require(app.parameter("code"))
        await app.submit(["code": code, "person": person, "misbehaviour": fault?.name ?? ""])
        return app
    }

    /// Logs in from the button to the last page, as a user does with a browser and the app.
    private func login(
        _ bench: Bench, person: String = "anna", decision: String = "approve", search: SearchFault? = nil,
        _ fault: Misbehaviour? = nil
    ) async throws -> Surfer {
        var service = Surfer(bench)
        await service.post(Bench.origin + "/login/\(Self.name)", [])
        var app = try await scan(service, bench, person: person, search)
        #expect(app.title == "itsme (sandbox): scanned")
        await service.submit([:])
        if search == .tooMany {
            #expect(service.title == "Scan this code")
            await service.submit([:])
        }
        guard service.title == "Confirm in the app" else { return service }
        await app.get(try #require(app.link("approval")))
        await app.submit(["person": person, "misbehaviour": fault?.name ?? "", "decision": decision])
        await service.submit([:])
        return service
    }

    @Test(
        "a user who scans the code and approves is signed in, and a cancellation and a low level are shown (itsme case 37)"
    )
    func users() async throws {
        let bench = try Bench.withoutPauses()
        let approved = try await login(bench, person: "bo")
        #expect(approved.title == "You are signed in", "\(approved.item("failure") ?? "")")
        #expect(approved.text.contains("Bo O&#39;Hara &lt;b&gt;"))
        #expect(try await login(bench, decision: "refuse").item("remedy") == "tellUser")
        #expect(try await login(bench, person: "low").item("failure") == "acr_too_low")
    }

    @Test("the code is a new one at each poll, and the service waits until the user has decided (itsme case 37)")
    func waiting() async throws {
        let bench = try Bench.withoutPauses()
        var service = Surfer(bench)
        await service.post(Bench.origin + "/login/\(Self.name)", [])
        let first = try #require(service.codeLink)
        #expect(service.response.header("Content-Security-Policy")?.hasSuffix("; img-src data:") == true)
        await service.submit([:])
        #expect(service.title == "Scan this code" && service.codeLink != first)
        var app = try await scan(service, bench)
        // A code is scanned once, and the page belongs to one browser.
        #expect(try await scan(service, bench).response.status == 400)
        var other = Surfer(bench)
        await other.post(Bench.origin + "/continue/\(Self.name)", [])
        #expect(other.response.status == 404)
        for _ in 0..<2 {
            await service.submit([:])
            #expect(service.title == "Confirm in the app")
        }
        await app.get(try #require(app.link("approval")))
        // The request is about the user who scanned the code.
        #expect(app.text.contains("value=\"anna\"") && !app.text.contains("value=\"bo\""))
        var refused = app
        await refused.submit(["person": "bo", "misbehaviour": "", "decision": "approve"])
        #expect(refused.response.status == 400)
        await app.get(app.url)
        await app.submit(["person": "anna", "misbehaviour": "", "decision": "approve"])
        await service.submit([:])
        #expect(service.title == "You are signed in")
    }

    @Test(
        "each fault of a search ends with its own code, and after too many requests the login goes on (itsme case 37)")
    func searchFaults() async throws {
        let bench = try Bench.withoutPauses()
        for fault in SearchFault.allCases {
            let surfer = try await login(bench, search: fault)
            #expect(surfer.item("failure") == fault.failure, "\(fault)")
            #expect((surfer.title == "You are signed in") == (fault.failure == nil), "\(fault)")
        }
    }

    @Test("each fault of the answer is reported by its own code, also a missing ID token (itsme case 39)")
    func everyRow() async throws {
        let bench = try Bench.withoutPauses()
        let faults = Misbehaviour.all(for: try bench.registration(Self.name))
        #expect(faults.contains(.missingIDToken) && faults.contains(.otherSubject) && !faults.contains(.wrongNonce))
        for fault in faults {
            let surfer = try await login(bench, fault)
            #expect(surfer.tells(of: fault), "\(fault): \(surfer.item("failure") ?? "")")
            if fault == .missingIDToken { #expect(surfer.item("failure") == "claim_missing(id_token)") }
        }
        #expect(try await login(bench).title == "You are signed in")
    }

    /// Returns a JWT that the service signed.
    private func signed(_ login: RawLogin, _ claims: String) throws -> String {
        guard case .privateKey(let key) = login.bench.sandbox.serviceKeys.keys[0] else { return "" }
        return try Forge.signed(
            header: #"{"alg":"RS256","kid":"s1","typ":"JWT"}"#, payload: claims, with: .privateKey(key), .rs256)
    }

    @Test(
        "messages have the members of itsme's documents, and the request has nothing beside it but the assertion (itsme case 38)"
    )
    func messages() async throws {
        let clock = BenchClock()
        let bench = try Bench(clock: clock.reading)
        let login = try await RawLogin(Self.name, on: bench)
        let issuer = login.provider.issuer
        let (search, authentication) = (issuer + "/user_discovery_sessions", issuer + "/backchannel/authentication")
        func ask(_ url: String, for audience: String, _ more: [(String, String)]) throws -> TransportResponse {
            login.post(url, login.proof(try login.assertion(audience: audience)) + more)
        }
        let named = [("client_id", login.client.clientID)]
        #expect(try ask(search, for: issuer + "/token", named).status == 401)
        let begun = try JSON(ask(search, for: authentication, named).body)
        #expect(Set(begun.members) == ["user_discovery_session_id", "status", "user_discovery_token"])
        #expect(begun["status"]?.string == "PENDING_USER_DISCOVERY")
        let token = try #require(begun["user_discovery_token"])
        #expect(Set(token.members) == ["qr_code", "expires_at"])
        #expect(token["expires_at"]?.string?.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        let image = try #require(Base64.decode(Array((token["qr_code"]?.string ?? "").utf8)))
        #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let place = search + "/" + (begun["user_discovery_session_id"]?.string ?? "")
        // A poll before the interval of five seconds has passed is answered with status 429.
        #expect(try ask(place, for: authentication, named).status == 429)
        clock.pass(.seconds(5))
        let pending = try JSON(ask(place, for: authentication, named).body)
        #expect(Set(pending.members) == ["user_discovery_session_id", "status", "qr_code", "expires_at"])
        var app = Surfer(bench)
        await app.get(try #require(CodeImage.link(in: image)))
        await app.submit(["code": try #require(app.parameter("code")), "person": "anna", "misbehaviour": ""])
        clock.pass(.seconds(5))
        let found = try JSON(ask(place, for: authentication, named).body)
        #expect(Set(found.members) == ["user_discovery_session_id", "status", "user_identifier_token"])
        let identifier = try #require(found["user_identifier_token"]?.string)
        let now = Int(Bench.now.secondsSince1970)
        let hint = try signed(login, #"{"type":"user_identifier_token","value":"\#(identifier)"}"#)
        func request(_ audience: String, _ hint: String) throws -> [(String, String)] {
            let claims =
                #"{"iss":"\#(login.client.clientID)","aud":"\#(audience)","iat":\#(now),"nbf":\#(now),"exp":\#(now + 120),"#
                + #""jti":"\#(Randomness.text())","client_id":"\#(login.client.clientID)","scope":"openid service:SANDBOX","#
                + #""login_hint_token":"\#(hint)"}"#
            return [("request", try signed(login, claims))]
        }
        let tokenEndpoint = issuer + "/token"
        #expect(
            try ask(authentication, for: tokenEndpoint, request(issuer, hint) + [("scope", "openid")]).status == 400)
        #expect(try ask(authentication, for: tokenEndpoint, request(tokenEndpoint, hint)).status == 400)
        #expect(try ask(authentication, for: authentication, request(issuer, hint)).status == 401)
        #expect(try ask(authentication, for: tokenEndpoint, request(issuer, identifier)).status == 400)
        let acknowledged = try ask(authentication, for: tokenEndpoint, request(issuer, hint))
        let answer = try JSON(acknowledged.body)
        #expect(Set(answer.members) == ["auth_req_id", "expires_in", "interval"])
        #expect(answer["expires_in"] == .number(120) && answer["interval"] == .number(2))
        // The identifier is used once.
        #expect(try login.error(ask(authentication, for: tokenEndpoint, request(issuer, hint))) == "unknown_user_id")
    }
}
