import Foundation
import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

/// The broker's endpoints for logins that a back end begins, before those that every provider has.
private final class BackChannelBroker: Transport {
    struct State: Sendable {
        var requests: [HTTPRequest] = []
        /// What the token endpoint says, one after the other; the last for ever.
        var answers: [HTTPResponse] = []
        var begin = #"{"auth_req_id":"request-1","expires_in":300,"interval":3}"#
        var page = #"{"request_uri":"urn:x","authentication_uri":"https://broker.test/op/start?x=1"}"#
    }
    let provider: ScriptedProvider
    let state = Mutex(State())

    init(_ provider: ScriptedProvider) { self.provider = provider }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let path = request.url.dropFirst(MitIDDesk.issuer.count)
        guard ["/ciba", "/api/ciba/broker-oidc/init-auth", "/token"].contains(path) else {
            return try await provider.send(request)
        }
        return state.withLock { state in
            state.requests.append(request)
            switch path {
            case "/ciba": return .json(state.begin)
            case "/token": return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            default: return .json(state.page)
            }
        }
    }

    func calls(_ path: String) -> [HTTPRequest] {
        state.withLock { state in state.requests.filter { $0.url == MitIDDesk.issuer + path } }
    }
}

@Suite("MitID: logins that the back end begins") struct MitIDBackChannelTests {
    private struct Desk {
        let desk: MitIDDesk
        let broker: BackChannelBroker
        let party: RelyingParty
        var clock: TestClock { desk.clock }

        init(_ change: (inout BackChannelBroker.State) -> Void = { _ in }) throws {
            let profile = ProviderProfile.mitIDBackChannel(MitIDDesk.settings)
            desk = try MitIDDesk(profile)
            let broker = BackChannelBroker(desk.provider)
            var state = BackChannelBroker.State()
            change(&state)
            let made = state
            broker.state.withLock { $0 = made }
            self.broker = broker
            party = try RelyingParty(
                profile, in: .sandbox(issuer: MitIDDesk.issuer), client: desk.desk.client, transport: broker,
                store: desk.desk.store, clock: desk.clock.tokenClock, keySets: nil, observer: nil,
                surroundings: LoginDesk.surroundings(desk.clock))
        }

        func tokens(_ change: (inout ClaimSet) -> Void = { _ in }) throws -> HTTPResponse {
            var claims = desk.provider.commonClaims()
            claims["iat"] = .integer(Int64(clock.now))
            claims["exp"] = .integer(Int64(clock.now) + 300)
            MitIDDesk.broker(&claims)
            change(&claims)
            let token = try desk.provider.sign(claims)
            return .json(
                #"{"access_token":"access-1","token_type":"Bearer","expires_in":10800,"id_token":"\#(token)"}"#)
        }
    }

