import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport

/// A provider inside this process. It answers as a right one does, but for what its script changes, and remembers what it was asked.
final class ScriptedProvider: Transport {
    /// What can be changed, at any time.
    struct Script: Sendable {
        /// Of the ID token and of userinfo, before they are signed; nil takes a claim away.
        var idTokenClaims: @Sendable (inout ClaimSet) -> Void = { _ in }
        var userInfoClaims: @Sendable (inout ClaimSet) -> Void = { _ in }
        /// The whole token in place of the one that would come.
        var idToken: (@Sendable (_ claims: ClaimSet) throws -> String)?
        var userInfo: (@Sendable (_ claims: ClaimSet) throws -> HTTPResponse)?
        /// Members of the metadata as JSON text; nil takes one away.
        var metadata: [String: String?] = [:]
        /// The keys that are published.
        var published: [PublicKey] = [TestKeys.provider.publicKey, TestKeys.providerEncryption.publicKey]
        var signingKey = TestKeys.provider
        /// An answer, or a failure, in place of an endpoint's own.
        var answers: [Endpoint: @Sendable (HTTPRequest) throws(TransportError) -> HTTPResponse] = [:]
        /// The token response's text, from the one that would come.
        var tokenResponse: (@Sendable (String) -> String)?
    }
    enum Endpoint: String, Sendable, CaseIterable {
        case discovery = "/.well-known/openid-configuration"
        case keys = "/keys"
        case authorization = "/authorization"
        case token = "/token"
        case userInfo = "/userinfo"
        case pushed = "/par"
        case revocation = "/revoke"
    }
    /// What a code stands for.
    struct Grant: Sendable {
        let parameters: [String: String]
    }
    struct State: Sendable {
        var script = Script()
        var requests: [(endpoint: Endpoint?, request: HTTPRequest)] = []
        var grants: [String: Grant] = [:]
        var pushed: [String: [String: String]] = [:]
        var count = 0
    }
    let issuer: String
    let manner: ProviderManner
    let clock: TestClock
    let state = Mutex(State())

    init(issuer: String, manner: ProviderManner, clock: TestClock) {
        self.issuer = issuer
        self.manner = manner
        self.clock = clock
    }

    var script: Script {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// How often an endpoint was asked.
    func calls(_ endpoint: Endpoint) -> Int {
        state.withLock { state in state.requests.count { $0.endpoint == endpoint } }
    }

    var calls: Int { state.withLock { $0.requests.count } }

    /// What an endpoint was asked last.
    func last(_ endpoint: Endpoint) -> HTTPRequest? {
        state.withLock { state in state.requests.last { $0.endpoint == endpoint }?.request }
    }

    /// The form that an endpoint got last.
    func lastForm(_ endpoint: Endpoint) -> FormFields {
        FormFields(String(decoding: last(endpoint)?.body ?? [], as: UTF8.self))
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let path = request.url.hasPrefix(issuer) ? String(request.url.dropFirst(issuer.count)) : nil
        let endpoint = path.flatMap { Endpoint(rawValue: $0) }
        let script = state.withLock { state in
            state.requests.append((endpoint, request))
            return state.script
        }
        guard let endpoint else { throw .nameNotResolved }
        if let answer = script.answers[endpoint] { return try answer(request) }
        switch endpoint {
        case .discovery: return .json(metadata(script))
        case .keys: return .json(keys(script))
        case .token: return token(request, script)
        case .userInfo: return userInfo(request, script)
        case .pushed: return push(request)
        case .revocation: return HTTPResponse(status: 200)
        case .authorization: return HTTPResponse(status: 405)
        }
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPField("Content-Type", "application/json"), HTTPField("Cache-Control", "no-store")],
            body: Array(text.utf8))
    }

    static func jwt(_ token: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [HTTPField("Content-Type", "application/jwt")], body: Array(token.utf8))
    }
}
