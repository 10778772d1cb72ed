import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("MitID: leaks of logins that the back end begins") struct BackChannelLeakTests {
    @Test("no description, dump or error contains a secret, a token, a number or personal data") func logins()
        async throws
    {
        let request = LoginRequest.mitID(level: .substantial, scopes: [.ssn])
        let fixture = try BackChannelFixture { $0.begin = #"{"auth_req_id":"planted-request-#","expires_in":300}"# }
        let log = LeakLog()
        log.needles.insert("planted-request-1")
        fixture.fixture.provider.script.plant(LeakLog.planted)
        log.add("request", request)
        log.add("party", fixture.party)
        func error(_ text: String, _ status: Int = 400) -> TransportResponse { .json(text, status: status) }
        let good = try fixture.tokens { claims in
            for (name, value) in LeakLog.planted { claims[name] = .string(value) }
        }
        let faults: [(String, TransportResponse)] = [
            ("good", good), ("sub", try fixture.tokens { $0["sub"] = nil }),
            ("level", try fixture.tokens { $0["loa"] = .string(LeakLog.words) }),
            ("issuer", try fixture.tokens { $0["iss"] = .string(LeakLog.words) }),
            ("refused", error(#"{"error":"access_denied","error_description":"\#(LeakLog.words)"}"#)),
            ("token form", error("{\"access_token\":\"\(LeakLog.words)\"", 200)),
            ("status", TransportResponse(status: 500, body: Array(LeakLog.words.utf8))),
        ]
        for (what, answer) in faults {
            fixture.broker.state.withLock { $0.answers = [answer] }
            let start = try await fixture.party.beginMitIDBackChannelLogin(request)
            log.add("start", start)
            let state = try fixture.state()
            log.needles.formUnion([start.binding, state])
            let callback = try fixture.callback()
            log.add("callback", callback)
            let login = try await fixture.resume(callback, start.binding)
            log.needles.insert(login.login.handle)
            log.add("login", login.login)
            fixture.clock.advance(by: login.interval)
            do {
                let user = try #require(try await fixture.poll(login))
                #expect(what == "good")
                log.needles.insert(user.tokens.accessToken)
                user.tokens.idToken.map { _ = log.needles.insert($0) }
                for (name, value) in [
                    ("user", user), ("mitid", user.mitID), ("tokens", user.tokens), ("userinfo", user.userInfo),
                    ("ID token", user.idToken), ("claims", user.idToken.claims), ("ticket", user.refreshTicket),
                ] as [(String, Any?)] {
                    log.add(name, value)
                }
            } catch {
                #expect(what != "good", "\(error)")
                log.add(what, error)
            }
            log.add("login, asked for", login.login)
            log.add("store", fixture.fixture.fixture.store)
        }
        try await callbacks(fixture, log)
        let requests =
            fixture.broker.state.withLock { $0.requests }
            + fixture.fixture.provider.state.withLock { $0.requests.map(\.request) }
        log.addSecrets(requests)
        for request in requests { log.add("HTTP request", request) }
        log.search("mitid.ciba")
    }

    /// Checks the errors of callbacks that are rejected.
    private func callbacks(_ fixture: BackChannelFixture, _ log: LeakLog) async throws {
        for more in [
            "&state=planted-state", "&iss=planted-issuer", "&error=planted%20code",
            "&error=access_denied&error_description=" + FormFields.encoded(LeakLog.words),
        ] {
            for isOwn in [true, false] {
                let start = try await fixture.party.beginMitIDBackChannelLogin(.mitID())
                let state = try fixture.state()
                log.needles.formUnion([start.binding, state, "planted-state", "planted-issuer", "planted code"])
                let refused = try await refusal {
                    try await fixture.party.resumeMitIDBackChannelLogin(
                        callback: .query("state=" + FormFields.encoded(state) + more),
                        binding: isOwn ? start.binding : "planted-binding")
                }
                #expect(refused != nil)
                log.add("refusal of \(more.prefix(8))", refused)
            }
        }
    }
}
