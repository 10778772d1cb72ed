import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("Responses to logins that the back end begins") struct BackChannelAnswerTests {
    private func failure(_ acknowledgement: TransportResponse) async throws -> RelyingPartyError? {
        let fixture = try PollingFixture()
        fixture.server.state.withLock { $0.acknowledgement = acknowledgement }
        return try await refusal { try await fixture.begin() }
    }

    @Test("an acknowledgement has an auth_req_id of the allowed characters, and no lifetime of zero (CIBA, 7.3)")
    func acknowledgements() async throws {
        let longest = String(repeating: "a", count: 1_024)
        for (text, expected) in [
            (#"{"auth_req_id":"aZ0._-","expires_in":1}"#, nil),
            (#"{"auth_req_id":"\#(longest)","expires_in":120,"interval":7}"#, nil),
            (#"{"auth_req_id":"\#(longest)a","expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"auth_req_id":"a b","expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"auth_req_id":"a/b","expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"auth_req_id":"é","expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"auth_req_id":"","expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"auth_req_id":7,"expires_in":120}"#, .invalidParameter("auth_req_id")),
            (#"{"expires_in":120}"#, .missingParameter("auth_req_id")),
            (#"{"auth_req_id":null,"expires_in":120}"#, .missingParameter("auth_req_id")),
            (#"{"auth_req_id":"a"}"#, nil),
            (#"{"auth_req_id":"a","expires_in":0}"#, .invalidParameter("expires_in")),
            (#"{"auth_req_id":"a","expires_in":"0"}"#, .invalidParameter("expires_in")),
            (#"{"auth_req_id":"a","expires_in":-1}"#, .invalidParameter("expires_in")),
            (#"{"auth_req_id":"a","expires_in":"120"}"#, nil),
            (#"{"auth_req_id":"a","expires_in":120,"interval":"5"}"#, nil),
            (#"{"auth_req_id":"a","auth_req_id":"b","expires_in":120}"#, .malformed),
        ] as [(String, RelyingPartyError.Reason?)] {
            #expect(
                try await failure(.json(text)) == expected.map { RelyingPartyError($0, in: .pushedRequest) },
                "\(text.prefix(40))")
        }
    }

    @Test("the interval is that of the acknowledgement, and 5 seconds if there is none (CIBA, 7.3)") func intervals()
        async throws
    {
        for (member, seconds) in [
            ("", 5), (#","interval":2"#, 2), (#","interval":0"#, 1), (#","interval":30"#, 30), (#","interval":"7""#, 7),
            (#","interval":7.0"#, 7), (#","interval":null"#, 5), (#","interval":"soon""#, 5), (#","interval":-1"#, 5),
        ] {
            let fixture = try PollingFixture()
            fixture.server.state.withLock {
                $0.acknowledgement = .json(#"{"auth_req_id":"planted-1","expires_in":900\#(member)}"#)
            }
            let login = try await fixture.begin()
            #expect(login.interval == .seconds(seconds) && login.nextPoll == fixture.clock.now + .seconds(seconds))
            // No login takes longer than the profile allows.
            #expect(login.expires == fixture.clock.now + .seconds(600))
        }
    }

    @Test("the next poll is never later than the expiry, whatever the interval and Retry-After are") func nextPolls()
        async throws
    {
        for (members, seconds, first) in [
            (#""expires_in":120,"interval":7"#, 120, 7), (#""expires_in":120,"interval":120"#, 120, 120),
            (#""expires_in":120,"interval":1000000000"#, 120, 120), (#""expires_in":1"#, 1, 1),
            (#""expires_in":9007199254740992,"interval":9007199254740992"#, 600, 600),
            (#""expires_in":"120","interval":"7""#, 120, 7), (#""expires_in":120.0"#, 120, 5),
            // A lifetime that the provider does not state is that of the profile.
            (#""expires_in":null"#, 600, 5), (#""expires_in":"soon""#, 600, 5), (#""expires_in":[120]"#, 600, 5),
        ] {
            let fixture = try PollingFixture()
            fixture.acknowledge(#"{"auth_req_id":"planted-1",\#(members)}"#)
            let login = try await fixture.begin()
            #expect(login.expires == fixture.clock.now + .seconds(seconds), "\(members)")
            #expect(login.nextPoll == fixture.clock.now + .seconds(first) && login.interval == .seconds(first))
            #expect(try await fixture.next(login) == login.nextPoll)
        }
        for (delay, pause) in [("20", 20), ("86400", 115), ("9999999999", 115)] {
            let fixture = try PollingFixture()
            let login = try await fixture.begin()
            fixture.answer(TransportResponse(status: 503, headers: [TransportHeaderField("Retry-After", delay)]))
            fixture.clock.advance(by: .seconds(5))
            #expect(try await refusal { try await fixture.poll(login) }?.isRetryable == true)
            #expect(try await fixture.next(login) == fixture.clock.now + .seconds(pause), "\(delay)")
            fixture.clock.advance(by: .seconds(115))
            #expect(try await refusal { try await fixture.poll(login) }?.reason == .expired)
            #expect(fixture.polls == 1)
        }
    }

    @Test("a poll whose turn another poll has names no time after the expiry") func nextPollOfAnother() async throws {
        for (seconds, pause) in [(100, 5), (118, 2)] {
            let fixture = try PollingFixture()
            let login = try await fixture.begin()
            fixture.answer(PollingFixture.error("authorization_pending"))
            fixture.clock.advance(by: .seconds(seconds))
            let expected = fixture.clock.now + .seconds(pause)
            fixture.during {
                let next = try? await fixture.next(login)
                #expect(next == expected)
            }
            #expect(try await fixture.next(login) == expected && fixture.polls == 1)
        }
    }

    @Test("an auth_req_id that the provider returned before is replayed (R16)") func duplicates() async throws {
        let fixture = try PollingFixture()
        func begin(_ id: String) async throws -> RelyingPartyError? {
            fixture.server.state.withLock {
                $0.acknowledgement = .json(#"{"auth_req_id":"\#(id)","expires_in":120}"#)
            }
            return try await refusal { try await fixture.begin() }
        }
        #expect(try await begin("planted-1") == nil)
        #expect(try await begin("planted-1") == RelyingPartyError(.replayed, in: .pushedRequest))
        #expect(try await begin("planted-2") == nil)
    }

    @Test("each error of the authentication request has its own reason and action (CIBA, 13)") func errors()
        async throws
    {
        for (code, status, reason, action) in [
            ("access_denied", 403, .cancelled, .tellUser), ("unknown_user_id", 400, nil, .tellUser),
            ("expired_login_hint_token", 400, nil, .restart), ("missing_user_code", 400, nil, .tellUser),
            ("invalid_user_code", 400, nil, .tellUser), ("invalid_binding_message", 400, nil, .tellUser),
            ("invalid_client", 401, nil, .fixConfiguration), ("invalid_request", 400, nil, .fixConfiguration),
            ("unauthorized_client", 400, nil, .fixConfiguration),
        ] as [(String, Int, RelyingPartyError.Reason?, RelyingPartyError.Action)] {
            let error = try await failure(.json(#"{"error":"\#(code)"}"#, status: status))
            let reason = try reason ?? .providerError(#require(ProviderErrorCode(code)))
            #expect(error == RelyingPartyError(reason, in: .pushedRequest) && error?.action == action, "\(code)")
        }
        #expect(
            try await failure(TransportResponse(status: 503))
                == RelyingPartyError(.unexpectedStatus(503), in: .pushedRequest))
        let html = TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "text/html")], body: Array("{}".utf8))
        #expect(try await failure(html) == RelyingPartyError(.contentTypeMismatch, in: .pushedRequest))
    }

    @Test("CIBA case 11: the sub of the ID token is that of the hint, or the one that the request expects")
    func subjects() async throws {
        let fixture = try PollingFixture()
        var hint = LoginRequest()
        hint["id_token_hint"] = try fixture.fixture.provider.sign(fixture.fixture.provider.commonClaims())
        #expect(try await fixture.refused(hint) == .request(.invalidParameter("id_token_hint")))
        hint.expectedSubject = "user-1"
        var expected = PollingFixture.request
        expected.expectedSubject = "user-1"
        for request in [hint, expected] {
            #expect(try await fixture.failure(fixture.tokens(), request) == nil)
            #expect(
                try await fixture.failure(fixture.tokens { $0["sub"] = "user-2" }, request)
                    == .idToken(.subjectMismatch))
        }
    }

    @Test("an ID token has no nonce, unless the profile accepts one (CIBA, 10.1.1)") func nonces() async throws {
        let strict = try PollingFixture()
        #expect(try await strict.failure(strict.tokens()) == nil)
        #expect(
            try await strict.failure(strict.tokens { $0["nonce"] = "n" }) == .idToken(.claimUnexpected("nonce")))
        let lenient = try PollingFixture { $0.backChannel?.acceptsNonce = true }
        #expect(try await lenient.failure(lenient.tokens { $0["nonce"] = "n" }) == nil)
    }

    @Test("an ID token was not issued before the request, with the leeway of the profile") func issueTimes()
        async throws
    {
        let fixture = try PollingFixture()
        // The poll is 5 seconds after the request.
        let began = Int64(fixture.clock.now.secondsSince1970)
        #expect(
            try await fixture.failure(fixture.tokens { $0["iat"] = .integer(began - 60) }) == nil)
        let later = Int64(fixture.clock.now.secondsSince1970)
        #expect(
            try await fixture.failure(fixture.tokens { $0["iat"] = .integer(later - 61) }) == .idToken(.tooOld))
        #expect(
            try await fixture.failure(fixture.tokens { $0["iat"] = nil }) == .idToken(.claimMissing("iat")))
    }

    @Test("the claims about auth_req_id and the refresh token may be absent, and are compared if present (10.3.1)")
    func specialClaims() async throws {
        let fixture = try PollingFixture()
        let refresh = "4bwc0ESC_IAhflf-ACC_vjD_ltc11ne-8gFPfA2Kx16"
        let hash = "urn:openid:params:jwt:claim:rt_hash"
        let id = "urn:openid:params:jwt:claim:auth_req_id"
        let good = "sHahCuSpXCRg5mkDDvvr4w"
        #expect(try await fixture.failure(fixture.tokens(refreshToken: refresh)) == nil)
        #expect(
            try await fixture.failure(fixture.tokens(refreshToken: refresh) { $0[hash] = .string(good) }) == nil)
        #expect(
            try await fixture.failure(fixture.tokens(refreshToken: "other") { $0[hash] = .string(good) })
                == .idToken(.hashMismatch))
        #expect(
            try await fixture.failure(fixture.tokens { $0[hash] = .string(good) }) == .idToken(.hashMismatch))
        // The hash of an empty text is none of a refresh token that is absent.
        #expect(
            try await fixture.failure(fixture.tokens { $0[hash] = "47DEQpj8HBSa-_TImW-5JA" }) == .idToken(.hashMismatch)
        )
        #expect(
            try await fixture.failure(fixture.tokens(refreshToken: refresh) { $0[hash] = 7 })
                == .idToken(.claimType(ClaimName(stringLiteral: hash))))
        let next = fixture.server.state.withLock { $0.count } + 1
        #expect(
            try await fixture.failure(fixture.tokens { $0[id] = .string("planted-request-\(next)") }) == nil)
        #expect(
            try await fixture.failure(fixture.tokens { $0[id] = .string("planted-request-\(next)") })
                == .idToken(.claimUnexpected(ClaimName(stringLiteral: id))))
    }

    @Test("a hash of the refresh token is rejected under an algorithm that has no hash") func hashless() async throws {
        let fixture = try PollingFixture { $0.idToken.token.algorithms = [.ed448] }
        let key = try PrivateKey.generate(.ed448, keyID: "e")
        fixture.fixture.provider.script.signingKey = key
        fixture.fixture.provider.script.published.append(key.publicKey)
        fixture.fixture.provider.script.algorithm = .ed448
        let hash = "urn:openid:params:jwt:claim:rt_hash"
        #expect(try await fixture.failure(fixture.tokens(refreshToken: "refresh-1")) == nil)
        #expect(
            try await fixture.failure(fixture.tokens(refreshToken: "refresh-1") { $0[hash] = "" })
                == .idToken(.hashMismatch))
    }

    @Test("every other check of the profile applies, and a failed one ends the login") func checks() async throws {
        let fixture = try PollingFixture()
        for (change, reason) in [
            ({ $0["iss"] = "https://other.test" }, .issuerMismatch), ({ $0["aud"] = "other" }, .audienceMismatch),
            ({ $0["exp"] = 1 }, .expired), ({ $0["at_hash"] = "x" }, .hashMismatch),
        ] as [((inout ClaimsBuilder) -> Void, RelyingPartyError.Reason)] {
            #expect(try await fixture.failure(fixture.tokens(change)) == .idToken(reason))
        }
        let login = try await fixture.begin()
        let bad = try fixture.tokens { $0["aud"] = "other" }
        let good = try fixture.tokens()
        fixture.answer(bad, good)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await refusal { try await fixture.poll(login) } == .idToken(.audienceMismatch))
        fixture.clock.advance(by: .seconds(5))
        #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
        #expect(
            try await fixture.failure(.json(#"{"access_token":"a","token_type":"Bearer"}"#))?.reason
                == .missingParameter("id_token"))
        #expect(try await fixture.failure(good) == nil)
    }

    @Test("no description, dump or error contains a handle, a secret, a token or a hint") func leaks() async throws {
        let fixture = try PollingFixture()
        let log = LeakLog()
        log.needles.formUnion(["planted-hint@example.com", PollingFixture.session])
        for (what, answer) in [
            ("good", try fixture.tokens()), ("issuer", try fixture.tokens { $0["iss"] = .string(LeakLog.words) }),
            ("words", .json(#"{"error":"access_denied","error_description":"\#(LeakLog.words)"}"#, status: 400)),
            ("form", .json("{\"access_token\":\"\(LeakLog.words)\"")),
            ("status", TransportResponse(status: 500, body: Array(LeakLog.words.utf8))),
        ] as [(String, TransportResponse)] {
            fixture.answer(answer)
            let login = try await fixture.begin()
            log.needles.insert(login.handle)
            log.add("request", PollingFixture.request)
            log.add("login", login)
            log.add("early poll", try await fixture.poll(login))
            fixture.clock.advance(by: .seconds(5))
            do {
                let poll = try await fixture.poll(login)
                #expect(what == "good")
                log.add("poll", poll)
                log.add("user", poll.user)
                log.add("tokens", poll.user?.tokens)
            } catch {
                #expect(what != "good", "\(error)")
                log.add(what, error)
            }
            log.add("store", fixture.fixture.store)
        }
        let requests = fixture.server.state.withLock { $0.requests }
        log.addSecrets(requests)
        for request in requests { log.add("HTTP request", request) }
        log.search("openid")
    }
}
