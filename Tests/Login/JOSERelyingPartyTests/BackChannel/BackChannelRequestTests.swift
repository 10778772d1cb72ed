import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Requests for logins that the back end begins") struct BackChannelRequestTests {
    private func request(_ change: (inout LoginRequest) -> Void) -> LoginRequest {
        var request = LoginRequest()
        change(&request)
        return request
    }

    @Test("CIBA case 1: a request without a hint or with two is rejected before it is sent") func hints() async throws {
        let fixture = try PollingFixture()
        let names: [ParameterName] = ["login_hint", "login_hint_token", "id_token_hint"]
        let refused = RelyingPartyError.request(.invalidParameter("login_hint"))
        #expect(try await fixture.refused(LoginRequest()) == refused)
        let token = try fixture.fixture.provider.sign(fixture.fixture.provider.commonClaims())
        for name in names {
            let hint = name == "id_token_hint" ? token : "hint-1"
            var one = LoginRequest()
            one[name] = hint
            one.expectedSubject = "user-1"
            #expect(try await fixture.refused(one) == nil, "\(name)")
            let form = fixture.server.lastForm("/bc-authorize")
            #expect(form[name.description] == hint)
            #expect(names.filter { form[$0.description] != nil } == [name])
            for other in names where other != name {
                var two = one
                two[other] = "hint-2"
                #expect(try await fixture.refused(two) == refused, "\(name) \(other)")
            }
        }
    }

    @Test("an ID token as a hint is a JWT with the expected sub, unless it is encrypted (7.1)") func tokenHints()
        async throws
    {
        let fixture = try PollingFixture()
        let provider = fixture.fixture.provider
        func token(_ change: (inout ClaimsBuilder) -> Void = { _ in }) throws -> String {
            var claims = provider.commonClaims()
            change(&claims)
            return try provider.sign(claims)
        }
        let refused = RelyingPartyError.request(.invalidParameter("id_token_hint"))
        for (hint, subject, expected) in [
            (try token(), "user-1", nil), (try token(), "user-2", refused), (try token(), nil, refused),
            (try token { $0["sub"] = "user-2" }, "user-2", nil),
            (try token { $0["sub"] = "user-2" }, "user-1", refused),
            (try token { $0["sub"] = nil }, "user-1", refused), (try token { $0["sub"] = 7 }, "7", refused),
            ("hint-1", "user-1", refused), ("a.b", "user-1", refused), ("a.!.c", "user-1", refused),
            ("a.e30.c", "user-1", refused), ("a.bm8.c", "user-1", refused), ("a.b.c.d", "user-1", refused),
            ("a.b.c.d.e.f", "user-1", refused), ("eyJhbGciOiJSU0EtT0FFUCJ9.b.c.d.e", "user-1", nil),
            ("eyJhbGciOiJSU0EtT0FFUCJ9.b.c.d.e", nil, refused),
        ] as [(String, String?, RelyingPartyError?)] {
            var request = LoginRequest()
            request["id_token_hint"] = hint
            request.expectedSubject = subject
            #expect(try await fixture.refused(request) == expected, "\(hint.prefix(12)) \(subject ?? "none")")
        }
    }

    @Test("a request is sent as a form or signed, and no other delivery is sent in its place (CIBA, 7.1)")
    func deliveries() async throws {
        let refused = RelyingPartyError.request(.configurationError)
        for (delivery, expected) in [
            (.pushedParameters, nil), (.pushed, nil), (.object, refused), (.query, refused),
            (.reference("https://service.test/request"), refused),
        ] as [(RequestDelivery, RelyingPartyError?)] {
            let fixture = try PollingFixture { $0.backChannel?.request.deliveries = [delivery] }
            #expect(try await fixture.refused(PollingFixture.request) == expected, "\(delivery)")
            guard expected == nil else { continue }
            let form = fixture.server.lastForm("/bc-authorize")
            #expect((form["request"] == nil) == (delivery == .pushedParameters))
            #expect((form["login_hint"] == nil) == (delivery == .pushed))
        }
    }

    @Test(
        "a plain request has its parameters and the client's assertion, and no nonce or token for notifications (7.1)")
    func plainRequest() async throws {
        let fixture = try PollingFixture()
        var request = PollingFixture.request
        request.scopes.append("profile")
        request.acrValues = ["urn:a", "urn:b"]
        request.bindingMessage = "Order 4711 – 12 €"
        request.requestedExpiry = .seconds(90)
        _ = try await fixture.begin(request)
        let form = fixture.server.lastForm("/bc-authorize")
        #expect(
            Set(form.names) == [
                "scope", "login_hint", "acr_values", "binding_message", "requested_expiry", "client_assertion",
                "client_assertion_type",
            ])
        #expect(form["scope"] == "openid profile" && form["acr_values"] == "urn:a urn:b")
        #expect(form["binding_message"] == "Order 4711 – 12 €" && form["requested_expiry"] == "90")
    }

    @Test("CIBA case 2: a signed request is the only parameter besides the assertion, and cannot be without exp")
    func signedRequest() async throws {
        let fixture = try PollingFixture()
        var request = PollingFixture.request
        request.delivery = .pushed
        request.bindingMessage = "Order 4711"
        request.requestedExpiry = .seconds(90)
        _ = try await fixture.begin(request)
        let form = fixture.server.lastForm("/bc-authorize")
        #expect(Set(form.names) == ["request", "client_assertion", "client_assertion_type"])
        let claims = try JSON(fixture.fixture.provider.requestObject(try #require(form["request"])))
        guard case .object(let members) = claims else {
            Issue.record("no object")
            return
        }
        #expect(
            Set(members.keys) == [
                "iss", "aud", "iat", "exp", "nbf", "jti", "scope", "login_hint", "binding_message", "requested_expiry",
            ])
        let now = Int(fixture.clock.now.secondsSince1970)
        #expect(claims["iss"]?.string == fixture.fixture.client.id && claims["aud"]?.string == LoginFixture.issuer)
        #expect(
            claims["iat"]?.text == "\(now)" && claims["nbf"]?.text == "\(now)" && claims["exp"]?.text == "\(now + 60)")
        #expect(claims["requested_expiry"]?.text == "90" && claims["login_hint"]?.string == "planted-hint@example.com")
        request["login_hint"] = "another-hint@example.com"
        _ = try await fixture.begin(request)
        let next = try #require(fixture.server.lastForm("/bc-authorize")["request"])
        let identifiers = [claims, try JSON(fixture.fixture.provider.requestObject(next))].map {
            $0["jti"]?.string ?? ""
        }
        #expect(Set(identifiers).count == 2 && identifiers.allSatisfy { $0.utf8.count >= 22 })
        for (seconds, isAccepted) in [(1, true), (300, true), (0, false), (-1, false), (301, false)] {
            let other = try PollingFixture { $0.backChannel?.request.object?.lifetime = .seconds(seconds) }
            let expected: RelyingPartyError? = isAccepted ? nil : .request(.configurationError)
            #expect(try await other.refused(request) == expected, "\(seconds)")
        }
        // A request of the back channel is signed alone (7.1.1).
        let encrypted = try PollingFixture {
            $0.backChannel?.request.object?.encryption = EncryptionRules(
                keyManagement: [.rsaOAEP], contentEncryption: [.a256gcm])
        }
        #expect(try await encrypted.refused(request) == .request(.configurationError))
    }

    @Test("a request is not signed while the clock shows no valid time") func invalidClock() async throws {
        let fixture = try PollingFixture()
        var request = PollingFixture.request
        request.delivery = .pushed
        let valid = fixture.clock.now
        _ = try await fixture.begin(request)
        request["login_hint"] = "another-hint@example.com"
        // The times that leave the fetched metadata, which the same clock measures, as fresh as it is.
        for seconds in [-Double.infinity, -0x1p54] {
            fixture.clock.now = NumericDate(secondsSince1970: seconds)
            #expect(
                try await refusal { try await fixture.begin(request) } == .request(.configurationError), "\(seconds)")
        }
        #expect(fixture.server.calls("/bc-authorize").count == 1)
        fixture.clock.now = valid
        #expect(try await refusal { try await fixture.begin(request) } == nil)
    }

    @Test("a signed request has an asymmetric algorithm that the provider announces (4 and 7.1.1)")
    func signatureAlgorithms() async throws {
        var request = PollingFixture.request
        request.delivery = .pushed
        let name = "backchannel_authentication_request_signing_alg_values_supported"
        for (announced, expected) in [
            (#"["RS256"]"#, nil), (#"["ES256"]"#, .request(.keyUnsuitable)), (#"["HS256"]"#, .request(.keyUnsuitable)),
            (nil, .request(.metadataMissing(.backchannelRequestSigningAlgorithms))),
            ("null", .request(.metadataMissing(.backchannelRequestSigningAlgorithms))),
            (#""RS256""#, .request(.metadataInvalid(.backchannelRequestSigningAlgorithms))),
        ] as [(String?, RelyingPartyError?)] {
            let fixture = try PollingFixture(metadata: [name: announced]) {
                $0.backChannel?.request.object?.algorithms = [.rs256, .es256, .hs256]
            }
            #expect(try await fixture.refused(request) == expected, "\(announced ?? "none")")
            // A plain request needs no algorithm.
            #expect(try await fixture.refused(PollingFixture.request) == nil)
        }
        let unsigned = try PollingFixture { $0.backChannel?.request.deliveries = [.pushedParameters] }
        #expect(try await unsigned.refused(request) == .request(.configurationError))
    }

    @Test("a binding message is short plain text, and requested_expiry a positive number") func parameters()
        async throws
    {
        let fixture = try PollingFixture()
        for (name, value, isAccepted) in [
            ("binding_message", String(repeating: "m", count: 64), true),
            ("binding_message", String(repeating: "é", count: 64), true),
            ("binding_message", String(repeating: "m", count: 65), false), ("binding_message", "", false),
            ("binding_message", "a\nb", false), ("binding_message", "a\u{202E}b", false),
            ("binding_message", "a\u{0}", false), ("requested_expiry", "1", true), ("requested_expiry", "0", false),
            ("requested_expiry", "-1", false), ("requested_expiry", "1000000000", true),
            ("requested_expiry", "1000000001", false), ("requested_expiry", "1.5", false),
            ("requested_expiry", "x", false),
            ("login_hint", String(repeating: "h", count: 1_025), false), ("client_notification_token", "t", false),
            ("prompt", "login", false), ("request", "r", false), ("nonce", "n", false),
        ] as [(ParameterName, String, Bool)] {
            var request = PollingFixture.request
            request[name] = value
            let expected: RelyingPartyError? = isAccepted ? nil : .request(.invalidParameter(name))
            #expect(try await fixture.refused(request) == expected, "\(name) \(value.prefix(8))")
        }
        let longer = try PollingFixture { $0.backChannel?.request.parameters["binding_message"] = .plainText(100) }
        var request = PollingFixture.request
        request.bindingMessage = String(repeating: "m", count: 100)
        #expect(try await longer.refused(request) == nil)
    }

    @Test("user_code is sent only to a provider that supports it (4)") func userCodes() async throws {
        var request = PollingFixture.request
        request["user_code"] = "1234"
        for (announced, isAccepted) in [("true", true), ("false", false), (nil, false)] as [(String?, Bool)] {
            let fixture = try PollingFixture(metadata: ["backchannel_user_code_parameter_supported": announced])
            let expected: RelyingPartyError? = isAccepted ? nil : .request(.invalidParameter("user_code"))
            #expect(try await fixture.refused(request) == expected)
        }
    }

    @Test("the provider must announce the endpoint, by https, and the poll mode (4)") func metadata() async throws {
        let endpoint = MetadataMember.backchannelAuthenticationEndpoint
        let modes = MetadataMember.backchannelTokenDeliveryModes
        for (member, value, expected) in [
            (modes, #"["poll"]"#, nil), (modes, #"["ping","push"]"#, .metadataInvalid(modes)),
            (modes, nil, .metadataMissing(modes)), (modes, "null", .metadataMissing(modes)),
            (modes, #""poll""#, .metadataInvalid(modes)), (modes, #"["poll",null]"#, .metadataInvalid(modes)),
            (endpoint, nil, .metadataMissing(endpoint)), (endpoint, #""""#, .metadataInvalid(endpoint)),
            (endpoint, #""http://provider.test/v2/bc-authorize""#, .metadataInvalid(endpoint)),
        ] as [(MetadataMember, String?, RelyingPartyError.Reason?)] {
            let fixture = try PollingFixture(metadata: [member.description: value])
            let error = try await fixture.refused(PollingFixture.request)
            #expect(error == expected.map { RelyingPartyError($0, in: .discovery) }, "\(member) \(value ?? "none")")
        }
    }

    @Test("a profile without rules begins no such login, and the secret of a session has at least 16 bytes")
    func settings() async throws {
        let refused = RelyingPartyError.request(.configurationError)
        let without = try PollingFixture { $0.backChannel = nil }
        #expect(try await without.refused(PollingFixture.request) == refused)
        let fixture = try PollingFixture()
        for (count, expected) in [(15, refused), (16, nil)] as [(Int, RelyingPartyError?)] {
            let error = try await refusal {
                try await fixture.party.beginBackChannelLogin(
                    PollingFixture.request, session: String(repeating: "s", count: count))
            }
            #expect(error == expected)
        }
    }
}
