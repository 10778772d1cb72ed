import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Testing

@Suite("ZenKey: leaks") struct ZenKeyLeakTests {
    @Test(
        "no description, dump or error contains a secret, a token, a number or personal data",
        arguments: [false, true])
    func logins(isNested: Bool) async throws {
        let fixture = try ZenKeyFixture()
        let log = LeakLog()
        fixture.carrier.script.plant(LeakLog.planted)
        if isNested { fixture.carrier.script.nest() }
        var request = LoginRequest.zenKey([.email, .name])
        request.zenKeyContext = LeakLog.words
        log.add("request", request)
        let start = try await fixture.begin(request)
        log.addSecrets(ofURL: start.url, start.binding)
        log.add("start", start)
        add(try await fixture.finish(start), to: log)
        log.add("party", fixture.party)
        guard case .page(let visit) = try await fixture.party.beginZenKey(request, from: .page) else {
            Issue.record("no page")
            return
        }
        log.addSecrets(ofURL: visit.url, visit.binding)
        log.add("visit", visit)
        log.add("start of a visit", ZenKeyStart.page(visit))
        let state = try #require(FormFields(ofURL: visit.url)["state"])
        let hint = "planted-hint-token"
        log.needles.insert(hint)
        let back = AuthorizationCallback.query("state=\(state)&mccmnc=310010&login_hint_token=\(hint)")
        log.add("callback", back)
        let next = try await fixture.party.continueZenKey(request, callback: back, binding: visit.binding)
        log.add("next", next)
        try await refusals(fixture, log)
        log.addSecrets(fixture.web.requests)
        for request in fixture.web.requests { log.add("HTTP request", request) }
        log.search(isNested ? "zenkey, nested" : "zenkey")
    }

    private func add(_ user: LoggedInUser, to log: LeakLog) {
        log.needles.insert(user.tokens.accessToken)
        user.tokens.idToken.map { _ = log.needles.insert($0) }
        for (what, value) in [
            ("user", user), ("zenkey", user.zenKey), ("info", user.zenKey?.info),
            ("address", user.zenKey?.info?.address),
            ("userinfo", user.userInfo), ("tokens", user.tokens), ("ID token", user.idToken),
            ("claims", user.idToken.claims),
        ] as [(String, Any?)] {
            log.add(what, value)
        }
    }

    private func refusals(_ fixture: ZenKeyFixture, _ log: LeakLog) async throws {
        let error = #"{"error":"request_denied","error_description":"\#(LeakLog.words)"}"#
        let changes: [@Sendable (inout ScriptedProvider.Script) -> Void] = [
            { $0.answers[.token] = { _ in .json(error, status: 400) } },
            { $0.answers[.userInfo] = { _ in TransportResponse(status: 401, body: Array(LeakLog.words.utf8)) } },
            { $0.idToken = { _ in "planted.token.2902881234" } },
            { $0.change { $0["context"] = .string(LeakLog.words) } },
            { $0.change { $0["sub"] = .string(LeakLog.words) } },
            { $0.userInfoClaims = { $0["email_verified"] = .string(LeakLog.words) } },
        ]
        for change in changes {
            let refused = try await fixture.failure(.zenKey(), change)
            #expect(refused != nil)
            log.add("refusal", refused)
        }
    }
}

extension ScriptedProvider.Script {
    /// Returns userinfo with nested objects.
    fileprivate mutating func nest() {
        let before = userInfoClaims
        userInfoClaims = { claims in
            before(&claims)
            claims["email"] = ["value": "planted@example.com"]
            claims["last_4_social"] = ["value": "6789-planted"]
            claims["address"] = ["formatted": .string(LeakLog.words), "locality": "Rosalinde-Planted"]
            claims["phone_number"] = nil
            claims["phone"] = ["value": "+32 470112233"]
        }
    }
}