    private static func error(_ code: String) -> HTTPResponse { .json(#"{"error":"\#(code)"}"#, status: 400) }

    private func failure(_ desk: Desk, _ login: inout BackChannelLogin) async -> RelyingPartyFailure? {
        do throws(RelyingPartyError) {
            _ = try await desk.party.poll(&login)
            return nil
        } catch {
            return error.failure
        }
    }

    @Test("CIBA, 7 and 11: the broker is asked no sooner than it says, slower when it says so, and gives the user once")
    func polling() async throws {
        let desk = try Desk()
        var login = try await desk.party.beginBackChannelLogin(.mitID(level: .substantial))
        #expect(login.url == "https://broker.test/op/start?x=1")
        #expect(login.interval == 3)
        let begin = FormFields(String(decoding: try #require(desk.broker.calls("/ciba").last?.body), as: UTF8.self))
        #expect(begin["scope"] == "openid mitid" && begin["client_assertion"] != nil)
        #expect(try JSON(Array(try #require(begin["login_hint_token"]).utf8))["flow_type"]?.string == "broker_oidc")
        #expect(try JSON(Array(try #require(begin["login_hint_token"]).utf8))["idp_values"]?.string == "mitid")
        #expect(try JSON(Array(try #require(begin["idp_params"]).utf8))["mitid"]?["loa_value"]?.string == "substantial")
        let page = try JSON(try #require(desk.broker.calls("/api/ciba/broker-oidc/init-auth").last?.body))
        #expect(page["requestId"]?.string == "request-1")
        let good = try desk.tokens()
        desk.broker.state.withLock {
            $0.answers = [Self.error("authorization_pending"), Self.error("slow_down"), good]
        }
        // Too early: nobody is asked.
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").isEmpty)
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").count == 1)
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(login.interval == 8)
        desk.clock.advance(by: 7)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        #expect(desk.broker.calls("/token").count == 2)
        desk.clock.advance(by: 1)
        let user = try #require(try await desk.party.poll(&login))
        #expect(user.subject == "user-1" && user.mitID?.age == 35)
        let form = FormFields(String(decoding: try #require(desk.broker.calls("/token").last?.body), as: UTF8.self))
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba" && form["auth_req_id"] == "request-1")
        #expect(await failure(desk, &login) == .replayed)
        #expect(!"\(login)".contains("request-1"))
    }

    @Test(
        "CIBA, 11: a request that has expired, by the broker's word or by the clock, and one that the user refused are over"
    )
    func ends() async throws {
        for (answer, expected) in [
            (Self.error("expired_token"), RelyingPartyFailure.expired),
            (Self.error("access_denied"), .providerError(try #require(ProviderErrorCode("access_denied")))),
            (
                .json(#"{"error":"access_denied","error_description":"mitid_user_aborted"}"#, status: 400),
                .cancelled
            ),
        ] {
            let desk = try Desk { $0.answers = [answer] }
            var login = try await desk.party.beginBackChannelLogin(.mitID())
            desk.clock.advance(by: 3)
            #expect(await failure(desk, &login) == expected)
            desk.clock.advance(by: 3)
            #expect(await failure(desk, &login) == .replayed)
            #expect(desk.broker.calls("/token").count == 1)
        }
        let desk = try Desk { $0.answers = [Self.error("authorization_pending")] }
        var login = try await desk.party.beginBackChannelLogin(.mitID())
        desk.clock.advance(by: 299)
        #expect(try await desk.party.poll(&login)?.subject == nil)
        desk.clock.advance(by: 1)
        #expect(await failure(desk, &login) == .expired)
        #expect(desk.broker.calls("/token").count == 1)
    }

    @Test("an outage in the middle leaves the login as it was, and every check of the ID token holds here too")
    func checks() async throws {
        let desk = try Desk { $0.answers = [HTTPResponse(status: 503)] }
        var login = try await desk.party.beginBackChannelLogin(.mitID())
        desk.clock.advance(by: 3)
        #expect(await failure(desk, &login) == .unexpectedStatus(503))
        let low = try desk.tokens { $0["loa"] = .string(MitIDDesk.level + "Low") }
        desk.broker.state.withLock { $0.answers = [low] }
        desk.clock.advance(by: 3)
        #expect(await failure(desk, &login) == .acrTooLow)
        var other = try await desk.party.beginBackChannelLogin(.mitID())
        let good = try desk.tokens()
        desk.broker.state.withLock { $0.answers = [good] }
        desk.clock.advance(by: 3)
        #expect(try await desk.party.poll(&other)?.subject == "user-1")
    }

    @Test("answers that say nothing of use, or send the user elsewhere than by https, begin no login") func beginnings()
        async throws
    {
        for (begin, page, expected) in [
            ("{}", nil, RelyingPartyFailure.missingParameter("auth_req_id")),
            (#"{"auth_req_id":"x"}"#, nil, .missingParameter("expires_in")),
            (#"{"auth_req_id":"x","expires_in":"300"}"#, nil, .invalidParameter("expires_in")),
            (nil, "{}", .missingParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"http://broker.test/"}"#, .invalidParameter("authentication_uri")),
            (nil, #"{"authentication_uri":"https://u@broker.test/"}"#, .invalidParameter("authentication_uri")),
        ] as [(String?, String?, RelyingPartyFailure)] {
            let desk = try Desk { state in
                state.begin = begin ?? state.begin
                state.page = page ?? state.page
            }
            let error = try await refusal { try await desk.party.beginBackChannelLogin(.mitID()) }
            #expect(error == RelyingPartyError(expected, in: .pushedRequest))
        }
        let desk = try Desk()
        #expect(try await refusal { try await desk.party.beginBackChannelLogin(.mitID()) } == nil)
    }
}
