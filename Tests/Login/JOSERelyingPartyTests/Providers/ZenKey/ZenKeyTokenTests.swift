import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSESupport
import JOSETesting
import JOSETokens
import JOSEZenKey
import Testing

@Suite("ZenKey: ID tokens") struct ZenKeyTokenTests {
    @Test("ZenKey case 12: rejects HS256 under the modulus, none, other algorithms, and keys in the token")
    func algorithms() async throws {
        let fixture = try ZenKeyFixture()
        let text = try #require(Self.modulus(TestKeys.provider))
        let modulus = try #require(Forge.decoded(text))
        for name in ["HS256", "none", "PS256", "RS512", "rs256"] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    let payload = String(decoding: claims.json(), as: UTF8.self)
                    let input = Forge.input(header: #"{"alg":"\#(name)","kid":"provider-signature"}"#, payload: payload)
                    guard name != "none" else { return Forge.token(input, signature: []) }
                    let code = try Forge.mac(of: input, key: modulus, .hs256)
                    return Forge.token(input, signature: code ?? [])
                }
            }
            #expect(error == .idToken(.algorithmNotAllowed), "\(name)")
        }
        let own = TestKeys.stranger.publicKey.jwk()
        for member in [#""jwk":\#(own)"#, #""jku":"https://evil.example/jwks""#, #""x5u":"https://evil.example/x""#] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    try Forge.signed(
                        header: #"{"alg":"RS256","kid":"provider-signature",\#(member)}"#,
                        payload: String(decoding: claims.json(), as: UTF8.self),
                        with: .privateKey(TestKeys.stranger), .rs256)
                }
            }
            #expect(error == .idToken(.signatureInvalid), "\(member)")
        }
        #expect(fixture.web.requests.allSatisfy { !$0.url.contains("evil") })
        _ = try await fixture.login()
    }

    private static func modulus(_ key: PrivateKey) -> String? {
        key.publicKey.jwk().firstMatch(of: /"n":"([^"]+)"/).map { String($0.1) }
    }

    @Test("ZenKey case 13: rejects a token for another service")
    func audiences() async throws {
        let fixture = try ZenKeyFixture()
        #expect(
            try await fixture.failure { $0.idTokenClaims = { $0["aud"] = "ccid-SP0002" } }
                == .idToken(.audienceMismatch))
        #expect(
            try await fixture.failure { $0.idTokenClaims = { $0["aud"] = ["ccid-SP0001", "x"] } }
                == .idToken(.authorizedPartyMismatch))
        let foreign = try await fixture.failure { script in
            script.idTokenClaims = { claims in
                claims["aud"] = ["ccid-SP0001", "x"]
                claims["azp"] = "x"
            }
        }
        #expect(foreign == .idToken(.authorizedPartyMismatch))
        fixture.carrier.script.idTokenClaims = { claims in
            claims["aud"] = ["ccid-SP0001", "x"]
            claims["azp"] = "ccid-SP0001"
        }
        _ = try await fixture.login()
    }

    @Test("ZenKey case 14: rejects a token of another carrier than the one that discovery named (R01)")
    func mixUp() async throws {
        let fixture = try ZenKeyFixture()
        // The token is rejected even if it is signed with the right key.
        #expect(
            try await fixture.failure { $0.idTokenClaims = { $0["iss"] = .string(ZenKeyWeb.tmobile) } }
                == .idToken(.issuerMismatch))
        for issuer in [CarrierWeb.verizon + "/", "https://OIDC.verizon.com", "https://oidc.verizon.com:443"] {
            #expect(
                try await fixture.failure { $0.idTokenClaims = { $0["iss"] = .string(issuer) } }
                    == .idToken(.issuerMismatch))
        }
        // A token of carrier A, signed with its own key.
        #expect(
            try await fixture.failure { script in
                script.signingKey = TestKeys.nextProvider
                script.idTokenClaims = { $0["iss"] = .string(ZenKeyWeb.tmobile) }
            } == .idToken(.keyNotFound))
        // The network has moved to carrier A between the request and the callback.
        let start = try await fixture.begin()
        fixture.web.serve("310010", by: fixture.web.tmobile)
        fixture.clock.advance(by: .seconds(500))
        let held = try await fixture.finish(start)
        #expect(held.issuer == CarrierWeb.verizon)
        let again = try await fixture.begin()
        #expect(again.url.hasPrefix(CarrierWeb.verizon))
        fixture.clock.advance(by: .seconds(500))
        let moved = try await refusal { try await fixture.finish(again) }
        #expect(moved == .callback(.issuerMismatch))
        fixture.web.serve("310010", by: fixture.carrier)
        fixture.clock.advance(by: .seconds(901))
        _ = try await fixture.login()
    }

    @Test("a carrier that announces iss must send it, and no callback selects another carrier (R01; RFC 9207)")
    func names() async throws {
        for isAnnounced in [true, false] {
            let fixture = try ZenKeyFixture()
            fixture.carrier.script.metadata["authorization_response_iss_parameter_supported"] = "\(isAnnounced)"
            for (issuer, isRight) in [
                (nil, !isAnnounced), ("", false), (ZenKeyWeb.tmobile, false), (CarrierWeb.verizon + "/", false),
                (CarrierWeb.verizon, true),
            ] as [(String?, Bool)] {
                let start = try await fixture.begin()
                let name = issuer.map { "&iss=" + FormFields.encoded($0) } ?? ""
                let callback = AuthorizationCallback.query(
                    fixture.carrier.authorize(start.url) + "&mccmnc=310260" + name)
                guard !isRight else {
                    let user = try await fixture.party.completeLogin(callback: callback, binding: start.binding)
                    #expect(user.issuer == CarrierWeb.verizon && user.zenKey?.network?.digits == "310010")
                    continue
                }
                let calls = fixture.web.calls
                let error = try await refusal {
                    try await fixture.party.completeLogin(callback: callback, binding: start.binding)
                }
                #expect(error == .callback(.issuerMismatch), "\(isAnnounced) \(issuer ?? "none")")
                #expect(fixture.web.calls == calls)
            }
            #expect(fixture.web.tmobile.calls == 0)
        }
    }

    @Test("ZenKey case 15: a token must have the nonce that was sent (R05)")
    func nonces() async throws {
        let fixture = try ZenKeyFixture()
        let wrong: [ClaimValue?] = [nil, "", "x", 1, .null]
        for nonce in wrong {
            #expect(
                try await fixture.failure { $0.idTokenClaims = { $0["nonce"] = nonce } } == .idToken(.nonceMismatch))
        }
        _ = try await fixture.login()
    }

    @Test("ZenKey case 16: a token with a1 is rejected if a3 is requested, and a3 is accepted for a1")
    func levels() async throws {
        let fixture = try ZenKeyFixture()
        var request = LoginRequest.zenKey()
        request.acrValues = ["a3"]
        let low: [ClaimValue?] = ["a1", "a2", nil, "A3", "a4", ""]
        for acr in low {
            #expect(
                try await fixture.failure(request) { $0.idTokenClaims = { $0["acr"] = acr } } == .idToken(.acrTooLow))
        }
        #expect(
            try await fixture.failure(request) { $0.idTokenClaims = { $0["acr"] = 3 } } == .idToken(.claimType("acr")))
        fixture.carrier.script.idTokenClaims = { $0["acr"] = "a3" }
        _ = try await fixture.login(request)
        request.acrValues = ["a1"]
        _ = try await fixture.login(request)
        request.acrValues = ["a1", "a3"]
        fixture.carrier.script.idTokenClaims = { $0["acr"] = "a1" }
        _ = try await fixture.login(request)
    }

    @Test("wrong times, context and at_hash are rejected")
    func claims() async throws {
        let fixture = try ZenKeyFixture()
        let now = Int64(fixture.clock.now.secondsSince1970)
        let wrong: [(ClaimName, ClaimValue?, RelyingPartyError.Reason)] = [
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
            let error = try await fixture.failure(request) { $0.idTokenClaims = { $0[name.description] = value } }
            #expect(error == .idToken(failure), "\(name)")
        }
        for context in ["Pay 10 to Jane", "Pay 10", ""] {
            fixture.carrier.script.idTokenClaims = { $0["context"] = .string(context) }
            _ = try await fixture.login(request)
        }
        // The request had no context, but the token has one.
        fixture.carrier.script.idTokenClaims = { $0["context"] = "Pay 10" }
        #expect(try await refusal { try await fixture.login() } == .idToken(.invalidParameter("context")))
    }

    @Test("ZenKey case 25: rejects a port token in place of an ID token, and accepts the type at+jwt of the samples")
    func otherKinds() async throws {
        let fixture = try ZenKeyFixture()
        for type in ["port_token+jwt", "PORT_TOKEN+JWT", "application/port_token+jwt"] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in try Self.token(claims, #","typ":"\#(type)""#) }
            }
            #expect(error == .idToken(.contentTypeMismatch), "\(type)")
        }
        let without = try await fixture.failure { $0.idTokenClaims = { claims in claims["exp"] = nil } }
        #expect(without == .idToken(.claimMissing("exp")))
        for form in ["a.b.c.d.e", "a.b", "x"] {
            #expect(try await fixture.failure { $0.idToken = { _ in form } } == .idToken(.malformed), "\(form)")
        }
        for member in [#","typ":"at+jwt""#, #","type":"at+jwt""#, ""] {
            fixture.carrier.script.idToken = { claims in try Self.token(claims, member) }
            _ = try await fixture.login()
        }
    }

    private static func token(_ claims: ClaimsBuilder, _ member: String, kid: String? = "provider-signature") throws
        -> String
    {
        let keyID = kid.map { #","kid":"\#($0)""# } ?? ""
        return try Forge.signed(
            header: #"{"alg":"RS256"\#(keyID)\#(member)}"#,
            payload: String(decoding: claims.json(), as: UTF8.self),
            with: .privateKey(TestKeys.provider), .rs256)
    }

    @Test("ZenKey case 27: a key set with a private key is rejected, and a token without kid requires a set of one key")
    func keys() async throws {
        let fixture = try ZenKeyFixture()
        fixture.carrier.script.idToken = { claims in try Self.token(claims, "", kid: nil) }
        _ = try await fixture.login()
        let crowded = try ZenKeyFixture()
        crowded.carrier.script.published.append(TestKeys.nextProvider.publicKey)
        let error = try await crowded.failure { script in
            script.idToken = { claims in try Self.token(claims, "", kid: nil) }
        }
        #expect(error == .idToken(.keyNotFound))
        _ = try await crowded.login()

        let leaking = try ZenKeyFixture()
        let secret = String(decoding: try TestKeys.provider.exportPrivateJWK(), as: UTF8.self)
        let refused = try await leaking.failure { script in
            script.answers[.keys] = { _ in .json(#"{"keys":[\#(secret)]}"#) }
        }
        let named = UnusableKey(index: 0, keyID: TestKeys.provider.keyID, reason: .keyInvalid(.privateInPublicSet))
        #expect(refused == RelyingPartyError(.keySetRejected(.privateKey, keys: [named]), in: .discovery))
        leaking.clock.advance(by: .seconds(600))
        _ = try await leaking.login()
    }

    @Test("tokens with made-up kids do not cause repeated fetches of the carrier's keys")
    func floods() async throws {
        let fixture = try ZenKeyFixture()
        for number in 0..<20 {
            let error = try await fixture.failure { script in
                script.idToken = { claims in try Self.token(claims, "", kid: "made-up-\(number)") }
            }
            #expect(error == .idToken(.keyNotFound))
        }
        #expect(fixture.carrier.calls(.keys) <= 2)
        _ = try await fixture.login()
    }
}
