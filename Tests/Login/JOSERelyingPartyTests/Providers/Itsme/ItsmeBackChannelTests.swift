import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

/// itsme's endpoints for logins that a back end begins. All other requests go to the scripted provider.
final class ItsmeBackEnd: HTTPTransport {
    struct State: Sendable {
        var requests: [TransportRequest] = []
        /// The responses of the search for the user, in their order. The last one is repeated.
        var searches: [TransportResponse] = []
        var tokens = TransportResponse(status: 500)
        /// The response to an authentication request in place of an acknowledgement.
        var refusal: TransportResponse?
        /// The error of the next request.
        var fault: TransportError?
        var count = 0
    }
    let provider: ScriptedProvider
    let state = Mutex(State())

    init(_ provider: ScriptedProvider) { self.provider = provider }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = request.url.dropFirst(LoginFixture.issuer.count)
        let isOwn =
            path.hasPrefix("/user_discovery_sessions") || ["/backchannel/authentication", "/token"].contains(path)
        guard isOwn else { return try await provider.send(request) }
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.fault.take()
        }
        if let fault { throw fault }
        return state.withLock { state in
            switch path {
            case "/token": return state.tokens
            case "/backchannel/authentication":
                if let refusal = state.refusal { return refusal }
                state.count += 1
                return .json(#"{"auth_req_id":"planted-request-\#(state.count)","expires_in":120,"interval":2}"#)
            default: return state.searches.count > 1 ? state.searches.removeFirst() : state.searches[0]
            }
        }
    }

    func forms(_ path: String) -> [FormFields] {
        state.withLock { state in
            state.requests.filter { $0.url == LoginFixture.issuer + path }
                .map { FormFields(String(decoding: $0.body, as: UTF8.self)) }
        }
    }
}

/// A service whose back end begins logins with itsme.
struct ItsmeBackChannelFixture {
    let fixture: LoginFixture
    let server: ItsmeBackEnd
    let party: RelyingParty
    var clock: TestClock { fixture.clock }

    static let session = "the secret of a session, planted"
    static let search = "/user_discovery_sessions/planted-search_1"

