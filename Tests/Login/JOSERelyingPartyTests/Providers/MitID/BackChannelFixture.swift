import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

/// The broker's endpoints for logins that a back end begins. All other requests go to the scripted provider.
final class BackChannelBroker: HTTPTransport {
    struct State: Sendable {
        var requests: [TransportRequest] = []
        /// The responses of the token endpoint, in their order. The last one is repeated.
        var answers: [TransportResponse] = []
        /// The content types of the responses that begin a login, by their paths.
        var types: [String: String] = [:]
        /// The acknowledgement of a login, in which `#` is the number of the login.
        var begin = #"{"auth_req_id":"request-#","expires_in":300,"interval":3}"#
        /// The number of logins that began. Each has an identifier of its own.
        var count = 0
        /// The time that each response takes, by the clock of the service.
        var latency = Duration.zero
        var page = #"{"request_uri":"urn:x","authentication_uri":"https://broker.test/op/start?x=1"}"#

        func response(_ path: Substring, _ text: String) -> TransportResponse {
            let type = types[String(path)] ?? "application/json"
            return TransportResponse(
                status: 200, headers: [TransportHeaderField("Content-Type", type)], body: Array(text.utf8))
        }
    }
    let provider: ScriptedProvider
    let state = Mutex(State())

    init(_ provider: ScriptedProvider) { self.provider = provider }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = request.url.dropFirst(MitIDFixture.issuer.count)
        guard ["/ciba", "/api/ciba/broker-oidc/init-auth", "/token"].contains(path) else {
            return try await provider.send(request)
        }
        return state.withLock { state in
            state.requests.append(request)
            provider.clock.advance(by: state.latency)
            switch path {
            case "/ciba":
                state.count += 1
                return state.response(path, state.begin.replacing("#", with: "\(state.count)"))
            case "/token": return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            default: return state.response(path, state.page)
            }
        }
    }

    func calls(_ path: String) -> [TransportRequest] {
        state.withLock { state in state.requests.filter { $0.url == MitIDFixture.issuer + path } }
    }
}

/// A service whose back end begins logins, and its broker.
struct BackChannelFixture {
    let fixture: MitIDFixture
    let broker: BackChannelBroker
    let party: RelyingParty
    var clock: TestClock { fixture.clock }

    init(_ change: (inout BackChannelBroker.State) -> Void = { _ in }) throws {
        let profile = ProviderProfile.mitIDBackChannel(MitIDFixture.settings)
        fixture = try MitIDFixture(profile)
        let broker = BackChannelBroker(fixture.provider)
        var state = BackChannelBroker.State()
        change(&state)
        let made = state
        broker.state.withLock { $0 = made }
        self.broker = broker
        party = try RelyingParty(
            profile, in: .sandbox(issuer: MitIDFixture.issuer), client: fixture.fixture.client, transport: broker,
            store: fixture.fixture.store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
    }

    func state() throws -> String {
        let page = try JSON(try #require(broker.calls("/api/ciba/broker-oidc/init-auth").last?.body))
        return try #require(page["state"]?.string)
    }

    /// Returns the callback with which the broker sends the browser back.
    func callback() throws -> AuthorizationCallback { .query("state=" + FormFields.encoded(try state())) }

    /// Returns a login whose browser has returned.
    func resumed(_ request: LoginRequest = .mitID()) async throws -> ResumedLogin {
        let start = try await party.beginMitIDBackChannelLogin(request)
        return try await resume(callback(), start.binding)
    }

    /// A pending login, with the secret of its session.
    struct ResumedLogin {
        let login: BackChannelLogin
        let binding: String
        var interval: Duration { login.interval }
    }

    func resume(_ callback: AuthorizationCallback, _ binding: String) async throws -> ResumedLogin {
        let login = try await party.resumeMitIDBackChannelLogin(callback: callback, binding: binding)
        return ResumedLogin(login: login, binding: binding)
    }

    /// Returns the user of a login; nil while it is pending.
    func poll(_ login: ResumedLogin) async throws -> LoggedInUser? {
        try await party.poll(login.login.handle, session: login.binding).user
    }

    func tokens(_ change: (inout ClaimsBuilder) -> Void = { _ in }) throws -> TransportResponse {
        var claims = fixture.provider.commonClaims()
        claims["iat"] = .integer(Int64(clock.now.secondsSince1970))
        claims["exp"] = .integer(Int64(clock.now.secondsSince1970) + 300)
        MitIDFixture.broker(&claims)
        change(&claims)
        let token = try fixture.provider.sign(claims)
        return .json(
            #"{"access_token":"access-1","token_type":"Bearer","expires_in":10800,"id_token":"\#(token)"}"#)
    }
}
