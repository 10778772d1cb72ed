import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSESupport
import JOSETesting
import JOSETokens
import JOSEZenKey
import TestSupport
import Testing

@Suite("ZenKey: logins") struct ZenKeyLoginTests {
    @Test("ZenKey case 9: the Basic header has the raw client credentials, or form-encoded ones with that option")
    func happyPath() async throws {
        let fixture = try ZenKeyFixture()
        fixture.carrier.script.userInfoClaims = { $0["email_verified"] = "true" }
        let user = try await fixture.login(.zenKey([.email]))
        #expect(user.issuer == CarrierWeb.verizon && user.subject == "user-1")
        #expect(user.zenKey?.network?.digits == "310010")
        #expect(user.zenKey?.info?.isEmailVerified == true && user.zenKey?.info?.givenName == "Jan")
        #expect(user.zenKey?.portTokens == [])
        #expect(fixture.store.count == 0)
        let raw = try #require(fixture.carrier.last(.token)?.headers.first { $0.name == "Authorization" }?.value)
        #expect(raw == "Basic " + Base64.encode(Array("ccid-SP0001:se:cr+et/with spaces".utf8).span))
        let userInfo = try #require(
            fixture.carrier.last(.userInfo)?.headers.first { $0.name == "Authorization" }?.value)
        #expect(userInfo.hasPrefix("Bearer access-"))

