import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("ZenKey logins that the service begins") struct ServerInitiatedTests {
    private static let endpoint = CarrierWeb.verizon + "/si"
    private static let notificationURI = "https://service.test/zenkey/notify"

    private func desk(_ answer: String = #"{"auth_req_id":"req-1","correlation_id":"abcdefgh","expires_in":"3600"}"#)
        throws -> ZenKeyDesk
    {
        let desk = try ZenKeyDesk.late()
        desk.web.pages[Self.endpoint + "#page"] = .json(answer)
        return desk
    }
    private func request() throws -> ServerInitiatedRequest {
        let network = try #require(MobileNetwork("310010"))
        return ServerInitiatedRequest(network: network, subject: "user-1", notificationURI: Self.notificationURI)
    }
    /// What the service asked for, as the carrier reads it.
    private func asked(_ desk: ZenKeyDesk) throws -> [String: String] {
        let body = try #require(desk.web.requests.last { $0.url == Self.endpoint }?.body)
        let form = FormFields(String(decoding: body, as: UTF8.self))
        #expect(form.names == ["client_id", "response_type", "request"])
        #expect(form["client_id"] == "ccid-SP0001" && form["response_type"] == "async_token")
        return desk.carrier.read(try #require(form["request"]))
    }
    private func notification(
        _ desk: ZenKeyDesk, _ asked: [String: String], requestID: String = "req-1", state: String? = nil,
        change: (inout ClaimSet) -> Void = { _ in }
    ) throws -> [UInt8] {
        var claims = desk.carrier.commonClaims()
        claims["iat"] = .integer(Int64(desk.clock.now))
        claims["exp"] = .integer(Int64(desk.clock.now) + 300)
        claims["nonce"] = asked["nonce"].map { .string($0) }
        change(&claims)
        let token = try desk.carrier.sign(claims)
        let state = state ?? asked["state"] ?? ""
        return Array(
            (#"{"auth_req_id":"\#(requestID)","state":"\#(state)","access_token":"access-1","token_type":"Bearer","#
                + #""id_token":"\#(token)","expires_in":1800}"#).utf8)
    }
    private func complete(_ desk: ZenKeyDesk, _ body: [UInt8], _ authorization: String?) async throws -> LoggedInUser {
        try await desk.party.completeServerInitiated(
            body: body, contentType: "application/json", authorization: authorization)
    }

    @Test(
        "ZenKey section 5: the request is signed, its answer may say its life as text, and the notification gives the user"
    )
    func wholeLogin() async throws {
        let desk = try desk()
        var request = try request()
        request.scopes = [.email]
        request.acrValues = ["a1"]
        request.correlationID = "abcdefgh"
        let started = try await desk.party.beginServerInitiated(request)
        #expect(started.requestID == "req-1" && started.correlationID == "abcdefgh")
        #expect(started.expires == desk.clock.now + 3600)
        let asked = try asked(desk)
        #expect(asked["iss"] == "ccid-SP0001" && asked["sub"] == "ccid-SP0001" && asked["aud"] == CarrierWeb.verizon)
        #expect(asked["login_hint"] == "user-1" && asked["scope"] == "email openid" && asked["acr_values"] == "a1")
        #expect(asked["notification_uri"] == Self.notificationURI && asked["redirect_uri"] == ZenKeyDesk.redirectURI)
        #expect(asked["expires_in"] == "3600" && asked["correlation_id"] == "abcdefgh")
        let secret = try #require(asked["client_notification_token"])
        let body = try notification(desk, asked) { $0["acr"] = "a1" }
        let user = try await complete(desk, body, "Bearer " + secret)
        #expect(user.subject == "user-1" && user.zenKey?.network?.digits == "310010")
        #expect(desk.store.count == 0)
        let again = try await refusal { try await complete(desk, body, "Bearer " + secret) }
        #expect(again == RelyingPartyError(.stateMismatch, in: .callback))
    }

    @Test("ZenKey section 5: a notification without the token, or with another, reaches nothing and uses nothing up")
    func strangers() async throws {
        let desk = try desk()
        _ = try await desk.party.beginServerInitiated(try request())
        let asked = try asked(desk)
        let secret = try #require(asked["client_notification_token"])
        let body = try notification(desk, asked)
        let calls = desk.web.calls
        for authorization in [nil, "", "Bearer ", secret, "Basic " + secret] {
            let error = try await refusal { try await complete(desk, body, authorization) }
            #expect(error == RelyingPartyError(.missingParameter("Authorization"), in: .callback))
        }
        for token in ["x", secret + "x", String(secret.dropLast())] {
            let error = try await refusal { try await complete(desk, body, "Bearer " + token) }
            #expect(error == RelyingPartyError(.stateMismatch, in: .callback))
        }
        #expect(desk.web.calls == calls)
        #expect(try await complete(desk, body, "bearer " + secret).subject == "user-1")
    }

    @Test("ZenKey section 5: auth_req_id, state, nonce and sub are those that were asked with, within 48 hours")
    func mismatches() async throws {
        func refused(
            _ wanted: RelyingPartyError, _ make: (ZenKeyDesk, [String: String]) throws -> [UInt8]
        ) async throws {
            let desk = try self.desk()
            _ = try await desk.party.beginServerInitiated(try request())
            let asked = try self.asked(desk)
            let error = try await refusal {
                try await complete(desk, try make(desk, asked), "Bearer \(asked["client_notification_token"] ?? "")")
            }
            #expect(error == wanted)
        }
        try await refused(RelyingPartyError(.invalidParameter("auth_req_id"), in: .callback)) { desk, asked in
            try notification(desk, asked, requestID: "req-2")
        }
        try await refused(RelyingPartyError(.stateMismatch, in: .callback)) { desk, asked in
            try notification(desk, asked, state: "x")
        }
        try await refused(RelyingPartyError(.nonceMismatch, in: .idToken)) { desk, asked in
            try notification(desk, asked) { $0["nonce"] = "x" }
        }
        try await refused(RelyingPartyError(.subjectMismatch, in: .idToken)) { desk, asked in
            try notification(desk, asked) { $0["sub"] = "user-2" }
        }
        try await refused(RelyingPartyError(.malformed, in: .callback)) { _, _ in Array("[]".utf8) }
        let code = try #require(ProviderErrorCode("access_denied"))
        try await refused(RelyingPartyError(.providerError(code), in: .callback)) { _, asked in
            Array(#"{"auth_req_id":"req-1","state":"\#(asked["state"] ?? "")","error":"access_denied"}"#.utf8)
        }
        for late in [3600.0, 3601] {
            try await refused(RelyingPartyError(.expired, in: .callback)) { desk, asked in
                desk.clock.advance(by: late)
                return try notification(desk, asked)
            }
        }
        let prompt = try self.desk()
        _ = try await prompt.party.beginServerInitiated(try request())
        prompt.clock.advance(by: 3599)
        let known = try self.asked(prompt)
        let token = "Bearer " + (known["client_notification_token"] ?? "")
        #expect(try await complete(prompt, try notification(prompt, known), token).subject == "user-1")
        let desk = try self.desk(#"{"auth_req_id":"req-1","expires_in":172800}"#)
        _ = try await desk.party.beginServerInitiated(try request())
        let asked = try self.asked(desk)
        desk.clock.advance(by: 172_700)
        let secret = asked["client_notification_token"] ?? ""
        #expect(try await complete(desk, try notification(desk, asked), "Bearer " + secret).subject == "user-1")
    }

    @Test(
        "ZenKey section 5: what the carrier would refuse is not sent, and a service with a secret cannot begin a login")
    func requests() async throws {
        let desk = try desk()
        let changes: [(ParameterName, (inout ServerInitiatedRequest) -> Void)] = [
            ("notification_uri", { $0.notificationURI = "http://service.test/n" }),
            ("expires_in", { $0.lifetime = 172_801 }),
            ("expires_in", { $0.lifetime = 0 }), ("correlation_id", { $0.correlationID = "abc" }),
            ("acr_values", { $0.acrValues = ["a9"] }),
        ]
        for (name, change) in changes {
            var request = try request()
            change(&request)
            let error = try await refusal { try await desk.party.beginServerInitiated(request) }
            #expect(error == RelyingPartyError(.invalidParameter(name), in: .request))
        }
        #expect(desk.web.calls == 0)
        let seed = try ZenKeyDesk()
        let refused = try await refusal { try await seed.party.beginServerInitiated(try request()) }
        #expect(refused == RelyingPartyError(.configurationError, in: .configuration))
        for answer in [#"{"expires_in":1}"#, #"{"auth_req_id":""}"#] {
            let error = try await refusal { try await self.desk(answer).party.beginServerInitiated(try request()) }
            #expect(error == RelyingPartyError(.missingParameter("auth_req_id"), in: .tokenResponse))
        }
        for life in [#""1h""#, "-1", "1.5", "0", #""""#] {
            let answer = #"{"auth_req_id":"r","expires_in":\#(life)}"#
            let error = try await refusal { try await self.desk(answer).party.beginServerInitiated(try request()) }
            #expect(error == RelyingPartyError(.invalidParameter("expires_in"), in: .tokenResponse), "\(life)")
        }
        _ = try await desk.party.beginServerInitiated(try request())
    }

    @Test(
        "ZenKey section 5: a notification that comes before the carrier's answer finds the login, and its auth_req_id is compared"
    )
    func earlyNotification() async throws {
        for (early, failure) in [("req-1", nil), ("req-2", RelyingPartyFailure.invalidParameter("auth_req_id"))] {
            let desk = try self.desk()
            let web = desk.web
            let subject = Mutex("")
            web.onSend = { request in
                guard request.url == Self.endpoint else { return }
                let asked = try self.asked(desk)
                let body = try self.notification(desk, asked, requestID: early)
                let user = try await self.complete(desk, body, "Bearer " + (asked["client_notification_token"] ?? ""))
                subject.withLock { $0 = user.subject }
            }
            let error = try await refusal { try await desk.party.beginServerInitiated(try request()) }
            #expect(error == failure.map { RelyingPartyError($0, in: .tokenResponse) })
            #expect(subject.withLock { $0 } == "user-1")
            #expect(desk.store.count == 0)
        }
    }

    @Test("of a login that the carrier refuses nothing is kept") func refusals() async throws {
        for (answer, held) in [(#"{"expires_in":1}"#, 0), (#"{"auth_req_id":"req-1"}"#, 2)] {
            let desk = try desk(answer)
            _ = try? await desk.party.beginServerInitiated(try request())
            #expect(desk.store.count == held)
        }
    }
}
