import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import JOSEZenKey
import Synchronization
import Testing

/// A service, two carriers that issue tokens, and ZenKey's discovery, at their real URLs.
struct ZenKeyFixture: Sendable {
    let clock: TestClock
    let web: ZenKeyWeb
    let store: MemoryLoginStore
    let party: RelyingParty
    static let secret = "se:cr+et/with spaces"
    static let redirectURI = "https://service.test/callback"

    init(
        credentials: ClientCredentials? = nil, authentication: ClientAuthentication? = nil,
        redirectURI: String = redirectURI, clientID: String = CarrierWeb.clientID
    ) throws {
        let clock = TestClock()
        self.clock = clock
        var manner = ProviderManner(authentication: .secretBasic)
        (manner.idToken, manner.userInfo, manner.usesPKCE) = (.signed, .json, true)
        (manner.clientID, manner.secret) = (CarrierWeb.clientID, Self.secret)
        web = ZenKeyWeb(manner, clock)
        store = MemoryLoginStore(clock: clock.wallClock)
        var client = RelyingPartyClient(
            id: clientID, redirectURI: redirectURI, credentials: try credentials ?? .secret(Self.secret))
        client.authentication = authentication
        party = try RelyingParty(
            .zenKey, in: .production, client: client, transport: web, store: store, clock: clock.wallClock,
            keySets: nil, observer: nil, fetching: LoginFixture.environment(clock))
    }

    var carrier: ScriptedProvider { web.verizon }

    func begin(_ request: LoginRequest = .zenKey(), _ digits: String = "310010") async throws -> AuthorizationRequest {
        let network = try #require(MobileNetwork(digits))
        guard case .login(let start) = try await party.beginZenKey(request, from: .network(network)) else {
            Issue.record("no login")
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        return start
    }

    func finish(_ start: AuthorizationRequest) async throws -> LoggedInUser {
        try await party.completeLogin(callback: .query(carrier.authorize(start.url)), binding: start.binding)
    }

    func login(_ request: LoginRequest = .zenKey()) async throws -> LoggedInUser {
        try await finish(try await begin(request))
    }

    /// Returns the error of a login with a changed script, which must fail, while a login without the change must succeed.
    func failure(
        _ request: LoginRequest = .zenKey(), _ change: (inout ScriptedProvider.Script) -> Void
    ) async throws -> RelyingPartyError? {
        let before = carrier.script
        change(&carrier.script)
        let error = try await refusal { try await login(request) }
        carrier.script = before
        return error
    }

    /// Returns the parameter for which a request is rejected before anything is sent.
    func refused(_ request: LoginRequest) async throws -> RelyingPartyError? {
        let calls = web.calls
        let error = try await refusal { try await begin(request) }
        #expect(web.calls == calls)
        return error
    }
}

/// Discovery and two scripted carriers. All other URLs are those of `CarrierWeb`.
final class ZenKeyWeb: HTTPTransport {
    static let tmobile = "https://oidc.t-mobile.com"
    let verizon: ScriptedProvider
    let tmobile: ScriptedProvider
    private let pages = CarrierWeb()
    private let networks: Mutex<[String: ScriptedProvider]>
    private let asked = Mutex<[TransportRequest]>([])
    private let clock: TestClock

    init(_ manner: ProviderManner, _ clock: TestClock) {
        self.clock = clock
        verizon = ScriptedProvider(issuer: CarrierWeb.verizon, manner: manner, clock: clock)
        tmobile = ScriptedProvider(issuer: Self.tmobile, manner: manner, clock: clock)
        networks = Mutex(["310010": verizon, "310260": tmobile])
    }

    var requests: [TransportRequest] { asked.withLock { $0 } }
    var calls: Int { requests.count }
    var discoveries: Int { requests.count { $0.url.hasPrefix(CarrierWeb.discovery) } }

    /// Moves a network to another carrier, or to none if `carrier` is nil.
    func serve(_ digits: String, by carrier: ScriptedProvider?) { networks.withLock { $0[digits] = carrier } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        asked.withLock { $0.append(request) }
        if request.url.hasPrefix(CarrierWeb.discovery) {
            let digits = FormFields(ofURL: request.url)["mccmnc"] ?? ""
            guard let carrier = networks.withLock({ $0[digits] }) else {
                return .json(
                    #"{"error":"provider_not_found","redirect_uri":"https://discoveryui.myzenkey.com/ui/discovery-ui"}"#
                )
            }
            var script = carrier.script
            clock.advance(by: script.latency)
            if let answer = script.answers[.discovery] { return answer(request) }
            script.metadata["mccmnc"] = String(Int(digits) ?? 0)
            return .json(carrier.metadata(script))
        }
        for carrier in [verizon, tmobile] where request.url.hasPrefix(carrier.issuer + "/") {
            return try await carrier.send(request)
        }
        return try await pages.send(request)
    }
}
