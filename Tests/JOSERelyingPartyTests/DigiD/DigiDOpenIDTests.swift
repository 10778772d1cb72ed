import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSERelyingParty

@Suite("Logging in with DigiD by OpenID Connect") struct DigiDOpenIDTests {
    @Test("a user logs in: sector, number and level") func login() async throws {
        let desk = try DigiDOpenIDDesk()
        let user = try await desk.login()
        let digiD = try #require(user.digiD)
        #expect(digiD.number == DigiDNumber(DigiDOpenIDDesk.number) && digiD.number.sector == .bsn)
        #expect(digiD.level == .midden && user.issuer == DigiDOpenIDDesk.issuer)
        for value in [user, user.tokens, user.idToken, digiD] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains(DigiDOpenIDDesk.number))
        }
    }

    @Test("the request is by value: RS256 with kid, every claim, a minute's life, and exactly openid") func request()
        async throws
    {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        let object = try #require(FormFields(ofURL: start.url)["request"])
        let header = try UnverifiedToken(object).header
        #expect(header.algorithmName == "RS256" && header.keyID == "s1")
        let claims = desk.provider.read(object)
        #expect(claims["client_id"] == DigiDOpenIDDesk.clientID && claims["response_type"] == "code")
        #expect(claims["scope"] == "openid" && claims["redirect_uri"] == LoginDesk.redirectURI)
        for name in ["state", "nonce", "code_challenge", "jti"] {
            #expect((claims[name] ?? "").utf8.count == 43, "\(name)")
        }
        #expect(claims["code_challenge_method"] == "S256" && claims["aud"] == DigiDOpenIDDesk.issuer)
        let (issued, end) = (Double(claims["iat"] ?? "") ?? 0, Double(claims["exp"] ?? "") ?? 0)
        #expect(end - issued == 60 && claims["iss"] == DigiDOpenIDDesk.clientID)
        #expect(start.expires == desk.clock.now + 900)

        var more = LoginRequest()
        more.scopes = ["openid", "profile"]
        #expect(try await refusal { try await desk.party.beginLogin(more) }?.failure == .invalidParameter("scope"))
        var other = LoginRequest()
        other.acrValues = ["http://eidas.europa.eu/LoA/high"]
        #expect(
            try await refusal { try await desk.party.beginLogin(other) }?.failure == .invalidParameter("acr_values"))
        other.acrValues = []
        _ = try await desk.party.beginLogin(other)
    }

    @Test(
        "RFC 8705, 2.1: the token request has the code, the client's name and the verifier, and nothing that proves anything"
    )
    func tokenRequest() async throws {
        let desk = try DigiDOpenIDDesk()
        _ = try await desk.login()
        let form = desk.provider.lastForm(.token)
        #expect(form.names.sorted() == ["client_id", "code", "code_verifier", "grant_type"])
        #expect(form["client_id"] == DigiDOpenIDDesk.clientID && form["grant_type"] == "authorization_code")
        #expect(desk.provider.last(.token)?.headers.contains { $0.name == "Authorization" } == false)
    }

    @Test("the client is a UUID, and its redirect URI a whole path") func client() throws {
        _ = try DigiDOpenIDDesk()
        for id in [
            "partner", "0b9c6e2e6d9b4a3e8d8c5a2f3a8b1c4d", DigiDOpenIDDesk.clientID + "0",
            "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4g",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDDesk(clientID: id)
            }
        }
        for uri in [
            "https://service.test", "https://service.test/", "https://service.test/a?b", "http://service.test/a",
        ] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
                try DigiDOpenIDDesk(redirectURI: uri)
            }
        }
    }

    @Test(
        "DigiD case 24: midden asked and no level or none known is too low, a higher one is good",
        arguments: DigiDLevel.allCases)
    func levels(_ wanted: DigiDLevel) async throws {
        let desk = try DigiDOpenIDDesk()
        for given in ["low", "substantial", "high", "High", nil] as [String?] {
            let acr = given.map { "http://eidas.europa.eu/LoA/" + $0 }
            let error = try await desk.failure(.digiD(level: wanted)) {
                $0.idToken = { $0["acr"] = acr.map { .string($0) } }
            }
            let reaches = DigiDLevel(classReference: acr ?? "").map { $0 >= wanted } ?? false
            #expect(error?.failure == (reaches ? nil : .acrTooLow), "\(given ?? "none")")
        }
    }

    @Test("DigiD case 29: nbf that is exp does not count; another that lies ahead is not yet valid") func notBefore()
        async throws
    {
        let desk = try DigiDOpenIDDesk()
        let now = Int64(desk.clock.now)
        for (start, failure) in [
            (120, nil), (119, .notYetValid), (121, .notYetValid), (60, nil), (61, .notYetValid), (0, nil), (nil, nil),
        ] as [(Int64?, RelyingPartyFailure?)] {
            let error = try await desk.failure { $0.idToken = { $0["nbf"] = start.map { .integer(now + $0) } } }
            #expect(error?.failure == failure, "\(start ?? -1)")
        }
    }

    @Test("DigiD case 30, attack 3: another service's ID token, sealed anew to this one's key, has another nonce")
    func foreignToken() async throws {
        let victim = try DigiDOpenIDDesk()
        let attacker = try DigiDOpenIDDesk(clientID: "9f0c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d")
        let stolen = Mutex<String?>(nil)
        let good = try await attacker.failure {
            $0.seal = { jws in
                stolen.withLock { $0 = jws }
                return try DigiDOpenIDDesk.seal(jws)
            }
        }
        #expect(good == nil)
        let jws = try #require(stolen.withLock { $0 })
        #expect(
            try await victim.failure { $0.seal = { _ in try DigiDOpenIDDesk.seal(jws) } }?.failure == .nonceMismatch)
        #expect(try await victim.failure { $0.seal = { try DigiDOpenIDDesk.seal($0) } } == nil)
    }

    @Test("an access token is this client's, of the same issuer, and in force") func accessToken() async throws {
        let desk = try DigiDOpenIDDesk()
        let now = Int64(desk.clock.now)
        let cases: [(@Sendable (inout ClaimSet) -> Void, RelyingPartyFailure?)] = [
            ({ _ in }, nil), ({ $0["azp"] = "another" }, .authorizedPartyMismatch),
            ({ $0["azp"] = nil }, .authorizedPartyMismatch), ({ $0["iss"] = "https://x.test" }, .issuerMismatch),
            ({ $0["exp"] = .integer(now - 60) }, .expired), ({ $0["exp"] = .integer(now - 59) }, nil),
            ({ $0["exp"] = nil }, .claimMissing("exp")), ({ $0["jti"] = nil }, .claimMissing("jti")),
        ]
        for (place, (change, failure)) in cases.enumerated() {
            let error = try await desk.failure { $0.accessToken = change }
            #expect(error?.failure == failure, "\(place)")
            #expect(error == nil || error?.step == .accessToken)
        }
        let broken = try await desk.failure {
            $0.response = { $0.replacing(/"access_token":"[^"]*"/, with: #""access_token":"x""#) }
        }
        #expect(broken == RelyingPartyError(.malformed, in: .accessToken))
    }

    @Test("DigiD case 31 and the rest in order: each claim, as the specification has it") func claims() async throws {
        let desk = try DigiDOpenIDDesk()
        let now = Int64(desk.clock.now)
        let issuer = DigiDOpenIDDesk.issuer
        let cases: [(@Sendable (inout ClaimSet) -> Void, RelyingPartyFailure?)] = [
            ({ $0["aud"] = .string(DigiDOpenIDDesk.clientID) }, .audienceMismatch),
            ({ $0["aud"] = [.string(issuer + "/token"), .string(DigiDOpenIDDesk.clientID)] }, .audienceMismatch),
            ({ $0["aud"] = .string(issuer) }, .audienceMismatch), ({ $0["aud"] = [.string(issuer + "/token")] }, nil),
            ({ $0["iss"] = "https://x.test" }, .issuerMismatch),
            ({ $0["exp"] = .integer(now - 60) }, .expired), ({ $0["exp"] = nil }, .claimMissing("exp")),
            ({ $0["nonce"] = nil }, .nonceMismatch), ({ $0["nonce"] = "x" }, .nonceMismatch),
            ({ $0["sub_id_type"] = nil }, .sectorUnexpected),
            ({ $0["sub_id_type"] = "urn:nl-eid-gdi:1.0:id:Pseudonym" }, .sectorUnexpected),
            ({ $0["sub"] = "111222334" }, .claimType("BSN")), ({ $0["sub"] = nil }, .claimMissing("sub")),
            ({ $0["jti"] = nil }, .claimMissing("jti")), ({ $0["iat"] = .integer(now + 61) }, .issuedInFuture),
            // The first that fails is told.
            ({ ($0["aud"], $0["nonce"], $0["acr"]) = ("x", nil, nil) }, .audienceMismatch),
            ({ ($0["nonce"], $0["acr"], $0["sub"]) = (nil, nil, "1") }, .nonceMismatch),
            ({ ($0["acr"], $0["sub_id_type"]) = (nil, nil) }, .acrTooLow),
            ({ ($0["sub_id_type"], $0["sub"]) = (nil, "1") }, .sectorUnexpected), ({ _ in }, nil),
        ]
        for (place, (change, failure)) in cases.enumerated() {
            let error = try await desk.failure { $0.idToken = change }
            #expect(error?.failure == failure, "\(place)")
            #expect(error == nil || error?.step == .idToken)
            #expect(error.map { !"\($0)".contains("11122233") } ?? true)
        }
    }

    @Test("a jti comes once") func replay() async throws {
        let desk = try DigiDOpenIDDesk()
        for failure in [nil, .replayed, .replayed] as [RelyingPartyFailure?] {
            #expect(try await desk.failure { $0.idToken = { $0["jti"] = "the same" } }?.failure == failure)
        }
    }

    @Test("the token response names this login's state") func state() async throws {
        let desk = try DigiDOpenIDDesk()
        #expect(try await desk.failure { $0.response = { $0 } } == nil)
        for text in [#""state":"x""#, #""state":null"#, #""other":"x""#] {
            let error = try await desk.failure { $0.response = { $0.replacing(/"state":"[^"]*"/, with: text) } }
            #expect(error == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        }
    }

    @Test("the layers of an ID token: sealed, signed, under these algorithms and the published key") func layers()
        async throws
    {
        let desk = try DigiDOpenIDDesk()
        func seal(
            _ header: String, _ method: KeyManagementAlgorithm, _ content: ContentEncryption,
            _ key: PrivateKey = TestKeys.clientEncryption
        )
            -> @Sendable (String) throws -> String
        {
            { jws in
                try Forge.encrypted(
                    header: Array(header.utf8), plaintext: Array(jws.utf8), with: .publicKey(key.publicKey), method,
                    content)
            }
        }
        let usual = #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#
        let cases: [(@Sendable (String) throws -> String, RelyingPartyFailure?)] = [
            (seal(usual, .rsaOAEP, .a256gcm), nil), ({ $0 }, .notEncrypted),
            (seal(#"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#, .rsaOAEP256, .a256gcm), .algorithmNotAllowed),
            (seal(#"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, .rsaOAEP, .a128gcm), .encryptionNotAllowed),
            (seal(usual, .rsaOAEP, .a256gcm, TestKeys.stranger), .decryptionFailed),
            ({ _ in try DigiDOpenIDDesk.seal(#"{"sub":"111222333"}"#) }, .notSigned),
            ({ jws in try DigiDOpenIDDesk.seal(jws.dropLast(8) + "AAAAAAAA") }, .signatureInvalid),
            (
                { jws in
                    let payload = String(jws.split(separator: ".")[1])
                    return try DigiDOpenIDDesk.seal(
                        Forge.signed(
                            header: #"{"alg":"PS256","kid":"provider-signature"}"#,
                            payload: String(decoding: Forge.decoded(payload) ?? [], as: UTF8.self),
                            with: .privateKey(TestKeys.provider), .ps256))
                }, .algorithmNotAllowed
            ),
        ]
        for (place, (seal, failure)) in cases.enumerated() {
            let error = try await desk.failure { $0.seal = seal }
            #expect(error?.failure == failure, "\(place)")
        }
    }
}

@Suite("DigiD by OpenID Connect: what does not come about") struct DigiDOpenIDErrorTests {
    private func complete(_ query: (String) -> String) async throws -> RelyingPartyError? {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        desk.script(DigiDOpenIDDesk.Tokens(), start)
        let state = desk.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let code = FormFields(desk.provider.authorize(start.url))["code"] ?? ""
        return try await refusal {
            try await desk.party.completeLogin(
                callback: .query(query(state).replacing("CODE", with: code)), binding: start.binding)
        }
    }

    @Test("DigiD case 32: the error behind a second question mark is an error of that state") func brokenForm()
        async throws
    {
        let broken = try #require(try await complete { "state=\($0)?error=invalid_request_object" })
        #expect(broken.failure == .providerError(try #require(ProviderErrorCode("invalid_request_object"))))
        #expect(broken.step == .callback && broken.remedy == .fixConfiguration)
        #expect(try await complete { "state=\($0)&error=invalid_request_object" } == broken)
        // The code beside it makes no login, and a state that is another's is nobody's.
        #expect(
            try await complete { "code=CODE&state=\($0)?error=x" }?.failure
                == .providerError(try #require(ProviderErrorCode("x"))))
        #expect(try await complete { "state=x\($0)?error=x" }?.failure == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)?other=x" }?.failure == .stateMismatch)
        #expect(try await complete { "code=CODE&state=\($0)" } == nil)
    }

    @Test("the cookie of a login is found by the broken form as well") func cookie() async throws {
        let desk = try DigiDOpenIDDesk()
        let start = try await desk.party.beginLogin()
        let state = desk.provider.read(FormFields(ofURL: start.url)["request"] ?? "")["state"] ?? ""
        let cookie = String(start.cookie.prefix { $0 != ";" })
        for query in ["state=\(state)", "state=\(state)?error=invalid_request_object"] {
            #expect(Callback.query(query).binding(inCookies: cookie) == start.binding)
        }
        #expect(Callback.query("state=x\(state)").binding(inCookies: cookie) == nil)
    }

    @Test("where no profile says so a question mark is the state's") func otherProfiles() throws {
        for (parts, state) in [(true, "S"), (false, "S?error=x")] {
            let (parameters, found) = try CallbackParameters.of(
                .query("state=S?error=x"), binding: "b", errorMayEndState: parts)
            #expect(found == state && parameters["error"] == (parts ? "x" : nil))
        }
    }

    @Test("CANCELLED is the user's no; everything that the token endpoint refuses begins anew") func codes()
        async throws
    {
        let cancelled = try #require(try await complete { "state=\($0)&error=CANCELLED" })
        #expect(DigiDSituation(cancelled) == .cancelled && cancelled.remedy == .tellUser)
        for (answer, failure) in [
            (
                HTTPResponse.json(#"{"error":"invalid_request"}"#, status: 400),
                .providerError(try #require(ProviderErrorCode("invalid_request")))
            ),
            (HTTPResponse(status: 404, body: Array("text".utf8)), .unexpectedStatus(404)),
        ] as [(HTTPResponse, RelyingPartyFailure)] {
            let desk = try DigiDOpenIDDesk()
            desk.provider.script.answers[.token] = { _ in answer }
            let error = try await desk.failure { _ in }
            #expect(error?.failure == failure && error?.remedy == .restart)
        }
    }

    @Test("signed metadata hold what is read of them, by the pinned key") func signedMetadata() async throws {
        let issuer = DigiDOpenIDDesk.issuer
        func signed(
            _ change: (inout [String: String]) -> Void = { _ in }, by key: PrivateKey = TestKeys.provider,
            _ algorithm: SignatureAlgorithm = .rs256
        ) throws -> String {
            var members = [
                "issuer": issuer, "authorization_endpoint": issuer + "/authorization",
                "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
            ]
            change(&members)
            let payload = "{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
            let jws = try Forge.signed(
                header: "{\"alg\":\"\(algorithm.name)\"}", payload: payload, with: .privateKey(key), algorithm)
            return "\"\(jws)\""
        }
        var settings = DigiDOpenIDSettings(issuer: issuer)
        settings.metadataKeys = KeySet(TestKeys.provider.publicKey)
        let cases: [(String?, RelyingPartyFailure?)] = [
            (try signed(), nil), (nil, .missingParameter("signed_metadata")),
            (try signed { $0["token_endpoint"] = "https://x.test/token" }, .discoveryMismatch),
            (try signed { $0["jwks_uri"] = nil }, .discoveryMismatch),
            (try signed { $0["issuer"] = "https://x.test" }, .discoveryMismatch),
            (try signed { $0["authorization_endpoint"] = issuer + "/other" }, .discoveryMismatch),
            (try signed(by: TestKeys.stranger), .signatureInvalid),
            (try signed(by: TestKeys.provider, .ps256), .algorithmNotAllowed), ("\"x\"", .malformed),
        ]
        for (place, (text, failure)) in cases.enumerated() {
            let desk = try DigiDOpenIDDesk(settings)
            desk.provider.script.metadata["signed_metadata"] = .some(text)
            let error = try await refusal { try await desk.login() }
            #expect(error?.failure == failure, "\(place)")
            #expect(error == nil || error?.step == .discovery)
        }
        // Without the key nothing is known to be DigiD's: in production that is a setting that is missing.
        settings.metadataKeys = nil
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try DigiDOpenIDDesk(settings, environment: .production)
        }
        _ = try DigiDOpenIDDesk(settings, environment: .test)
    }

    @Test("only DigiD's app is opened, by a link with its data") func appRedirect() throws {
        #expect(try DigiDAppRedirect(location: "https://app.digid.nl/digid-app?data=abc").url.hasSuffix("data=abc"))
        #expect(
            try DigiDAppRedirect(location: "https://box.test/digid-app?data=a", appHost: "box.test").url.hasPrefix(
                "https://box"))
        for location in [
            "https://app.digid.nl/digid-app?data=", "https://app.digid.nl/digid-app",
            "https://app.digid.nl/other?data=a",
            "http://app.digid.nl/digid-app?data=a", "https://app.digid.nl.x.test/digid-app?data=a",
            "https://x@app.digid.nl/digid-app?data=a", "https://app.digid.nl/digid-app?data=a&x=b",
            "https://app.digid.nl:444/digid-app?data=a", "https://app.digid.nl/digid-app?data=a#b",
            "digid-app-auth://data=a",
        ] {
            #expect(
                failure { try DigiDAppRedirect(location: location) } == .invalidParameter("app_redirect"), "\(location)"
            )
        }
    }
}
