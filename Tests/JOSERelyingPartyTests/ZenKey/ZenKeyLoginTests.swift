import JOSE
import JOSEBytes
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("ZenKey logins") struct ZenKeyLoginTests {
    private func callback(_ failure: RelyingPartyFailure) -> RelyingPartyError {
        RelyingPartyError(failure, in: .callback)
    }
    private func idToken(_ failure: RelyingPartyFailure) -> RelyingPartyError {
        RelyingPartyError(failure, in: .idToken)
    }

    @Test(
        "ZenKey case 9: a whole login, with the raw pair in the Basic header, and its octets encoded where the option is on"
    )
    func happyPath() async throws {
        let desk = try ZenKeyDesk()
        desk.carrier.script.userInfoClaims = { $0["email_verified"] = "true" }
        let user = try await desk.login(.zenKey([.email]))
        #expect(user.issuer == CarrierWeb.verizon && user.subject == "user-1")
        #expect(user.zenKey?.network?.digits == "310010")
        #expect(user.zenKey?.info?.isEmailVerified == true && user.zenKey?.info?.givenName == "Jan")
        #expect(user.zenKey?.portTokens == [])
        #expect(desk.store.count == 0)
        let raw = try #require(desk.carrier.last(.token)?.headers.first { $0.name == "Authorization" }?.value)
        #expect(raw == "Basic " + Base64.encode(Array("ccid-SP0001:se:cr+et/with spaces".utf8).span))
        let userInfo = try #require(desk.carrier.last(.userInfo)?.headers.first { $0.name == "Authorization" }?.value)
        #expect(userInfo.hasPrefix("Bearer access-"))

        let encoding = try ZenKeyDesk(authentication: .clientSecretBasic(isFormEncoded: true))
        _ = try await refusal { try await encoding.login() }
        let encoded = encoding.carrier.last(.token)?.headers.first { $0.name == "Authorization" }?.value
        #expect(encoded == "Basic " + Base64.encode(Array("ccid-SP0001:se%3Acr%2Bet%2Fwith%20spaces".utf8).span))
    }

    @Test("ZenKey case 10: the body of the token request never has client_id, nor the secret")
    func tokenBody() async throws {
        let desk = try ZenKeyDesk()
        _ = try await desk.login()
        let form = desk.carrier.lastForm(.token)
        #expect(form.names == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(form["grant_type"] == "authorization_code" && form["redirect_uri"] == ZenKeyDesk.redirectURI)
        #expect(form["code_verifier"]?.utf8.count == 43)
    }

    @Test("ZenKey case 8: a callback with another state and an error is no word of the carrier's")
    func states() async throws {
        let desk = try ZenKeyDesk()
        let start = try await desk.begin()
        let calls = desk.web.calls
        for query in ["state=wrong&error=access_denied", "error=access_denied", "code=x&state=", "state=%00"] {
            let error = try await refusal {
                try await desk.party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error?.failure == (query.hasSuffix("%00") ? .malformed : .stateMismatch), "\(query)")
        }
        let state = try #require(FormFields(ofURL: start.url)["state"])
        let twice = try await refusal {
            try await desk.party.completeLogin(callback: .query("state=\(state)&state=x"), binding: start.binding)
        }
        #expect(twice == callback(.duplicateParameter("state")))
        // The right state, and the error is told.
        let denied = try await refusal {
            try await desk.party.completeLogin(
                callback: .query("error=access_denied&state=\(state)"), binding: start.binding)
        }
        let code = try #require(ProviderErrorCode("access_denied"))
        #expect(denied == callback(.providerError(code)) && denied?.remedy == .tellUser)
        #expect(desk.web.calls == calls)
        let other = try await desk.begin()
        let otherState = try #require(FormFields(ofURL: other.url)["state"])
        let codeless = try await refusal {
            try await desk.party.completeLogin(callback: .query("state=\(otherState)"), binding: other.binding)
        }
        #expect(codeless == callback(.missingParameter("code")))
        _ = try await desk.login()
    }

    @Test("ZenKey case 11: a verifier that the carrier does not take is request_denied, and somebody looks at it")
    func verifiers() async throws {
        let desk = try ZenKeyDesk()
        let error = try await desk.failure { script in
            script.answers[.token] = { _ in .json(#"{"error":"request_denied"}"#, status: 400) }
        }
        let code = try #require(ProviderErrorCode("request_denied"))
        #expect(error == RelyingPartyError(.providerError(code), in: .tokenResponse))
        #expect(error?.remedy == .investigate && ZenKeyErrorType(code) == .requestDenied)
        // The transaction is gone: a second try is another login.
        #expect(desk.store.count == 0)
        _ = try await desk.login()
    }

    @Test(
        "ZenKey case 12, attacks 1 and 5: HS256 under the modulus, none, other algorithms and keys of the token's own")
    func algorithms() async throws {
        let desk = try ZenKeyDesk()
        let text = try #require(Self.modulus(TestKeys.provider))
        let modulus = try #require(Forge.decoded(text))
        for name in ["HS256", "none", "PS256", "RS512", "rs256"] {
            let error = try await desk.failure { script in
                script.idToken = { claims in
                    let payload = String(decoding: claims.json(), as: UTF8.self)
                    let input = Forge.input(header: #"{"alg":"\#(name)","kid":"provider-signature"}"#, payload: payload)
                    guard name != "none" else { return Forge.token(input, signature: []) }
                    let code = try Forge.mac(of: input, key: modulus, .hs256)
                    return Forge.token(input, signature: code ?? [])
                }
            }
            #expect(error == idToken(.algorithmNotAllowed), "\(name)")
        }
        let own = TestKeys.stranger.publicKey.jwk()
        for member in [#""jwk":\#(own)"#, #""jku":"https://evil.example/jwks""#, #""x5u":"https://evil.example/x""#] {
            let error = try await desk.failure { script in
                script.idToken = { claims in
                    try Forge.signed(
                        header: #"{"alg":"RS256","kid":"provider-signature",\#(member)}"#,
                        payload: String(decoding: claims.json(), as: UTF8.self),
                        with: .privateKey(TestKeys.stranger), .rs256)
                }
            }
            #expect(error == idToken(.signatureInvalid), "\(member)")
        }
        #expect(desk.web.requests.allSatisfy { !$0.url.contains("evil") })
        _ = try await desk.login()
    }

    private static func modulus(_ key: PrivateKey) -> String? {
        key.publicKey.jwk().firstMatch(of: /"n":"([^"]+)"/).map { String($0.1) }
    }

    @Test("ZenKey case 13: a token for another service is not for this one")
    func audiences() async throws {
        let desk = try ZenKeyDesk()
        #expect(
            try await desk.failure { $0.idTokenClaims = { $0["aud"] = "ccid-SP0002" } } == idToken(.audienceMismatch))
        #expect(
            try await desk.failure { $0.idTokenClaims = { $0["aud"] = ["ccid-SP0001", "x"] } }
                == idToken(.authorizedPartyMismatch))
        let foreign = try await desk.failure { script in
            script.idTokenClaims = { claims in
                claims["aud"] = ["ccid-SP0001", "x"]
                claims["azp"] = "x"
            }
        }
        #expect(foreign == idToken(.authorizedPartyMismatch))
        desk.carrier.script.idTokenClaims = { claims in
            claims["aud"] = ["ccid-SP0001", "x"]
            claims["azp"] = "ccid-SP0001"
        }
        _ = try await desk.login()
    }

    @Test("ZenKey case 14, R01, attack 8: a token of carrier A is none where discovery says carrier B")
    func mixUp() async throws {
        let desk = try ZenKeyDesk()
        // Even under the right key.
        #expect(
            try await desk.failure { $0.idTokenClaims = { $0["iss"] = .string(ZenKeyWeb.tmobile) } }
                == idToken(.issuerMismatch))
        for issuer in [CarrierWeb.verizon + "/", "https://OIDC.verizon.com", "https://oidc.verizon.com:443"] {
            #expect(
                try await desk.failure { $0.idTokenClaims = { $0["iss"] = .string(issuer) } }
                    == idToken(.issuerMismatch))
        }
        // Carrier A's own token, under its own key.
        #expect(
            try await desk.failure { script in
                script.signingKey = TestKeys.nextProvider
                script.idTokenClaims = { $0["iss"] = .string(ZenKeyWeb.tmobile) }
            } == idToken(.keyNotFound))
        // The network has gone to carrier A between the request and the callback.
        let start = try await desk.begin()
        desk.web.serve("310010", by: desk.web.tmobile)
        desk.clock.advance(by: 500)
        let held = try await desk.finish(start)
        #expect(held.issuer == CarrierWeb.verizon)
        let again = try await desk.begin()
        #expect(again.url.hasPrefix(CarrierWeb.verizon))
        desk.clock.advance(by: 500)
        let moved = try await refusal { try await desk.finish(again) }
        #expect(moved == callback(.issuerMismatch))
        desk.web.serve("310010", by: desk.carrier)
        desk.clock.advance(by: 901)
        _ = try await desk.login()
    }

    @Test("ZenKey case 15, R05: a token has the nonce that was sent, and no other")
    func nonces() async throws {
        let desk = try ZenKeyDesk()
        let wrong: [ClaimValue?] = [nil, "", "x", 1, .null]
        for nonce in wrong {
            #expect(try await desk.failure { $0.idTokenClaims = { $0["nonce"] = nonce } } == idToken(.nonceMismatch))
        }
        _ = try await desk.login()
    }

    @Test("ZenKey case 16, attack 15: a1 is not a3, and a3 is more than a1")
    func levels() async throws {
        let desk = try ZenKeyDesk()
        var request = LoginRequest.zenKey()
        request.acrValues = ["a3"]
        let low: [ClaimValue?] = ["a1", "a2", nil, "A3", "a4", ""]
        for acr in low {
            #expect(try await desk.failure(request) { $0.idTokenClaims = { $0["acr"] = acr } } == idToken(.acrTooLow))
        }
        #expect(try await desk.failure(request) { $0.idTokenClaims = { $0["acr"] = 3 } } == idToken(.claimType("acr")))
        desk.carrier.script.idTokenClaims = { $0["acr"] = "a3" }
        _ = try await desk.login(request)
        request.acrValues = ["a1"]
        _ = try await desk.login(request)
        request.acrValues = ["a1", "a3"]
        desk.carrier.script.idTokenClaims = { $0["acr"] = "a1" }
        _ = try await desk.login(request)
    }

    @Test("ZenKey case 18, R11, attack 11: userinfo about another user")
    func subjects() async throws {
        let desk = try ZenKeyDesk()
        for subject in ["user-2", "USER-1", "user-1 "] {
            #expect(
                try await desk.failure { $0.userInfoClaims = { $0["sub"] = .string(subject) } }
                    == RelyingPartyError(.subjectMismatch, in: .userInfo))
        }
        #expect(
            try await desk.failure { $0.userInfoClaims = { $0["email_verified"] = "yes" } }
                == RelyingPartyError(.claimType("email_verified"), in: .userInfo))
        let gone = try await desk.failure { $0.answers[.userInfo] = { _ in HTTPResponse(status: 401) } }
        #expect(gone?.remedy == .restart)
        var expecting = LoginRequest.zenKey()
        expecting.expectedSubject = "user-2"
        #expect(try await refusal { try await desk.login(expecting) } == idToken(.subjectMismatch))
        expecting.expectedSubject = "user-1"
        _ = try await desk.login(expecting)
    }

    @Test("ZenKey section 5, steps 6, 9 and 10: times, the context that was read, and at_hash")
    func claims() async throws {
        let desk = try ZenKeyDesk()
        let now = Int64(desk.clock.now)
        let wrong: [(ClaimName, ClaimValue?, RelyingPartyFailure)] = [
            ("exp", .integer(now - 60), .expired), ("exp", nil, .claimMissing("exp")), ("exp", "x", .claimType("exp")),
            ("iat", .integer(now + 61), .issuedInFuture), ("iat", nil, .claimMissing("iat")),
            ("exp", .number(-1), .claimType("exp")), ("iat", .number(1e300), .claimType("iat")),
            ("at_hash", "x", .hashMismatch), ("context", "Pay 100", .invalidParameter("context")),
            ("context", "Pay 10 to Jane.", .invalidParameter("context")), ("context", 1, .claimType("context")),
            ("sub", nil, .claimMissing("sub")), ("sub", "", .claimMissing("sub")),
        ]
        var request = LoginRequest.zenKey()
        request.zenKeyContext = "Pay 10 to Jane"
        for (name, value, failure) in wrong {
            let error = try await desk.failure(request) { $0.idTokenClaims = { $0[name.description] = value } }
            #expect(error == idToken(failure), "\(name)")
        }
        for context in ["Pay 10 to Jane", "Pay 10", ""] {
            desk.carrier.script.idTokenClaims = { $0["context"] = .string(context) }
            _ = try await desk.login(request)
        }
        // Nothing was asked, and somebody agreed to something.
        desk.carrier.script.idTokenClaims = { $0["context"] = "Pay 10" }
        #expect(try await refusal { try await desk.login() } == idToken(.invalidParameter("context")))
    }

    @Test("ZenKey case 25, attack 12: a port token in place of an ID token; at+jwt, which samples have, is taken")
    func otherKinds() async throws {
        let desk = try ZenKeyDesk()
        for type in ["port_token+jwt", "PORT_TOKEN+JWT", "application/port_token+jwt"] {
            let error = try await desk.failure { script in
                script.idToken = { claims in try Self.token(claims, #","typ":"\#(type)""#) }
            }
            #expect(error == idToken(.contentTypeMismatch), "\(type)")
        }
        let seed = try await desk.failure { $0.idTokenClaims = { claims in claims["exp"] = nil } }
        #expect(seed == idToken(.claimMissing("exp")))
        for form in ["a.b.c.d.e", "a.b", "x"] {
            #expect(try await desk.failure { $0.idToken = { _ in form } } == idToken(.malformed), "\(form)")
        }
        for member in [#","typ":"at+jwt""#, #","type":"at+jwt""#, ""] {
            desk.carrier.script.idToken = { claims in try Self.token(claims, member) }
            _ = try await desk.login()
        }
    }

    private static func token(_ claims: ClaimSet, _ member: String, kid: String? = "provider-signature") throws
        -> String
    {
        let keyID = kid.map { #","kid":"\#($0)""# } ?? ""
        return try Forge.signed(
            header: #"{"alg":"RS256"\#(keyID)\#(member)}"#,
            payload: String(decoding: claims.json(), as: UTF8.self),
            with: .privateKey(TestKeys.provider), .rs256)
    }

    @Test(
        "ZenKey section 6: without kid there is one key or no token, and a key set with a private member is none (case 27)"
    )
    func keys() async throws {
        let desk = try ZenKeyDesk()
        desk.carrier.script.idToken = { claims in try Self.token(claims, "", kid: nil) }
        _ = try await desk.login()
        let crowded = try ZenKeyDesk()
        crowded.carrier.script.published.append(TestKeys.nextProvider.publicKey)
        let error = try await crowded.failure { script in
            script.idToken = { claims in try Self.token(claims, "", kid: nil) }
        }
        #expect(error == idToken(.keyNotFound))
        _ = try await crowded.login()

        let leaking = try ZenKeyDesk()
        let secret = String(decoding: try TestKeys.provider.exportPrivateJWK(), as: UTF8.self)
        let refused = try await leaking.failure { script in
            script.answers[.keys] = { _ in .json(#"{"keys":[\#(secret)]}"#) }
        }
        #expect(refused == RelyingPartyError(.keyUnsuitable, in: .discovery))
        leaking.clock.advance(by: 600)
        _ = try await leaking.login()
    }

    @Test("attack 20: tokens under made-up keys do not make us fetch the carrier's keys over and over")
    func floods() async throws {
        let desk = try ZenKeyDesk()
        for number in 0..<20 {
            let error = try await desk.failure { script in
                script.idToken = { claims in try Self.token(claims, "", kid: "made-up-\(number)") }
            }
            #expect(error == idToken(.keyNotFound))
        }
        #expect(desk.carrier.calls(.keys) <= 2)
        _ = try await desk.login()
    }

    @Test("attacks 9 and 10, R06, R18: another browser's callback, and the same one twice")
    func bindings() async throws {
        let desk = try ZenKeyDesk()
        let attacker = try await desk.begin()
        let victim = try await desk.begin()
        let query = desk.carrier.authorize(attacker.url)
        let calls = desk.web.calls
        let forced = try await refusal {
            try await desk.party.completeLogin(callback: .query(query), binding: victim.binding)
        }
        #expect(forced == callback(.bindingMismatch))
        #expect(desk.web.calls == calls)
        let own = desk.carrier.authorize(victim.url)
        _ = try await desk.party.completeLogin(callback: .query(own), binding: victim.binding)
        let again = try await refusal {
            try await desk.party.completeLogin(callback: .query(own), binding: victim.binding)
        }
        #expect(again == callback(.stateMismatch))
    }

    @Test(
        "ZenKey cases 19 and 24: port tokens of a valid ID token move the account, and ten thousand do not stop a login"
    )
    func portTokens() async throws {
        let desk = try ZenKeyDesk()
        let accounts = MemoryAccountStore<String>()
        let old = AccountReference(issuer: CarrierWeb.att, subject: "mccmnc-old")
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let migration = try PortTokenMigration(desk.party, store: accounts)
        let junk = [ClaimValue](repeating: "a.b.c", count: 10_000)
        desk.carrier.script.idTokenClaims = { $0["aka"] = .array(junk) }
        let flooded = try await desk.login()
        #expect(flooded.zenKey?.portTokens == [String](repeating: "a.b.c", count: 8))
        let nothing = try await migration.resolve(flooded)
        #expect(nothing.outcome == .unknown && nothing.refusals.count == 8)
        let good = try CarrierWeb.token(CarrierWeb.portClaims(issued: desk.clock.now - 60))
        desk.carrier.script.idTokenClaims = { $0["aka"] = .string(good) }
        let user = try await desk.login()
        #expect(try await migration.resolve(user).outcome == .moved("jane"))
        #expect(try await migration.resolve(user).outcome == .known("jane"))
        #expect(try await accounts.account(of: old) == nil)
        let itsme = try LoginDesk.itsmeV2()
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try PortTokenMigration(itsme.party, store: accounts)
        }
    }
}
