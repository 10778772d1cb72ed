import JOSE
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

/// Profiles of providers that the library does not know, described by the public interface alone.
@Suite("Providers described outside of the library") struct OwnProviderTests {
    private static let levels = ["low", "middle", "high"]

    private static func fixture(
        rules: [LoginRule] = IDTokenRules.openIDRules(), _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo, manner.usesPKCE) = (.signed, .json, true)
        var profile = ProviderProfile(name: "own", production: nil)
        profile.userInfo = UserInfoRules(form: .json)
        profile.idToken.rules = rules
        change(&profile)
        return try LoginFixture(profile, manner: manner, request: LoginRequest())
    }

    @Test("a profile with nothing but its issuer logs users in by OpenID Connect")
    func plain() async throws {
        let fixture = try Self.fixture()
        let user = try await fixture.login()
        #expect(user.issuer == LoginFixture.issuer && user.subject == "user-1")
        let error = try await fixture.failure { $0.idTokenClaims = { $0["nonce"] = "another" } }
        #expect(error == .idToken(.nonceMismatch))
    }

    @Test("rules for a provider's own claims reject what violates them, in their order")
    func ownClaims() async throws {
        let own = LoginRule { login throws(RelyingPartyError.Reason) in
            guard let noted = login.notes["own.text"] else { return }
            guard try login.string("text") == noted else { throw .claimUnexpected("text") }
            #expect(login.issuer == LoginFixture.issuer && login.scopes == ["openid"] && !login.isProduction)
            #expect(login.leeway == .seconds(60) && "\(login)" == "LoginContext")
        }
        let rules =
            IDTokenRules.openIDRules() + [
                .requiredString("number"), .claim("status", isOneOf: ["a", "b"]), .required("any"), .forbidden("other"),
                own,
            ]
        let fixture = try Self.fixture(rules: rules)
        var request = LoginRequest()
        request.notes["own.text"] = "agreed"
        for (change, reason) in [
            ([:], nil), (["status": "b"], nil), (["any": .null], nil),
            (["number": nil], RelyingPartyError.Reason.claimMissing("number")),
            (["number": ""], .claimMissing("number")), (["number": 1], .claimType("number")),
            (["status": nil], .claimMissing("status")), (["status": "A"], .claimUnexpected("status")),
            (["status": ["a"]], .claimType("status")), (["any": nil], .claimMissing("any")),
            (["other": .null], .claimUnexpected("other")), (["text": "Agreed"], .claimUnexpected("text")),
            (["text": 1], .claimType("text")),
            // The first rule of the list is reported.
            (["number": nil, "status": nil, "nonce": "x"], .nonceMismatch),
            (["number": nil, "status": nil], .claimMissing("number")),
        ] as [([String: ClaimValue?], RelyingPartyError.Reason?)] {
            fixture.provider.script.idTokenClaims = { claims in
                claims["number"] = "7"
                claims["status"] = "a"
                claims["any"] = 1
                claims["text"] = "agreed"
                for (name, value) in change { claims[name] = value }
            }
            #expect(try await fixture.failure(request)?.reason == reason, "\(change.keys.sorted())")
        }
    }

    @Test("ordered levels of assurance: the requested one and higher ones are accepted")
    func orderedLevels() async throws {
        let levels = Self.levels
        let fixture = try Self.fixture(rules: IDTokenRules.openIDRules(levels: .acr { levels.firstIndex(of: $0) }))
        for (wanted, given, isReached) in [
            ("middle", "middle", true), ("middle", "high", true), ("middle", "low", false), ("middle", nil, false),
            ("middle", "other", false), ("high low", "low", true), ("other", "other", true), ("other", "high", false),
            ("", "other", true), ("", nil, true),
        ] {
            var request = LoginRequest()
            request.acrValues = wanted.split(separator: " ").map(String.init)
            fixture.provider.script.idTokenClaims = { $0["acr"] = given.map { .string($0) } }
            let error = try await fixture.failure(request)
            #expect(error?.reason == (isReached ? nil : .acrTooLow), "\(wanted): \(given ?? "none")")
        }
    }

    @Test("a rule with another reason reports it for a value that is not accepted alone")
    func reasons() async throws {
        let fixture = try Self.fixture(rules: [
            .issuer, .audience(trusted: nil), .issuedAt.reporting(.notYetValid), .expiration, .nonce,
        ])
        let now = Int64(fixture.clock.now.secondsSince1970)
        for (value, reason) in [
            (.integer(now), nil), (.integer(now + 61), RelyingPartyError.Reason.notYetValid),
            (nil, .claimMissing("iat")), ("x", .claimType("iat")), (-1, .claimType("iat")),
        ] as [(ClaimValue?, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = { $0["iat"] = value } }
            #expect(error?.reason == reason)
        }
    }

    @Test("sub is checked whatever the rules of a profile are, and so is auth_time if max_age was requested")
    func always() async throws {
        let fixture = try Self.fixture(rules: [.issuer, .audience(trusted: nil), .expiration, .nonce])
        for (name, value, reason) in [
            ("sub", "user-1", nil), ("sub", "é", RelyingPartyError.Reason.claimType("sub")),
            ("sub", .string(String(repeating: "a", count: 256)), .claimType("sub")), ("sub", "", .claimMissing("sub")),
            ("sub", 1, .claimType("sub")), ("auth_time", 0, nil),
            // ADFS writes text in place of the number (RFC 7519, 2), and other servers null.
            ("auth_time", -1, nil), ("auth_time", "2026-11-27T12:00:00.000Z", nil), ("auth_time", .null, nil),
        ] as [(ClaimName, ClaimValue, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { $0.idTokenClaims = { $0[name.description] = value } }
            #expect(error?.reason == reason, "\(name)")
        }
        var aged = fixture.request
        aged.maximumAge = .seconds(60)
        let now = Int64(fixture.clock.now.secondsSince1970)
        for (value, reason) in [
            (.integer(now), nil), ("2026-11-27T12:00:00.000Z", RelyingPartyError.Reason.claimType("auth_time")),
            (.null, .claimType("auth_time")), (-1, .claimType("auth_time")),
        ] as [(ClaimValue, RelyingPartyError.Reason?)] {
            fixture.provider.script.idTokenClaims = { $0["auth_time"] = value }
            #expect(try await fixture.failure(aged)?.reason == reason)
        }
        // A subject of 255 characters is accepted.
        let long = ClaimValue.string(String(repeating: "a", count: 255))
        let error = try await fixture.failure {
            $0.idTokenClaims = { $0["sub"] = long }
            $0.userInfoClaims = { $0["sub"] = long }
        }
        #expect(error == nil)
    }

    @Test("error codes of a table have the meaning of the table, and others that of OAuth")
    func errorCodes() async throws {
        let fixture = try Self.fixture {
            $0.errors = ErrorRules([
                "own_cancelled": ErrorMeaning(.cancelled, action: .tellUser),
                "own_locked": ErrorMeaning(action: .tellUser),
            ])
        }
        for (code, reason, action) in [
            ("own_cancelled", .cancelled, .tellUser), ("own_locked", nil, .tellUser),
            ("own_other", nil, .fixConfiguration),
            ("login_required", nil, .restart),
        ] as [(String, RelyingPartyError.Reason?, RelyingPartyError.Action)] {
            let start = try await fixture.party.beginLogin()
            let state = FormFields(ofURL: start.url)["state"] ?? ""
            let error = try await refusal {
                try await fixture.party.completeLogin(
                    callback: .query("error=\(code)&state=\(state)"), binding: start.binding)
            }
            #expect(try error?.reason == reason ?? .providerError(#require(ProviderErrorCode(code))), "\(code)")
            #expect(error?.action == action, "\(code)")
        }
    }

    @Test("parameters that the profile lists are sent or, where it says so, left out; all others are rejected")
    func parameters() async throws {
        let fixture = try Self.fixture {
            $0.request.parameters["theme"] = .oneOf(["light", "dark"])
            $0.request.parameters["hint"] = ParameterRule { $0.utf8.count < 4 }.dropping
            $0.request.check = { request, client throws(RelyingPartyError.Reason) in
                guard client.id == "partner-code" else { throw .configurationError }
                if request["theme"] == nil { request["theme"] = "light" }
            }
        }
        var request = LoginRequest()
        request["hint"] = "1234"
        let start = try await fixture.party.beginLogin(request)
        #expect(FormFields(ofURL: start.url)["theme"] == "light" && start.dropped == ["hint"])
        request["theme"] = "pink"
        #expect(try await fixture.failure(request) == .request(.invalidParameter("theme")))
        request["theme"] = "dark"
        request["colour"] = "red"
        #expect(try await fixture.failure(request) == .request(.invalidParameter("colour")))
        request["colour"] = nil
        _ = try await fixture.login(request)
    }

    @Test("a duplicate of a provider's own parameter is reported by its name, and that of any other is not")
    func duplicates() async throws {
        for (names, reason) in [
            (["own"], RelyingPartyError.Reason.duplicateParameter("own")), ([], .malformed),
        ] as [([ParameterName], RelyingPartyError.Reason)] {
            let fixture = try Self.fixture { $0.callback.parameters = names }
            let start = try await fixture.party.beginLogin()
            let query = fixture.provider.authorize(start.url)
            let error = try await refusal {
                try await fixture.party.completeLogin(
                    callback: .query(query + "&own=1&own=2"), binding: start.binding)
            }
            #expect(error == RelyingPartyError(reason, in: .callback))
            _ = try await fixture.party.completeLogin(callback: .query(query + "&own=1"), binding: start.binding)
        }
    }

    @Test("an environment that the provider does not have, and values that can never work, are rejected")
    func settings() throws {
        func party(
            _ environment: ProviderEnvironment, name: String = "own",
            _ change: (inout ProviderProfile) -> Void = { _ in }
        ) throws -> RelyingParty {
            var profile = ProviderProfile(name: name, production: "https://id.own.test")
            change(&profile)
            return try RelyingParty(
                profile, in: environment,
                client: RelyingPartyClient(
                    id: "c", redirectURI: "https://service.test/callback",
                    credentials: .keys(signing: TestKeys.client)),
                transport: ScriptedProvider(
                    issuer: LoginFixture.issuer,
                    manner: ProviderManner(authentication: .assertion(audience: "", isEncrypted: false)),
                    clock: TestClock()),
                store: MemoryLoginStore())
        }
        let wrong = RelyingPartyError(.configurationError, in: .configuration)
        _ = try party(.production)
        _ = try party(.sandbox(issuer: "https://localhost:1"))
        #expect(throws: wrong) { try party(.test) }
        _ = try party(.production, name: "o")
        #expect(throws: wrong) { try party(.production, name: "") }
        for seconds in [0, 300] { _ = try party(.production) { $0.idToken.leeway = .seconds(seconds) } }
        for seconds in [-1, 301] {
            #expect(throws: wrong) { try party(.production) { $0.idToken.leeway = .seconds(seconds) } }
        }
        _ = try party(.production) { $0.timeLimit = .seconds(1) }
        for seconds in [0, -1] {
            #expect(throws: wrong) { try party(.production) { $0.timeLimit = .seconds(seconds) } }
        }
        _ = try party(.production) { $0.lifetime = .seconds(1) }
        for seconds in [0, -1] { #expect(throws: wrong) { try party(.production) { $0.lifetime = .seconds(seconds) } } }
    }
}