    init(hint: ItsmeUserHint = .signed) throws {
        var manner = ProviderManner(
            authentication: .assertion(audience: LoginFixture.issuer + "/token", isEncrypted: false))
        manner.idToken = .nested(.rsaOAEP256, .a256gcm)
        manner.userInfo = .nested(.rsaOAEP256, .a256gcm)
        fixture = try LoginFixture(
            .itsmeBackChannel(hint: hint), manner: manner, request: LoginFixture.basic, redirectURIs: [])
        server = ItsmeBackEnd(fixture.provider)
        party = try RelyingParty(
            .itsmeBackChannel(hint: hint), in: .sandbox(issuer: LoginFixture.issuer), client: fixture.client,
            transport: server,
            store: fixture.store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
    }

    static func pending(_ image: String, isFlat: Bool = false) -> TransportResponse {
        let code = #""qr_code":"\#(image)","expires_at":"2023-11-14T22:18:20Z""#
        let member = isFlat ? code : #""user_discovery_token":{\#(code)}"#
        return .json(
            #"{"user_discovery_session_id":"planted-search_1","status":"PENDING_USER_DISCOVERY",\#(member)}"#)
    }

    static func found(_ token: String = "planted-user-1") -> TransportResponse {
        .json(
            #"{"user_discovery_session_id":"planted-search_1","status":"USER_DISCOVERED","#
                + #""user_identifier_token":"\#(token)"}"#)
    }

    func answer(_ answers: TransportResponse...) { server.state.withLock { $0.searches = answers } }

    /// Returns a user whom itsme has found.
    func user(_ token: String = "planted-user-1") async throws -> ItsmeDiscoveredUser {
        answer(Self.pending("AAAA"), Self.found(token))
        var search = try await party.beginItsmeUserDiscovery()
        clock.advance(by: .seconds(5))
        return try #require(try await party.poll(&search))
    }

    func tokens() throws {
        var claims = fixture.provider.commonClaims()
        claims["iat"] = .integer(Int64(clock.now.secondsSince1970))
        claims["exp"] = .integer(Int64(clock.now.secondsSince1970) + 300)
        claims["acr"] = "http://itsme.services/V2/claim/acr_basic"
        let token = try fixture.provider.make(claims, fixture.provider.manner.idToken, fixture.provider.script)
        let text =
            #"{"access_token":"access-1","token_type":"Bearer","refresh_token":"refresh-1","id_token":"\#(token)"}"#
        server.state.withLock { $0.tokens = .json(text) }
    }

    func begin(
        _ user: ItsmeDiscoveredUser, _ change: (inout LoginRequest) -> Void = { _ in }
    ) async throws -> BackChannelLogin {
        var request = LoginFixture.basic
        change(&request)
        return try await party.beginItsmeBackChannelLogin(request, of: user, session: Self.session)
    }

    /// Returns the claims of the last authentication request.
    func sent() throws -> JSON { try claims(server.forms("/backchannel/authentication").last?["request"]) }

    /// Returns the claims of a JWT that the client signed.
    func claims(_ token: String?) throws -> JSON {
        try JSON(fixture.provider.requestObject(try #require(token)))
    }
}

@Suite("itsme: logins that the back end begins") struct ItsmeBackChannelTests {
    @Test("itsme case 37: a user who scans the QR code is found, and the identifier is used for one login")
    func discovery() async throws {
        for isFlat in [false, true] {
            let fixture = try ItsmeBackChannelFixture()
            fixture.answer(
                ItsmeBackChannelFixture.pending("AAAA", isFlat: isFlat),
                ItsmeBackChannelFixture.pending("AQID", isFlat: isFlat), TransportResponse(status: 429),
                ItsmeBackChannelFixture.found())
            var search = try await fixture.party.beginItsmeUserDiscovery()
            #expect(search.image == [0, 0, 0])
            #expect(try await fixture.party.poll(&search) == nil)
            #expect(fixture.server.forms(ItsmeBackChannelFixture.search).isEmpty)
            fixture.clock.advance(by: .seconds(5))
            #expect(try await fixture.party.poll(&search) == nil)
            #expect(search.image == [1, 2, 3])
            fixture.clock.advance(by: .seconds(5))
            #expect(try await fixture.party.poll(&search) == nil)
            fixture.clock.advance(by: .seconds(9))
            #expect(try await fixture.party.poll(&search) == nil)
            #expect(fixture.server.forms(ItsmeBackChannelFixture.search).count == 2)
            fixture.clock.advance(by: .seconds(1))
            let user = try #require(try await fixture.party.poll(&search))
            #expect(try await refusal { try await fixture.party.poll(&search) }?.reason == .replayed)
            _ = try await fixture.begin(user)
            #expect(try await refusal { try await fixture.begin(user) } == .request(.replayed))
            #expect(fixture.server.forms("/backchannel/authentication").count == 1)
        }
    }

    @Test("a search ends after ten minutes or by itsme's error, and an unknown status is rejected")
    func searchErrors() async throws {
        for (answer, reason) in [
            (TransportResponse(status: 400), .expired),
            (.json(#"{"error":"expired_token"}"#, status: 400), .expired),
            (TransportResponse(status: 404), .unexpectedStatus(404)),
            (
                .json(#"{"error":"invalid_client"}"#, status: 401),
                .providerError(try #require(ProviderErrorCode("invalid_client")))
            ),
            (TransportResponse(status: 401), .providerError(try #require(ProviderErrorCode("invalid_client")))),
            (TransportResponse(status: 403), .unexpectedStatus(403)),
            (.json(#"{"status":"LOST"}"#), .invalidParameter("status")), (.json("{}"), .missingParameter("status")),
            (.json(#"{"status":"USER_DISCOVERED"}"#), .missingParameter("user_identifier_token")),
            (.json(#"{"status":"PENDING_USER_DISCOVERY","qr_code":"!"}"#), .invalidParameter("qr_code")),
            (.json(#"{"status":"PENDING_USER_DISCOVERY"}"#), .missingParameter("qr_code")),
            (ItsmeBackChannelFixture.found(), nil),
        ] as [(TransportResponse, RelyingPartyError.Reason?)] {
            let fixture = try ItsmeBackChannelFixture()
            fixture.answer(ItsmeBackChannelFixture.pending("AAAA"), answer)
            var search = try await fixture.party.beginItsmeUserDiscovery()
            fixture.clock.advance(by: .seconds(5))
            #expect(try await refusal { try await fixture.party.poll(&search) }?.reason == reason)
            #expect(try await refusal { try await fixture.party.poll(&search) }?.reason == .replayed)
        }
        // The client is refused by the first request too.
        for (answer, reason) in [
            (TransportResponse(status: 401), .providerError(try #require(ProviderErrorCode("invalid_client")))),
            (ItsmeBackChannelFixture.pending("AAAA"), nil),
        ] as [(TransportResponse, RelyingPartyError.Reason?)] {
            let fixture = try ItsmeBackChannelFixture()
            fixture.answer(answer)
            #expect(try await refusal { try await fixture.party.beginItsmeUserDiscovery() }?.reason == reason)
        }
        let fixture = try ItsmeBackChannelFixture()
        fixture.answer(ItsmeBackChannelFixture.pending("AAAA"))
        var late = try await fixture.party.beginItsmeUserDiscovery()
        fixture.clock.advance(by: .seconds(599))
        #expect(try await fixture.party.poll(&late) == nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await refusal { try await fixture.party.poll(&late) }?.reason == .expired)
        #expect(fixture.server.forms(ItsmeBackChannelFixture.search).count == 1)
        for id in ["", "a/b", "..", String(repeating: "a", count: 129)] {
            fixture.answer(
                .json(#"{"user_discovery_session_id":"\#(id)","status":"PENDING_USER_DISCOVERY","qr_code":"AAAA"}"#))
            #expect(
                try await refusal { try await fixture.party.beginItsmeUserDiscovery() }?.reason
                    == .invalidParameter("user_discovery_session_id"))
        }
    }

    @Test("itsme case 38: the request has nothing beside it but the assertion, and three audiences have three jti")
    func messages() async throws {
        let fixture = try ItsmeBackChannelFixture()
        let login = try await fixture.begin(fixture.user())
        let search = try #require(fixture.server.forms(ItsmeBackChannelFixture.search).last)
        #expect(Set(search.names) == ["client_id", "client_assertion", "client_assertion_type"])
        let form = try #require(fixture.server.forms("/backchannel/authentication").last)
        #expect(Set(form.names) == ["request", "client_assertion", "client_assertion_type"])
        try fixture.tokens()
        fixture.clock.advance(by: login.interval)
        let user = try #require(
            try await fixture.party.poll(login.handle, session: ItsmeBackChannelFixture.session).user)
        #expect(user.subject == "user-1" && user.tokens.refreshToken == nil)
        let poll = try #require(fixture.server.forms("/token").last)
        #expect(
            Set(poll.names) == ["client_id", "grant_type", "auth_req_id", "client_assertion", "client_assertion_type"])
        let base = LoginFixture.issuer
        let request = try fixture.claims(form["request"])
        let signed = [
            (try fixture.claims(search["client_assertion"]), base + "/backchannel/authentication"),
            (try fixture.claims(form["client_assertion"]), base + "/token"), (request, base),
        ]
        for (claims, audience) in signed { #expect(claims["aud"]?.string == audience) }
        #expect(Set(signed.compactMap { $0.0["jti"]?.string }).count == 3)
        guard case .object(let members) = request else {
            Issue.record("no object")
            return
        }
        #expect(
            Set(members.keys) == [
                "iss", "aud", "iat", "exp", "nbf", "jti", "client_id", "scope", "login_hint_token", "acr_values",
            ])
        #expect(request["scope"]?.string == "openid service:SHOP")
        let hint = try fixture.claims(request["login_hint_token"]?.string)
        #expect(hint == .object(["type": .string("user_identifier_token"), "value": .string("planted-user-1")]))
    }

    @Test("itsme case 38: the user is named by a signed JWT or by a JSON object, each with two members")
    func hints() async throws {
        for hint in [ItsmeUserHint.signed, .object] {
            let fixture = try ItsmeBackChannelFixture(hint: hint)
            _ = try await fixture.begin(fixture.user())
            let sent = try #require(try fixture.sent()["login_hint_token"])
            let type: String
            let members: JSON
            switch hint {
            case .signed: (type, members) = ("user_identifier_token", try fixture.claims(sent.string))
            case .object: (type, members) = ("subject_code", sent)
            }
            #expect(members == .object(["type": .string(type), "value": .string("planted-user-1")]))
        }
    }

    @Test(
        "itsme case 38: a confirmation and requested claims are sent as an object, and no claim skips the identification"
    )
    func confirmations() async throws {
        let fixture = try ItsmeBackChannelFixture()
        let prefix = "http://itsme.services/v2/claim/claim_approval_"
        func value(_ text: String) -> JSON { .object(["essential": .bool(true), "value": .string(text)]) }
        let requests: [(RelyingPartyError.Reason?, JSON?, (inout LoginRequest) -> Void)] = [
            (nil, nil, { _ in }),
            (
                nil,
                .object([
                    "userinfo": .object([
                        prefix + "template_name": value("free_text"), prefix + "text_key": value("Ja"),
                        "name": .null,
                    ])
                ]),
                { request in
                    request.confirm(.freeText("Ja"))
                    request.claims?.askInUserInfo("name")
                }
            ),
            (.invalidParameter("claims"), nil, { $0.confirm(.freeText("<script>")) }),
            (
                .invalidParameter("claims"), nil,
                { request in
                    request.confirm(.freeText("Ja"))
                    request.claims?.askInUserInfo("sub", .essential(value: "user-1"))
                }
            ),
            (
                .invalidParameter("claims"), nil,
                { request in
                    request.claims = ClaimsRequest()
                    request.claims?.askInUserInfo("phone_number", .essential(value: "32+123456789"))
                }
            ),
            (
                nil, .object(["userinfo": .object(["sub": .null])]),
                { request in
                    request.claims = ClaimsRequest()
                    request.claims?.askInUserInfo("sub")
                }
            ),
            (
                .configurationError, nil,
                { request in
                    request.confirm(.freeText("Ja"))
                    request.delivery = .object
                }
            ),
        ]
        for (index, (reason, claims, change)) in requests.enumerated() {
            let user = try await fixture.user("planted-user-\(index)")
            #expect(try await refusal { try await fixture.begin(user, change) }?.reason == reason, "\(index)")
            if reason == nil { #expect(try fixture.sent()["claims"] == claims, "\(index)") }
        }
        #expect(fixture.server.forms("/backchannel/authentication").count == 3)
    }

    @Test("itsme case 39: a response without an ID token is no login") func withoutIDToken() async throws {
        let fixture = try ItsmeBackChannelFixture()
        for hasToken in [false, true] {
            let login = try await fixture.begin(fixture.user("planted-user-\(hasToken)"))
            try fixture.tokens()
            if !hasToken {
                fixture.server.state.withLock {
                    $0.tokens = .json(#"{"access_token":"access-1","token_type":"Bearer"}"#)
                }
            }
            fixture.clock.advance(by: login.interval)
            let error = try await refusal {
                try await fixture.party.poll(login.handle, session: ItsmeBackChannelFixture.session)
            }
            #expect(error?.reason == (hasToken ? nil : .claimMissing("id_token")))
        }
    }

    @Test("itsme case 40: no description contains the identifier of the user, the search or the request")
    func descriptions() async throws {
        let fixture = try ItsmeBackChannelFixture()
        fixture.answer(ItsmeBackChannelFixture.pending("AAAA"), ItsmeBackChannelFixture.found())
        var search = try await fixture.party.beginItsmeUserDiscovery()
        fixture.clock.advance(by: .seconds(5))
        let user = try #require(try await fixture.party.poll(&search))
        let login = try await fixture.begin(user)
        let again = try await refusal { try await fixture.begin(user) }
        for value in [search, user, login, again as Any, fixture.party, fixture.fixture.store] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("planted") && !text.contains(login.handle), "\(type(of: value))")
            }
        }
        // The values were in use.
        let urls = fixture.server.state.withLock { $0.requests.map(\.url) }
        #expect(urls.contains(LoginFixture.issuer + ItsmeBackChannelFixture.search) && again != nil)
    }

    @Test("only itsme's own call begins such a login, and only with its profile") func profiles() async throws {
        let refused = RelyingPartyError.request(.configurationError)
        let fixture = try ItsmeBackChannelFixture()
        let user = try await fixture.user()
        #expect(
            try await refusal {
                try await fixture.party.beginBackChannelLogin(
                    LoginFixture.basic, session: ItsmeBackChannelFixture.session)
            } == refused)
        #expect(try await refusal { try await fixture.party.beginLogin(LoginFixture.basic) } == refused)
        let other = try PollingFixture()
        #expect(try await refusal { try await other.party.beginItsmeUserDiscovery() } == refused)
        #expect(
            try await refusal {
                try await other.party.beginItsmeBackChannelLogin(
                    LoginFixture.basic, of: user, session: PollingFixture.session)
            } == refused)
        #expect(try await refusal { try await fixture.begin(user) } == nil)
    }
}
