import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("What leaks of a ZenKey login") struct ZenKeyLeakTests {
    @Test(
        "no secret, token, number or word of a person is in a description, a dump or an error",
        arguments: ["zenkey.seed", "zenkey.late"])
    func logins(_ name: String) async throws {
        let isLate = name == "zenkey.late"
        let desk = try isLate ? ZenKeyDesk.late() : ZenKeyDesk()
        let log = LeakLog()
        desk.carrier.script.plant(LeakLog.planted)
        if isLate { desk.carrier.script.nest() }
        var request = LoginRequest.zenKey([.email, .name])
        request.zenKeyContext = LeakLog.words
        log.add("request", request)
        let start = try await desk.begin(request)
        log.addSecrets(ofURL: start.url, start.binding)
        log.add("start", start)
        add(try await desk.finish(start), to: log)
        log.add("party", desk.party)
        guard case .page(let visit) = try await desk.party.beginZenKey(request, from: .page) else {
            Issue.record("no page")
            return
        }
        log.addSecrets(ofURL: visit.url, visit.binding)
        log.add("visit", visit)
        log.add("start of a visit", ZenKeyStart.page(visit))
        let state = try #require(FormFields(ofURL: visit.url)["state"])
        let hint = "planted-hint-token"
        log.needles.insert(hint)
        let back = Callback.query("state=\(state)&mccmnc=310010&login_hint_token=\(hint)")
        log.add("callback", back)
        let next = try await desk.party.continueZenKey(request, callback: back, binding: visit.binding)
        log.add("next", next)
        try await refusals(desk, log)
        log.addSecrets(desk.web.requests)
        for request in desk.web.requests { log.add("HTTP request", request) }
        log.search(name)
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

    private func refusals(_ desk: ZenKeyDesk, _ log: LeakLog) async throws {
        let error = #"{"error":"request_denied","error_description":"\#(LeakLog.words)"}"#
        let changes: [@Sendable (inout ScriptedProvider.Script) -> Void] = [
            { $0.answers[.token] = { _ in .json(error, status: 400) } },
            { $0.answers[.userInfo] = { _ in HTTPResponse(status: 401, body: Array(LeakLog.words.utf8)) } },
            { $0.idToken = { _ in "planted.token.2902881234" } },
            { $0.change { $0["context"] = .string(LeakLog.words) } },
            { $0.change { $0["sub"] = .string(LeakLog.words) } },
            { $0.userInfoClaims = { $0["email_verified"] = .string(LeakLog.words) } },
        ]
        for change in changes {
            let refused = try await desk.failure(.zenKey(), change)
            #expect(refused != nil)
            log.add("refusal", refused)
        }
    }

    @Test("the same of a login on the telephone") func telephone() async throws {
        let desk = try ZenKeyDesk.late()
        let log = LeakLog()
        desk.carrier.script.plant(LeakLog.planted)
        desk.carrier.script.nest()
        let endpoint = CarrierWeb.verizon + "/si"
        desk.web.pages[endpoint + "#page"] = .json(#"{"auth_req_id":"req-1","expires_in":3600}"#)
        for isGood in [true, false] {
            let request = ServerInitiatedRequest(
                network: try #require(MobileNetwork("310010")), subject: "user-1",
                notificationURI: "https://service.test/zenkey/notify")
            log.add("request", request)
            log.add("started", try await desk.party.beginServerInitiated(request))
            let body = try #require(desk.web.requests.last { $0.url == endpoint }?.body)
            let object = try #require(FormFields(String(decoding: body, as: UTF8.self))["request"])
            let asked = desk.carrier.read(object)
            let secret = try #require(asked["client_notification_token"])
            let state = try #require(asked["state"])
            log.needles.formUnion([object, secret, state] + (asked["nonce"].map { [$0] } ?? []))
            var claims = desk.carrier.commonClaims()
            claims["iat"] = .integer(Int64(desk.clock.now))
            claims["exp"] = .integer(Int64(desk.clock.now) + 300)
            claims["nonce"] = isGood ? asked["nonce"].map { .string($0) } : .string(LeakLog.words)
            for (name, value) in LeakLog.planted { claims[name] = .string(value) }
            let token = try desk.carrier.sign(claims)
            log.needles.formUnion([token, "access-planted"])
            let notice =
                #"{"auth_req_id":"req-1","state":"\#(state)","access_token":"access-planted","token_type":"Bearer","#
                + #""id_token":"\#(token)","expires_in":1800}"#
            for authorization in ["Bearer planted-bearer", "Bearer " + secret] {
                log.needles.insert(authorization)
                do {
                    let user = try await desk.party.completeServerInitiated(
                        body: Array(notice.utf8), contentType: "application/json", authorization: authorization)
                    #expect(isGood)
                    add(user, to: log)
                } catch {
                    #expect(!isGood || authorization == "Bearer planted-bearer", "\(error)")
                    log.add("refusal", error)
                }
            }
        }
        log.add("store", desk.store)
        log.addSecrets(desk.web.requests)
        for request in desk.web.requests { log.add("HTTP request", request) }
        log.search("zenkey.late, on the telephone")
    }
}

extension ScriptedProvider.Script {
    /// Userinfo as the later guide has it.
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
