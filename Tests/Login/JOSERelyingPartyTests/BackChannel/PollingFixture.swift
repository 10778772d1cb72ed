import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

/// The endpoints of an OpenID provider with backchannel authentication. All other requests go to the scripted provider.
final class PolledProvider: HTTPTransport {
    struct State: Sendable {
        var requests: [TransportRequest] = []
        /// The acknowledgement in place of the provider's own.
        var acknowledgement: TransportResponse?
        /// The responses of the token endpoint, in their order; nil for an endpoint that cannot be reached. The last one is repeated.
        var answers: [TransportResponse?] = []
        /// The error of an endpoint that cannot be reached.
        var outage = TransportError.nameNotResolved
        /// The event during the next request to the token endpoint.
        var during: (@Sendable () async -> Void)?
        var count = 0
    }
    let provider: ScriptedProvider
    let state = Mutex(State())

    init(_ provider: ScriptedProvider) { self.provider = provider }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = request.url.dropFirst(LoginFixture.issuer.count)
        guard ["/bc-authorize", "/token"].contains(path) else { return try await provider.send(request) }
        let form = FormFields(String(decoding: request.body, as: UTF8.self))
        let during = state.withLock { state in
            state.requests.append(request)
            guard path == "/token" else { return (@Sendable () async -> Void)?.none }
            defer { state.during = nil }
            return state.during
        }
        if let during { await during() }
        // A transport returns at once when the task is cancelled.
        if Task.isCancelled { throw .cancelled }
        guard provider.isClient(form, request) else { return .json(#"{"error":"invalid_client"}"#, status: 401) }
        let answer = state.withLock { state -> TransportResponse? in
            if path == "/token" { return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0] }
            state.count += 1
            return state.acknowledgement
                ?? .json(#"{"auth_req_id":"planted-request-\#(state.count)","expires_in":120}"#)
        }
        guard let answer else { throw state.withLock { $0.outage } }
        return answer
    }

    func calls(_ path: String) -> [TransportRequest] {
        state.withLock { state in state.requests.filter { $0.url == LoginFixture.issuer + path } }
    }

    func lastForm(_ path: String) -> FormFields {
        FormFields(String(decoding: calls(path).last?.body ?? [], as: UTF8.self))
    }
}

/// A service whose back end begins logins with an OpenID provider and polls for their results.
struct PollingFixture: Sendable {
    let fixture: LoginFixture
    let server: PolledProvider
    let party: RelyingParty
    /// Makes the same relying party with another store.
    private let make: @Sendable (any LoginStore) throws -> RelyingParty
    var clock: TestClock { fixture.clock }

    static let session = "the secret of a session, planted"
    static let request: LoginRequest = {
        var request = LoginRequest()
        request["login_hint"] = "planted-hint@example.com"
        return request
    }()

    init(
        store: (any LoginStore)? = nil, signer: (any ExternalSigner)? = nil, metadata: [String: String?] = [:],
        by wallClock: WallClock? = nil, _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws {
        var profile = ProviderProfile.openID(issuer: LoginFixture.issuer)
        change(&profile)
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo) = (.signed, .json)
        fixture = try LoginFixture(
            profile, manner: manner, request: LoginRequest(),
            credentials: signer.map { ClientCredentials.keys(signing: $0) })
        fixture.provider.script.metadata = [
            "backchannel_authentication_endpoint": "\"\(LoginFixture.issuer)/bc-authorize\"",
            "backchannel_token_delivery_modes_supported": #"["ping","poll"]"#,
            "backchannel_authentication_request_signing_alg_values_supported": #"["RS256","PS256"]"#,
        ].merging(metadata) { $1 }
        server = PolledProvider(fixture.provider)
        make = { [profile, fixture, server] store in
            try RelyingParty(
                profile, in: .sandbox(issuer: LoginFixture.issuer), client: fixture.client, transport: server,
                store: store, clock: wallClock ?? fixture.clock.wallClock, keySets: nil, observer: nil,
                fetching: LoginFixture.environment(fixture.clock))
        }
        party = try make(store ?? fixture.store)
    }

    static func error(_ code: String) -> TransportResponse { .json(#"{"error":"\#(code)"}"#, status: 400) }

    /// Returns the same relying party with another store.
    func party(with store: any LoginStore) throws -> RelyingParty { try make(store) }

    func answer(_ answers: TransportResponse?...) { server.state.withLock { $0.answers = answers } }

    /// Sets what happens during the next request to the token endpoint.
    func during(_ event: @escaping @Sendable () async -> Void) { server.state.withLock { $0.during = event } }

    /// Sets the acknowledgement of all logins that begin.
    func acknowledge(_ text: String) { server.state.withLock { $0.acknowledgement = .json(text) } }

    /// The number of requests to the token endpoint.
    var polls: Int { server.calls("/token").count }

    func tokens(
        refreshToken: String? = nil, _ change: (inout ClaimsBuilder) -> Void = { _ in }
    ) throws -> TransportResponse {
        var claims = fixture.provider.commonClaims()
        claims["iat"] = .integer(Int64(clock.now.secondsSince1970))
        claims["exp"] = .integer(Int64(clock.now.secondsSince1970) + 300)
        change(&claims)
        let token = try fixture.provider.sign(claims)
        let refresh = refreshToken.map { #","refresh_token":"\#($0)""# } ?? ""
        return .json(#"{"access_token":"access-1","token_type":"Bearer","id_token":"\#(token)"\#(refresh)}"#)
    }

    /// Begins a login; without a request, one of a user whom no other login asks.
    func begin(_ request: LoginRequest? = nil) async throws -> BackChannelLogin {
        var another = Self.request
        let count = server.calls("/bc-authorize").count
        if count > 0 { another["login_hint"] = "planted-hint-\(count)@example.com" }
        return try await party.beginBackChannelLogin(request ?? another, session: Self.session)
    }

    func poll(_ login: BackChannelLogin) async throws -> BackChannelPoll {
        try await party.poll(login.handle, session: Self.session)
    }

    /// Returns the time of the next poll of a login that is pending; nil if the user has logged in.
    func next(_ login: BackChannelLogin) async throws -> NumericDate? {
        guard case .pending(let next) = try await poll(login) else { return nil }
        return next
    }

    /// Returns the error of a request that must not be sent; nil if it is sent. Each request has a store of its own, in which no other
    /// login of its user is pending.
    func refused(_ request: LoginRequest) async throws -> RelyingPartyError? {
        let before = server.calls("/bc-authorize").count
        let party = try party(with: MemoryLoginStore(clock: clock.wallClock))
        let error = try await refusal { try await party.beginBackChannelLogin(request, session: Self.session) }
        #expect(server.calls("/bc-authorize").count == before + (error == nil ? 1 : 0))
        return error
    }

    /// Returns the error of a login whose provider answers the first poll with this response.
    func failure(_ answer: TransportResponse, _ request: LoginRequest? = nil) async throws -> RelyingPartyError? {
        self.answer(answer)
        let login = try await begin(request)
        clock.advance(by: .seconds(5))
        return try await refusal { try #require(try await poll(login).user) }
    }
}
