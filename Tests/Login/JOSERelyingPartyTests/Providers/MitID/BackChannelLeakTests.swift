import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("What leaks of a login that the back end begins") struct BackChannelLeakTests {
    @Test("no secret, token, number or word of a person is in a description, a dump or an error") func logins()
        async throws
    {
        let request = LoginRequest.mitID(level: .substantial, scopes: [.ssn])
        let desk = try BackChannelDesk { $0.begin = #"{"auth_req_id":"planted-request-1","expires_in":300}"# }
        let log = LeakLog()
        log.needles.insert("planted-request-1")
        desk.desk.provider.script.plant(LeakLog.planted)
        log.add("request", request)
        log.add("party", desk.party)
        func error(_ text: String, _ status: Int = 400) -> HTTPResponse { .json(text, status: status) }
        let good = try desk.tokens { claims in
            for (name, value) in LeakLog.planted { claims[name] = .string(value) }
        }
        let faults: [(String, HTTPResponse)] = [
            ("good", good), ("sub", try desk.tokens { $0["sub"] = nil }),
            ("level", try desk.tokens { $0["loa"] = .string(LeakLog.words) }),
            ("issuer", try desk.tokens { $0["iss"] = .string(LeakLog.words) }),
            ("refused", error(#"{"error":"access_denied","error_description":"\#(LeakLog.words)"}"#)),
            ("token form", error("{\"access_token\":\"\(LeakLog.words)\"", 200)),
            ("status", HTTPResponse(status: 500, body: Array(LeakLog.words.utf8))),
        ]
        for (what, answer) in faults {
            desk.broker.state.withLock { $0.answers = [answer] }
            let start = try await desk.party.beginBackChannelLogin(request)
            log.add("start", start)
            let state = try desk.state()
            log.needles.formUnion([start.binding, state])
            let callback = try desk.callback()
            log.add("callback", callback)
            var login = try await desk.party.resumeBackChannelLogin(callback: callback, binding: start.binding)
            log.add("login", login)
            desk.clock.advance(by: login.interval)
            do {
                let user = try #require(try await desk.party.poll(&login))
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
            log.add("login, asked for", login)
            log.add("store", desk.desk.desk.store)
        }
        try await callbacks(desk, log)
        let requests =
            desk.broker.state.withLock { $0.requests }
            + desk.desk.provider.state.withLock { $0.requests.map(\.request) }
        log.addSecrets(requests)
        for request in requests { log.add("HTTP request", request) }
        log.search("mitid.ciba")
    }

    /// What a browser brings back and is refused.
    private func callbacks(_ desk: BackChannelDesk, _ log: LeakLog) async throws {
        for more in [
            "&state=planted-state", "&iss=planted-issuer", "&error=planted%20code",
            "&error=access_denied&error_description=" + FormFields.encoded(LeakLog.words),
        ] {
            for isOwn in [true, false] {
                let start = try await desk.party.beginBackChannelLogin(.mitID())
                let state = try desk.state()
                log.needles.formUnion([start.binding, state, "planted-state", "planted-issuer", "planted code"])
                let refused = try await refusal {
                    try await desk.party.resumeBackChannelLogin(
                        callback: .query("state=" + FormFields.encoded(state) + more),
                        binding: isOwn ? start.binding : "planted-binding")
                }
                #expect(refused != nil)
                log.add("refusal of \(more.prefix(8))", refused)
            }
        }
    }
}