        let encoding = try ZenKeyFixture(authentication: .clientSecretBasic(isFormEncoded: true))
        _ = try await refusal { try await encoding.login() }
        let encoded = encoding.carrier.last(.token)?.headers.first { $0.name == "Authorization" }?.value
        #expect(encoded == "Basic " + Base64.encode(Array("ccid-SP0001:se%3Acr%2Bet%2Fwith%20spaces".utf8).span))
    }

    @Test(
        "all requests of a call share one time limit: a request has at most what is left of it, and none is sent after it"
    )
    func timeLimit() async throws {
        // Each call has 15 seconds and two requests: discovery and keys, then token and userinfo.
        let fixture = try ZenKeyFixture()
        fixture.carrier.script.latency = .seconds(4)
        _ = try await fixture.login()
        fixture.carrier.script.latency = .seconds(11)
        _ = try await fixture.login()
        #expect(fixture.carrier.last(.token)?.deadline == .seconds(5))
        #expect(fixture.carrier.last(.userInfo)?.deadline == .seconds(4))

        let start = try await fixture.begin()
        let before = fixture.web.calls
        fixture.carrier.script.latency = .seconds(16)
        let error = try await refusal { try await fixture.finish(start) }
        #expect(error?.reason == .unreachable && error?.step == .idToken && fixture.web.calls == before + 1)

        let late = try ZenKeyFixture()
        late.carrier.script.latency = .seconds(16)
        let atStart = try await refusal { try await late.begin() }
        #expect(atStart?.reason == .unreachable && atStart?.step == .discovery)
        // The keys are fetched for all calls to come, and their request is sent before or after the end of this one.
        #expect(late.web.requests.count { !$0.url.hasSuffix("/keys") } == 1)
        late.carrier.script.latency = .zero
        _ = try await late.login()
    }

    @Test("a token under a new key that cannot be fetched within the time limit of the call is unreachable")
    func newKey() async throws {
        let fixture = try ZenKeyFixture()
        let clock = fixture.clock
        let service = try party(fixture.web, clock, .seconds(3))
        let network = try #require(MobileNetwork("310010"))
        func finish() async throws -> LoggedInUser {
            guard case .login(let start) = try await service.beginZenKey(.zenKey(), from: .network(network)) else {
                throw RelyingPartyError(.discoveryMismatch, in: .discovery)
            }
            // A fetch is due again.
            clock.advance(by: .seconds(120))
            let callback = AuthorizationCallback.query(fixture.carrier.authorize(start.url))
            return try await service.completeLogin(callback: callback, binding: start.binding)
        }
        _ = try await finish()
        fixture.carrier.script.signingKey = try PrivateKey.stored(keyID: "new")
        let oldKeys = fixture.carrier.keys(fixture.carrier.script)
        fixture.carrier.script.answers[.keys] = { _ in
            clock.advance(by: .seconds(6))
            return .json(oldKeys)
        }
        #expect(try await refusal { try await finish() } == RelyingPartyError(.unreachable, in: .idToken).usedUp)
    }

    @Test("a call does not wait for discovery beyond its time limit")
    func silentDiscovery() async throws {
        let paused = PausedWeb(CarrierWeb())
        let clock = TestClock()
        let network = try #require(MobileNetwork("310010"))
        let shortLimited = try party(paused, clock, .milliseconds(50))
        let error = try await refusal { try await shortLimited.beginZenKey(.zenKey(), from: .network(network)) }
        #expect(error == RelyingPartyError(.unreachable, in: .discovery))
        paused.release()
        let longLimited = try party(paused, clock, .seconds(600))
        guard case .login = try await longLimited.beginZenKey(.zenKey(), from: .network(network)) else {
            Issue.record("no login")
            return
        }
    }

    /// Returns a service whose calls have a time limit, and whose timers end by its clock.
    private func party(
        _ transport: any HTTPTransport, _ clock: TestClock, _ limit: Duration
    ) throws -> RelyingParty {
        var profile = ProviderProfile.zenKey
        profile.timeLimit = limit
        let environment = FetchEnvironment(
            now: { clock.now.secondsSince1970 },
            sleep: { until in
                while clock.now.secondsSince1970 < until { try await Task.sleep(for: .milliseconds(2)) }
            }, chance: { 0.5 }, wall: { clock.now.secondsSince1970 })
        return try RelyingParty(
            profile, in: .production,
            client: RelyingPartyClient(
                id: CarrierWeb.clientID, redirectURI: ZenKeyFixture.redirectURI,
                credentials: .secret(ZenKeyFixture.secret)),
            transport: transport, store: MemoryLoginStore(clock: clock.wallClock), clock: clock.wallClock,
            keySets: nil, observer: nil, fetching: environment)
    }

    @Test("ZenKey case 10: the body of the token request contains neither client_id nor the secret")
    func tokenBody() async throws {
        let fixture = try ZenKeyFixture()
        _ = try await fixture.login()
        let form = fixture.carrier.lastForm(.token)
        #expect(form.names == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(form["grant_type"] == "authorization_code" && form["redirect_uri"] == ZenKeyFixture.redirectURI)
        #expect(form["code_verifier"]?.utf8.count == 43)
    }

    @Test("ZenKey case 37: a response with a refresh_token gives no ticket, because a carrier's profile cannot refresh")
    func refreshToken() async throws {
        let addRefreshToken: @Sendable (String) -> String = {
            $0.replacing("{\"access", with: "{\"refresh_token\":\"r\",\"access")
        }
        let fixture = try ZenKeyFixture()
        fixture.carrier.script.tokenResponse = addRefreshToken
        let user = try await fixture.login()
        #expect(user.refreshTicket == nil && user.tokens.refreshToken == nil && !user.tokens.accessToken.isEmpty)
        // A profile that can refresh returns the ticket for an equal response.
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        let control = try LoginFixture(
            .openID(issuer: LoginFixture.issuer), manner: manner, request: LoginRequest())
        control.provider.script.tokenResponse = addRefreshToken
        #expect(try await control.login().refreshTicket?.refreshToken == "r")
    }

    @Test("ZenKey case 8: the error of a callback with another state is ignored")
    func states() async throws {
        let fixture = try ZenKeyFixture()
        let start = try await fixture.begin()
        let calls = fixture.web.calls
        for query in ["state=wrong&error=access_denied", "error=access_denied", "code=x&state=", "state=%00"] {
            let error = try await refusal {
                try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
            }
            #expect(error?.reason == (query.hasSuffix("%00") ? .malformed : .stateMismatch), "\(query)")
        }
        let state = try #require(FormFields(ofURL: start.url)["state"])
        let twice = try await refusal {
            try await fixture.party.completeLogin(callback: .query("state=\(state)&state=x"), binding: start.binding)
        }
        #expect(twice == .callback(.duplicateParameter("state")))
        // With the right state the error is reported.
        let denied = try await refusal {
            try await fixture.party.completeLogin(
                callback: .query("error=access_denied&state=\(state)"), binding: start.binding)
        }
        let code = try #require(ProviderErrorCode("access_denied"))
        #expect(denied == .callback(.providerError(code)) && denied?.action == .tellUser)
        #expect(fixture.web.calls == calls)
        let other = try await fixture.begin()
        let otherState = try #require(FormFields(ofURL: other.url)["state"])
        let codeless = try await refusal {
            try await fixture.party.completeLogin(callback: .query("state=\(otherState)"), binding: other.binding)
        }
        #expect(codeless == .callback(.missingParameter("code")))
        _ = try await fixture.login()
    }

    @Test("ZenKey case 11: a rejected verifier is request_denied, with the action to investigate")
    func verifiers() async throws {
        let fixture = try ZenKeyFixture()
        let error = try await fixture.failure { script in
            script.answers[.token] = { _ in .json(#"{"error":"request_denied"}"#, status: 400) }
        }
        let code = try #require(ProviderErrorCode("request_denied"))
        #expect(error == RelyingPartyError(.providerError(code), in: .tokenResponse))
        #expect(error?.action == .investigate && ZenKeyErrorType(code) == .requestDenied)
        // The login is used up, so that a second attempt is another login.
        #expect(fixture.store.count == 0)
        _ = try await fixture.login()
    }

    @Test("ZenKey case 18: rejects userinfo about another user (R11)")
    func subjects() async throws {
        let fixture = try ZenKeyFixture()
        for subject in ["user-2", "USER-1", "user-1 "] {
            #expect(
                try await fixture.failure { $0.userInfoClaims = { $0["sub"] = .string(subject) } }
                    == RelyingPartyError(.subjectMismatch, in: .userInfo))
        }
        #expect(
            try await fixture.failure { $0.userInfoClaims = { $0["email_verified"] = "yes" } }
                == RelyingPartyError(.claimType("email_verified"), in: .userInfo))
        let gone = try await fixture.failure { $0.answers[.userInfo] = { _ in TransportResponse(status: 401) } }
        #expect(gone?.action == .restart)
        var expecting = LoginRequest.zenKey()
        expecting.expectedSubject = "user-2"
        #expect(try await refusal { try await fixture.login(expecting) } == .idToken(.subjectMismatch))
        expecting.expectedSubject = "user-1"
        _ = try await fixture.login(expecting)
    }

    @Test("rejects another browser's callback, and one that is repeated (R06, R18)")
    func bindings() async throws {
        let fixture = try ZenKeyFixture()
        let attacker = try await fixture.begin()
        let victim = try await fixture.begin()
        let query = fixture.carrier.authorize(attacker.url)
        let calls = fixture.web.calls
        let forced = try await refusal {
            try await fixture.party.completeLogin(callback: .query(query), binding: victim.binding)
        }
        #expect(forced == .callback(.bindingMismatch))
        #expect(fixture.web.calls == calls)
        let own = fixture.carrier.authorize(victim.url)
        _ = try await fixture.party.completeLogin(callback: .query(own), binding: victim.binding)
        let again = try await refusal {
            try await fixture.party.completeLogin(callback: .query(own), binding: victim.binding)
        }
        #expect(again == .callback(.stateMismatch))
    }

    @Test("ZenKey case 24: port tokens of an ID token move the account, and ten thousand of them do not fail a login")
    func portTokens() async throws {
        let fixture = try ZenKeyFixture()
        let accounts = MemoryAccountStore<String>()
        let old = AccountReference(issuer: CarrierWeb.att, subject: "mccmnc-old")
        _ = try await accounts.link(AccountLink(old), to: "jane")
        let migration = try PortTokenMigration(fixture.party, store: accounts)
        let junk = [ClaimValue](repeating: "a.b.c", count: 10_000)
        fixture.carrier.script.idTokenClaims = { $0["aka"] = .array(junk) }
        let flooded = try await fixture.login()
        #expect(flooded.zenKey?.portTokens == [String](repeating: "a.b.c", count: 8))
        let nothing = try await migration.resolve(flooded)
        #expect(nothing.outcome == .unknown && nothing.refusals.count == 8)
        let good = try CarrierWeb.token(CarrierWeb.portClaims(issued: fixture.clock.now - .seconds(60)))
        fixture.carrier.script.idTokenClaims = { $0["aka"] = .string(good) }
        let user = try await fixture.login()
        #expect(try await migration.resolve(user).outcome == .moved("jane"))
        #expect(try await migration.resolve(user).outcome == .known("jane"))
        #expect(try await accounts.account(of: old) == nil)
        let itsme = try LoginFixture.itsmeV2()
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try PortTokenMigration(itsme.party, store: accounts)
        }
    }
}
