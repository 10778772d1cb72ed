import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("Threats at the endpoints") struct EndpointThreatTests {
    private func openID(_ options: OpenIDOptions = OpenIDOptions()) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    @Test("R14: the audience of a client assertion is the issuer only") func assertions() async throws {
        let fixture = try openID()
        _ = try await fixture.login()
        let assertion = try #require(fixture.provider.lastForm(.token)["client_assertion"])
        #expect(try UnverifiedToken(assertion).header.keyID == "s1")
        #expect(fixture.provider.lastForm(.token)["client_secret"] == nil)
    }

    @Test("R15 and R21: no URL in a response is fetched, and distributed claims are ignored")
    func addresses() async throws {
        let fixture = try openID()
        let provider = fixture.provider
        _ = try await fixture.login()
        let first = provider.calls
        provider.script.userInfoClaims = { $0["nickname"] = .string("plain") }
        #expect(try await fixture.login().string("nickname") == "plain")
        let each = provider.calls - first
        let other = "https://other.test/x"
        provider.script.idToken = { claims in
            let key = TestKeys.provider
            var claims = claims
            for name in ["request_uri", "jwks_uri", "picture", "profile"] { claims[name] = .string(other) }
            let header = #"{"alg":"RS256","kid":"\#(key.keyID ?? "")","jku":"\#(other)","x5u":"\#(other)"}"#
            let payload = String(decoding: claims.json(), as: UTF8.self)
            return try Forge.signed(header: header, payload: payload, with: .privateKey(key), .rs256)
        }
        provider.script.userInfoClaims = { claims in
            claims["_claim_names"] = .object([("nickname", .string("there"))])
            let source: ClaimValue = .object([("endpoint", .string(other)), ("access_token", .string("t"))])
            claims["_claim_sources"] = .object([("there", source)])
        }
        #expect(try await fixture.login().string("nickname") == nil)
        #expect(provider.calls - first == 2 * each)
        let strangers = provider.state.withLock { state in state.requests.count { $0.endpoint == nil } }
        #expect(strangers == 0)
    }

    @Test("a pushed request has at most what the requests before it left of the time limit of the call")
    func timeLimit() async throws {
        var options = OpenIDOptions()
        options.pushesRequests = true
        // The metadata and the keys are fetched before.
        for (latency, left) in [(4, 5), (6, 3), (8, nil)] {
            let fixture = try openID(options)
            fixture.provider.script.latency = .seconds(latency)
            let error = try await refusal { try await fixture.party.beginLogin(fixture.request) }
            #expect(fixture.provider.last(.pushed)?.deadline == left.map { .seconds($0) }, "\(latency)")
            #expect(error == (left == nil ? RelyingPartyError(.unreachable, in: .pushedRequest) : nil), "\(latency)")
        }
    }

    @Test("R16: the browser sends only client_id and the request_uri of a pushed request") func pushed() async throws {
        var options = OpenIDOptions()
        options.pushesRequests = true
        let fixture = try openID(options)
        let start = try await fixture.party.beginLogin(fixture.request)
        #expect(FormFields(ofURL: start.url).names == ["client_id", "request_uri"])
        #expect(start.urlExpires == fixture.clock.now + .seconds(600))
        #expect(try await fixture.finish(start).subject == "user-1")
        var request = fixture.request
        request.delivery = .pushed
        let signed = try await fixture.party.beginLogin(request)
        #expect(fixture.provider.lastForm(.pushed)["request"] != nil)
        #expect(try await fixture.finish(signed).subject == "user-1")
        for (answer, failure) in [
            (
                TransportResponse.json(#"{"request_uri":"urn:x","expires_in":60}"#),
                RelyingPartyError.Reason.unexpectedStatus(200)
            ),
            (.json(#"{"expires_in":60}"#, status: 201), .missingParameter("request_uri")),
            (.json(#"{"request_uri":"urn:x","expires_in":0}"#, status: 201), .invalidParameter("expires_in")),
            (.json(#"{"request_uri":"a b","expires_in":60}"#, status: 201), .invalidParameter("request_uri")),
            (.json("[]", status: 201), .malformed), (TransportResponse(status: 307), .unexpectedStatus(307)),
        ] {
            fixture.provider.script.answers[.pushed] = { _ in answer }
            #expect(try await fixture.failure() == RelyingPartyError(failure, in: .pushedRequest))
        }
        // The store has a mark for each of the two accepted request URIs, and no transaction.
        #expect(fixture.store.count == 2)
    }

    @Test("R22: invalid responses of the token endpoint are rejected") func tokenAnswers() async throws {
        let fixture = try openID()
        for (answer, failure) in [
            (
                TransportResponse.json(#"{"token_type":"Bearer","id_token":"a.b.c"}"#),
                RelyingPartyError.Reason.missingParameter("access_token")
            ),
            (.json(#"{"access_token":"a","id_token":"a.b.c"}"#), .missingParameter("token_type")),
            (.json(#"{"access_token":"a","token_type":"mac","id_token":"a.b.c"}"#), .invalidParameter("token_type")),
            (.json(#"{"access_token":"a","token_type":"bearer"}"#), .missingParameter("id_token")),
            (.json(#"{"access_token":"a","token_type":"bearer","id_token":null}"#), .missingParameter("id_token")),
            (.json(#"{"access_token":"a","token_type":"bearer","id_token":5}"#), .invalidParameter("id_token")),
            (.json(#"{"access_token":"a","access_token":"b"}"#), .malformed), (.json("[]"), .malformed),
            (
                TransportResponse(status: 200, headers: [TransportHeaderField("Content-Type", "text/html")]),
                .contentTypeMismatch
            ),
            (
                TransportResponse(status: 302, headers: [TransportHeaderField("Location", "https://other.test")]),
                .unexpectedStatus(302)
            ),
            (TransportResponse(status: 500), .unexpectedStatus(500)),
            (
                .json(#"{"error":"invalid_client"}"#, status: 401),
                .providerError(try #require(ProviderErrorCode("invalid_client")))
            ),
            (TransportResponse(status: 200, body: [UInt8](repeating: 0x20, count: 300_000)), .tooLarge),
        ] {
            let error = try await fixture.failure { $0.answers[.token] = { _ in answer } }
            #expect(error == RelyingPartyError(failure, in: .tokenResponse))
            // The code is used up, whatever the response.
            #expect(error?.action != .retry)
        }
        for (fault, failure) in [
            (TransportError.deadlineExceeded, RelyingPartyError.Reason.unreachable), (.bodyTooLarge, .tooLarge),
            (.cancelled, .interrupted), (.tls(.untrusted), .unreachable),
        ] {
            let error = try await fixture.failure { $0.faults[.token] = fault }
            #expect(error == RelyingPartyError(failure, in: .tokenResponse))
        }
        #expect(fixture.provider.last(.token)?.redirectLimit == 0)
        #expect(fixture.provider.last(.token)?.bodyLimit == 262_144)
        #expect(try await fixture.failure { $0.tokenResponse = { $0.replacing("Bearer", with: "bEARER") } } == nil)
    }

    @Test("invalid_token in WWW-Authenticate restarts the login, also without the scheme Bearer (RFC 6750, 3)")
    func bearer() async throws {
        let fixture = try openID()
        for field in [#"Bearer realm="r", error="invalid_token""#, #"error="invalid_token""#] {
            let error = try await fixture.failure { script in
                script.answers[.userInfo] = { _ in
                    TransportResponse(status: 401, headers: [TransportHeaderField("WWW-Authenticate", field)])
                }
            }
            #expect(
                error
                    == RelyingPartyError(
                        .providerError(try #require(ProviderErrorCode("invalid_token"))), in: .userInfo))
            #expect(error?.action == .restart)
        }
        let error = try await fixture.failure { $0.answers[.userInfo] = { _ in TransportResponse(status: 401) } }
        #expect(error?.reason == .unexpectedStatus(401))
        #expect(error?.action == .restart)
    }

    @Test("R23: a refreshed ID token of another user, issuer, audience, login time or nonce is rejected")
    func refresh() async throws {
        let fixture = try openID()
        fixture.provider.script.tokenResponse = { $0.replacing("{\"access", with: "{\"refresh_token\":\"r\",\"access") }
        let ticket = try #require(try await fixture.login().refreshTicket)
        let tokens = try await fixture.party.refresh(ticket)
        #expect(tokens.ticket.refreshToken == "r")
        #expect(tokens.idToken != nil)
        #expect(fixture.provider.lastForm(.token)["grant_type"] == "refresh_token")
        let now = Int64(fixture.clock.now.secondsSince1970)
        for (claims, failure) in [
            (["sub": "other"], RelyingPartyError.Reason.subjectMismatch),
            (["iss": "https://other.test"], .issuerMismatch),
            (["aud": "other"], .audienceMismatch), (["auth_time": .integer(now + 10)], .claimUnexpected("auth_time")),
            (["nonce": "other"], .nonceMismatch), (["nonce": .string(ticket.nonce ?? "")], nil),
            (["events": [:]], .claimUnexpected("events")), (["at_hash": "x"], .hashMismatch),
            (["azp": "other"], .authorizedPartyMismatch), (["azp": "partner-code"], nil),
            (["jti": 1], .claimType("jti")), (["auth_time": "x"], .claimType("auth_time")),
        ] as [([String: ClaimValue], RelyingPartyError.Reason?)] {
            fixture.provider.script.idTokenClaims = { set in for (name, value) in claims { set[name] = value } }
            #expect(try await refusal { try await fixture.party.refresh(ticket) }?.reason == failure)
        }
        let itsme = try LoginFixture.itsmeV2()
        #expect(try await refusal { try await itsme.party.refresh(ticket) }?.reason == .configurationError)
    }

    @Test("R24: a logout token of a wrong form is rejected, and a valid one is accepted once")
    func logout() async throws {
        let fixture = try openID()
        let now = Int64(fixture.clock.now.secondsSince1970)
        func token(
            _ id: String, type: String = "logout+jwt", _ change: (inout ClaimsBuilder) -> Void = { _ in }
        ) throws -> String {
            var claims: ClaimsBuilder = [
                "iss": .string(LoginFixture.issuer), "aud": "partner-code", "iat": .integer(now),
                "exp": .integer(now + 120),
                "jti": .string(id), "sid": "session", "sub": "user-1",
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]
            change(&claims)
            return try Forge.signed(
                header: #"{"alg":"RS256","kid":"provider-signature","typ":"\#(type)"}"#,
                payload: String(decoding: claims.json(), as: UTF8.self), with: .privateKey(TestKeys.provider), .rs256)
        }
        let first = try token("1")
        let notice = try await fixture.party.acceptLogout(token: first)
        #expect(notice.issuer == LoginFixture.issuer)
        #expect(notice.subject == "user-1")
        #expect(notice.sessionID == "session")
        try await fixture.party.confirmLogout(notice)
        for (text, failure) in [
            (first, RelyingPartyError.Reason.replayed),
            (try token("2") { $0["nonce"] = "n" }, .claimUnexpected("nonce")),
            (try token("3", type: "JWT"), .contentTypeMismatch),
            (try token("4") { $0["events"] = nil }, .claimMissing("events")),
            (try token("5") { $0["aud"] = "other" }, .audienceMismatch), (try token("6") { $0["exp"] = 1 }, .expired),
        ] {
            #expect(
                try await refusal { try await fixture.party.acceptLogout(token: text) }
                    == RelyingPartyError(failure, in: .logoutToken))
        }
    }

    @Test("revoking a token that the provider does not know succeeds (RFC 7009)") func revocation() async throws {
        let fixture = try openID()
        try await fixture.party.revoke("token")
        #expect(fixture.provider.lastForm(.revocation)["token"] == "token")
        for (code, isRefused) in [("unsupported_token_type", false), ("invalid_client", true)] {
            fixture.provider.script.answers[.revocation] = { _ in .json(#"{"error":"\#(code)"}"#, status: 400) }
            #expect((try await refusal { try await fixture.party.revoke("token") } != nil) == isRefused)
        }
    }

    @Test("R27: a callback that is too long, or has too many or duplicate parameters, is rejected without a request")
    func floods()
        async throws
    {
        let fixture = try openID()
        let start = try await fixture.party.beginLogin(fixture.request)
        let good = fixture.provider.authorize(start.url)
        let calls = fixture.provider.calls
        for (query, failure) in [
            (good + "&x=" + String(repeating: "a", count: 1 << 20), RelyingPartyError.Reason.tooLarge),
            (good + (0..<1_000).map { "&p\($0)=1" }.joined(), .tooLarge),
            (good + "&state=other", .duplicateParameter("state")),
            (good + "&x=%zz", .malformed), (good + "&x=%ff", .malformed), (good + "&x=1&x=2", .malformed),
        ] {
            #expect(
                try await refusal {
                    try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
                } == RelyingPartyError(failure, in: .callback))
        }
        #expect(fixture.provider.calls == calls)
        #expect(
            try await fixture.party.completeLogin(callback: .query(good), binding: start.binding).subject == "user-1")
    }

    @Test("R28: the return path must be within the service, however a browser parses it") func returnPaths()
        async throws
    {
        let fixture = try openID()
        for path in [
            "https://evil.test", "//evil.test", "/\\evil.test", "/%2Fevil.test", "/%5cevil.test", "/%252Fevil.test",
            "javascript:alert(1)", "evil", "", "/a\nb", "/%0d%0aSet-Cookie:x", "/a%00", "/ x", "/a:b", "/%", "\\\\evil",
        ] {
            var request = fixture.request
            request.returnTo = path
            #expect(
                try await refusal { try await fixture.party.beginLogin(request) }
                    == RelyingPartyError(.invalidParameter("return_to"), in: .request), "\(path)")
        }
        for path in ["/", "/account?tab=2#top", "/caf%C3%A9", "/a/b?next=https%3A%2F%2Fx"] {
            var request = fixture.request
            request.returnTo = path
            #expect(try await fixture.login(request).returnTo == path)
        }
    }

    @Test("no description contains a secret or personal data") func descriptions() async throws {
        let fixture = try openID()
        let start = try await fixture.party.beginLogin(fixture.request)
        let query = fixture.provider.authorize(start.url)
        let user = try await fixture.party.completeLogin(callback: .query(query), binding: start.binding)
        var printed = ""
        for value in [
            start, AuthorizationCallback.query(query), user, user.tokens, user.itsme, fixture.client.credentials,
        ] as [Any] {
            print(value, to: &printed)
            dump(value, to: &printed)
            debugPrint(value, to: &printed)
        }
        for secret in [
            start.binding, "code-", "access-", "user-1", "Jan", try #require(FormFields(ofURL: start.url)["state"]),
        ] {
            #expect(printed.contains(secret) == false, "\(secret.prefix(5))")
        }
        #expect(printed.contains("LoggedInUser"))
    }
}
