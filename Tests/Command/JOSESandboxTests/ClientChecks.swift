import JOSE
import JOSEKeySets
import JOSESandbox
import JOSETesting
import TestSupport
import Testing

/// Tests of requests that the sandbox rejects as the providers do, each next to an accepted one.
@Suite("Sandbox: checks of client requests") struct ClientChecks {
    @Test("itsme v2 accepts a signed and encrypted client assertion once, and for its token endpoint only")
    func assertions() async throws {
        let login = try await RawLogin("itsme-v2")
        let token = login.provider.issuer + "/token"
        func status(_ assertion: String) async throws -> Int {
            login.post(token, login.exchange(try await login.code()) + login.proof(assertion)).status
        }
        let good = try login.nested(login.assertion(audience: token))
        #expect(try await status(good) == 200)
        #expect(try await status(good) == 401)
        #expect(try await status(login.assertion(audience: token)) == 401)
        #expect(try await status(login.nested(login.assertion(audience: login.provider.issuer))) == 401)
        #expect(
            try await status(login.nested(login.assertion(audience: token, header: #"{"alg":"RS256","typ":"JWT"}"#)))
                == 401)
        #expect(try await status(login.nested(login.assertion(audience: token))) == 200)
    }

    @Test("an authorization code is accepted once, with the redirect_uri of its request (RFC 6749, 4.1.3)")
    func codes() async throws {
        let login = try await RawLogin("itsme-v1")
        let token = login.provider.issuer + "/token"
        func ask(_ form: [(String, String)]) throws -> TransportResponse {
            login.post(token, form + login.proof(try login.assertion(audience: token)))
        }
        let form = login.exchange(try await login.code())
        #expect(try ask(form).status == 200)
        #expect(try login.error(ask(form)) == "invalid_grant")
        var other = login.exchange(try await login.code())
        other[2].1 += "/"
        #expect(try login.error(ask(other)) == "invalid_grant")
        #expect(try login.error(ask(form + [("code", "second")])) == "invalid_request")
    }

    @Test(
        "a ZenKey carrier rejects a code_verifier of another challenge, and a client_id in the body (RFC 7636, 4.6)"
    )
    func verifiers() async throws {
        let login = try await RawLogin("zenkey")
        let basic = login.basic(login.client.clientID, try #require(login.client.secret))
        func ask(_ more: [(String, String)]) async throws -> TransportResponse {
            login.post(
                try login.endpoint("token_endpoint"), login.exchange(try await login.code(login.challenge)) + more,
                basic)
        }
        let verifier = ("code_verifier", RawLogin.verifier)
        #expect(try await ask([verifier]).status == 200)
        #expect(
            try await login.error(ask([("code_verifier", String(RawLogin.verifier.reversed()))])) == "request_denied")
        #expect(try await login.error(ask([])) == "invalid_request")
        #expect(try await login.error(ask([verifier, ("client_id", login.client.clientID)])) == "invalid_request")
        let stranger = login.basic(login.client.clientID, "another")
        #expect(login.post(try login.endpoint("token_endpoint"), login.exchange("x"), stranger).status == 401)
    }

    @Test("MitID accepts form-encoded client credentials, and client assertions only for its issuer")
    func mitID() async throws {
        let login = try await RawLogin("mitid")
        let secret = try #require(login.client.secret)
        let verifier = [("code_verifier", RawLogin.verifier)]
        func status(_ more: [(String, String)], _ headers: [TransportHeaderField] = []) async throws -> Int {
            let form = login.exchange(try await login.code(login.challenge)) + verifier + more
            return login.post(try login.endpoint("token_endpoint"), form, headers).status
        }
        #expect(try await status([], login.basic(login.client.clientID, FormFields.encoded(secret))) == 200)
        #expect(try await status([], login.basic(login.client.clientID, secret)) == 401)
        // Several spaces may follow the scheme, whose name has no case (RFC 9110, 11.1 and 11.4).
        let pair = Forge.base64("\(login.client.clientID):\(FormFields.encoded(secret))")
        for (value, wanted) in [
            ("basic  \(pair)", 200), ("BASIC \(pair) ", 200), ("Basic \(pair) x", 401), ("Basic\t\(pair)", 401),
        ] {
            let header = TransportHeaderField("Authorization", value)
            #expect(try await status([], [header]) == wanted, "\(value.prefix(7))")
        }
        #expect(try await status(login.proof(login.assertion(audience: login.provider.issuer))) == 200)
        #expect(try await status(login.proof(login.assertion(audience: login.endpoint("token_endpoint")))) == 401)
    }

    @Test(
        "an unregistered redirect_uri gets no redirect, and other errors are sent to the registered one")
    func requests() async throws {
        let login = try await RawLogin("itsme-v2")
        #expect(try await login.visit(login.parameters()).title == "itsme (sandbox): log in")
        for wrong in [("redirect_uri", login.client.redirectURI + "/"), ("client_id", "nobody")] {
            let surfer = try await login.visit(login.parameters([wrong]))
            #expect(surfer.response.status == 400)
            #expect(surfer.url.hasPrefix("https://provider.test:8443/"))
        }
        let noService = try await login.visit(login.parameters([("scope", "openid profile")]))
        #expect(noService.parameter("error") == "invalid_scope")
        #expect(noService.parameter("state") == "the-state")
        let display = try await login.visit(login.parameters([("display", "popup")]))
        #expect(display.parameter("error") == "unsupported_display")
    }

    @Test("the login page escapes its input, is not cached, and accepts only its own browser's answer (R16)")
    func page() async throws {
        let login = try await RawLogin("itsme-v2")
        let text = "openid service:<script>alert(1)</script>"
        var surfer = try await login.visit(login.parameters([("scope", text)]))
        #expect(surfer.text.contains("service:&lt;script&gt;"))
        #expect(!surfer.text.contains("<script"))
        #expect(surfer.response.header("Cache-Control") == "no-store")
        #expect(surfer.response.header("Referrer-Policy") == "no-referrer")
        #expect(surfer.response.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        var other = surfer
        other.forgetCookies(of: "https://provider.test:8443")
        let approval = ["person": "anna", "misbehaviour": "", "decision": "approve"]
        await other.submit(approval)
        #expect(other.response.status == 400)
        await surfer.submit(approval)
        #expect(surfer.parameter("code") != nil)
    }

    @Test("a pushed authorization request is accepted once (RFC 9126, 4)")
    func pushed() async throws {
        let login = try await RawLogin("mitid")
        let basic = login.basic(login.client.clientID, FormFields.encoded(try #require(login.client.secret)))
        let place = try login.endpoint("pushed_authorization_request_endpoint")
        let response = login.post(place, login.parameters(login.challenge), basic)
        #expect(response.status == 201)
        let uri = try #require(try JSON(response.body)["request_uri"]?.string)
        #expect(try JSON(response.body)["expires_in"] == .number(600))
        let short = [("client_id", login.client.clientID), ("request_uri", uri)]
        #expect(try await login.visit(short).title == "MitID (sandbox): log in")
        #expect(try await login.visit(short).response.status == 400)
        #expect(login.post(place, login.parameters(), basic).status == 400)
    }

    @Test("after a key rotation a new key signs, and the previous key remains published")
    func rotation() throws {
        let authority = try TestAuthority()
        let sandbox = try Sandbox(
            port: 8443, apiPort: 9443, service: Bench.origin, serviceAPIPort: 8445, authority: authority,
            makeKey: KeyPool().next)
        let provider = try #require(sandbox.providers.first { $0.issuer.hasSuffix("/v2") })
        let before = provider.publishedKeys.compactMap(\.keyID)
        try provider.rotateKeys()
        let after = provider.publishedKeys.compactMap(\.keyID)
        #expect(before == ["s1", "e1"])
        #expect(after == ["s1", "s2", "e1"])
        try provider.rotateKeys()
        #expect(provider.publishedKeys.compactMap(\.keyID) == ["s2", "s3", "e1"])
    }
}
