import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// The threats of a relying party, row by row, as far as the tests of a provider do not cover them.
@Suite("Threats of a relying party") struct ThreatTests {
    private static let issuer = LoginFixture.issuer

    private func openID(_ options: OpenIDOptions = OpenIDOptions()) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: Self.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(.openID(issuer: Self.issuer, options: options), manner: manner, request: LoginRequest())
    }

    private func callback(_ fixture: LoginFixture, _ start: AuthorizationRequest, _ query: String) async throws
        -> RelyingPartyError?
    {
        try await refusal { try await fixture.party.completeLogin(callback: .query(query), binding: start.binding) }
    }

    @Test("R01, R08 and R17: the issuer of a response, also of an error, must be that of the login, byte for byte")
    func mixUp() async throws {
        let fixture = try openID()
        fixture.provider.script.metadata["authorization_response_iss_parameter_supported"] = "true"
        for (suffix, failure) in [
            ("&iss=" + FormFields.encoded(Self.issuer), nil), ("", RelyingPartyError.Reason.issuerMismatch),
            ("&iss=https%3A%2F%2Fother.test", .issuerMismatch),
            ("&iss=" + FormFields.encoded(Self.issuer + "/"), .issuerMismatch),
        ] {
            let start = try await fixture.party.beginLogin(fixture.request)
            let calls = fixture.provider.calls(.token)
            let query = fixture.provider.authorize(start.url) + suffix
            #expect(try await callback(fixture, start, query)?.reason == failure)
            #expect(fixture.provider.calls(.token) == calls + (failure == nil ? 1 : 0))
        }
        let start = try await fixture.party.beginLogin(fixture.request)
        let state = try #require(FormFields(ofURL: start.url)["state"])
        #expect(try await callback(fixture, start, "error=access_denied&state=\(state)")?.reason == .issuerMismatch)
        // Metadata of another issuer are rejected.
        let other = try openID()
        other.provider.script.metadata["issuer"] = #""https://provider.test/v2/""#
        #expect(try await other.failure() == RelyingPartyError(.discoveryMismatch, in: .discovery))
    }

    @Test("R02 and R03: the code of another login fails by PKCE, and PKCE is never omitted") func injection()
        async throws
    {
        let fixture = try openID()
        fixture.provider.script.metadata["code_challenge_methods_supported"] = #"["plain"]"#
        let attacker = try await fixture.party.beginLogin(fixture.request)
        let victim = try await fixture.party.beginLogin(fixture.request)
        #expect(FormFields(ofURL: victim.url)["code_challenge_method"] == "S256")
        let code = fixture.provider.authorize(attacker.url).split(separator: "&")[0]
        let state = try #require(FormFields(ofURL: victim.url)["state"])
        let error = try await callback(fixture, victim, "\(code)&state=\(state)")
        #expect(
            error
                == RelyingPartyError(
                    .providerError(try #require(ProviderErrorCode("invalid_grant"))), in: .tokenResponse))
        #expect(error?.action == .restart)
        #expect(try await fixture.login().subject == "user-1")
    }

    @Test("R04 and R18: a state is accepted once, within ten minutes") func states() async throws {
        let fixture = try openID()
        let first = try await fixture.party.beginLogin(fixture.request)
        let query = fixture.provider.authorize(first.url)
        #expect(try await callback(fixture, first, query) == nil)
        let calls = fixture.provider.calls
        #expect(try await callback(fixture, first, query) == RelyingPartyError(.stateMismatch, in: .callback))
        for (age, failure) in [(599.0, nil), (600.0, RelyingPartyError.Reason.stateMismatch)] {
            let start = try await fixture.party.beginLogin(fixture.request)
            let query = fixture.provider.authorize(start.url)
            fixture.clock.advance(by: .seconds(age))
            #expect(try await callback(fixture, start, query)?.reason == failure)
        }
        #expect(fixture.provider.calls(.token) == 2)
        #expect(fixture.provider.calls >= calls)
        let start = try await fixture.party.beginLogin(fixture.request)
        for name in ["state", "nonce"] { #expect(FormFields(ofURL: start.url)[name]?.utf8.count == 43) }
    }

    @Test("R07: the redirect URI is a registered one, https, byte for byte") func redirectURIs() throws {
        func make(_ uri: String) throws {
            _ = try LoginFixture(
                .openID(issuer: LoginFixture.issuer), manner: ProviderManner(authentication: .secretPost),
                request: LoginRequest(), redirectURIs: [uri])
        }
        try make("https://service.test/callback?a=b")
        for uri in ["http://service.test/c", "app://c", "https://service.test/c#f", "https://a@service.test/c", ""] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) { try make(uri) }
        }
    }

    @Test("R09 and R11: an ID token with another audience, authorized party or hash is rejected") func substitution()
        async throws
    {
        let fixture = try openID()
        for (claims, failure) in [
            (["aud": ["partner-code", "other"], "azp": "partner-code"], RelyingPartyError.Reason.audienceMismatch),
            (["aud": ["partner-code"]], nil), (["azp": "other"], .authorizedPartyMismatch),
            (["azp": "partner-code"], nil), (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], .hashMismatch),
            (["c_hash": 1], .hashMismatch),
        ] as [([String: ClaimValue], RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { script in
                script.idTokenClaims = { set in for (name, value) in claims { set[name] = value } }
            }
            #expect(error?.reason == failure)
        }
        #expect(
            try await fixture.failure { $0.userInfoClaims = { $0["sub"] = "other" } }
                == RelyingPartyError(.subjectMismatch, in: .userInfo))
    }

    @Test("R10: the profile chooses the algorithm and the keys, not the token") func algorithms()
        async throws
    {
        let fixture = try openID()
        let payload: @Sendable (ClaimsBuilder) -> String = { String(decoding: $0.json(), as: UTF8.self) }
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"PS256","kid":"provider-signature"}"#,
            #"{"alg":"ES256"}"#, #"{"alg":"rs256"}"#,
        ] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    try Forge.signed(
                        header: header, payload: payload(claims), with: .privateKey(TestKeys.provider), .rs256)
                }
            }
            #expect(error == RelyingPartyError(.algorithmNotAllowed, in: .idToken), "\(header)")
        }
        let jwk = TestKeys.stranger.publicKey.jwk()
        for (more, failure) in [
            (#","jwk":\#(jwk)"#, RelyingPartyError.Reason.keyNotFound),
            (#","jku":"https://evil.test/keys","kid":"stranger""#, .keyNotFound),
            (#","kid":"provider-signature""#, .signatureInvalid), (#","kid":"../../dev/null""#, .keyNotFound),
            (#","kid":null"#, .malformed), (#","kid":"\#(String(repeating: "k", count: 13_000))""#, .keyNotFound),
        ] {
            let calls = fixture.provider.calls
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    try Forge.signed(
                        header: #"{"alg":"RS256"\#(more)}"#, payload: payload(claims),
                        with: .privateKey(TestKeys.stranger), .rs256)
                }
            }
            // Without a kid every key that matches is tried, and none verifies the signature.
            let wanted = more.contains("jwk\"") ? RelyingPartyError.Reason.signatureInvalid : failure
            #expect(error?.reason == wanted, "\(more.prefix(30))")
            #expect(fixture.provider.calls <= calls + 2)
        }
        #expect(try await fixture.failure() == nil)
    }

    @Test("an ID token that is too large, too deep or of another type is rejected") func shapes() async throws {
        let fixture = try openID()
        let deep = String(repeating: "[", count: 100_000)
        for (text, failure) in [
            (String(repeating: "A", count: 200_000) + ".A.A", RelyingPartyError.Reason.malformed),
            ("", .invalidParameter("id_token")),
            (Forge.encoded(Array(deep.utf8)) + ".AA.AA", .tooLarge), ("a.b.c", .malformed),
        ] {
            let error = try await fixture.failure { $0.idToken = { _ in text } }
            let isRefused = error?.reason == failure || error?.reason == .tooLarge || error?.reason == .malformed
            #expect(isRefused, "\(text.count): \(String(describing: error))")
        }
        for type in ["at+jwt", "logout+jwt", "port_token+jwt"] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    try Forge.signed(
                        header: #"{"alg":"RS256","kid":"provider-signature","typ":"\#(type)"}"#,
                        payload: String(decoding: claims.json(), as: UTF8.self), with: .privateKey(TestKeys.provider),
                        .rs256)
                }
            }
            #expect(error == RelyingPartyError(.contentTypeMismatch, in: .idToken))
        }
    }

    @Test("R25: times of a wrong type are rejected, and the leeway allows for clock differences")
    func times() async throws {
        let fixture = try openID()
        for value in [ClaimValue.string("1700000300"), .integer(-1), .json(Array("1e300".utf8)), .null, .bool(true)] {
            for (name, failure) in [
                ("exp", RelyingPartyError.Reason.claimType("exp")), ("iat", .claimType("iat")),
                ("nbf", .claimType("nbf")),
            ] {
                let error = try await fixture.failure { $0.idTokenClaims = { $0[name] = value } }
                #expect(error == RelyingPartyError(failure, in: .idToken))
            }
        }
        let now = fixture.clock.now.secondsSince1970
        for (name, value, failure) in [
            ("exp", now - 59, nil), ("exp", now - 60, RelyingPartyError.Reason.expired), ("nbf", now + 60, nil),
            ("nbf", now + 61, .notYetValid), ("iat", now + 61, .issuedInFuture),
        ] as [(String, Double, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = { $0[name] = .number(value) } }
            #expect(error?.reason == failure, "\(name) \(value)")
        }
    }

    @Test("R20: a login with a lower level, or an older auth_time, than requested is rejected")
    func levels() async throws {
        let fixture = try openID()
        var request = fixture.request
        request.acrValues = ["gold"]
        request.maximumAge = .seconds(60)
        let now = Int64(fixture.clock.now.secondsSince1970)
        for (claims, failure) in [
            (["acr": "gold"], nil), (["acr": nil], RelyingPartyError.Reason.acrTooLow), (["acr": "golD"], .acrTooLow),
            (["acr": "gold", "auth_time": .integer(now - 200)], .authenticationTooOld),
            (["acr": "gold", "auth_time": nil], .claimMissing("auth_time")),
            (["acr": "gold", "auth_time": "1700000000"], .claimType("auth_time")),
        ] as [([String: ClaimValue?], RelyingPartyError.Reason?)] {
            fixture.provider.script.idTokenClaims = { set in for (name, value) in claims { set[name] = value } }
            #expect(try await fixture.failure(request)?.reason == failure)
        }
    }
}
