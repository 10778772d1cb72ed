import JOSE
import JOSEKeySets
import JOSETokens
import Synchronization

/// Acme's identity provider in this process. Its user is always logged in.
final class ScriptedAcme: HTTPTransport {
    static let issuer = "https://id.acme.test"
    static let clientID = "shop"

    private struct State {
        var nonce = ""
        var change: @Sendable (inout ClaimsBuilder) -> Void = { _ in }
        var calls = 0
    }
    private let key: PrivateKey
    private let clock: WallClock
    private let state = Mutex(State())

    init(clock: WallClock) throws {
        key = try PrivateKey.generate(.rsa(bits: 2048), keyID: "1")
        self.clock = clock
    }

    /// The number of requests to the token endpoint.
    var calls: Int { state.withLock { $0.calls } }

    /// Changes the claims of later ID tokens.
    func change(_ change: @escaping @Sendable (inout ClaimsBuilder) -> Void) { state.withLock { $0.change = change } }

    /// Returns the query of the callback for an authorization request.
    func visit(_ url: String) -> String {
        let parameters = Self.parameters(url)
        state.withLock { $0.nonce = parameters["nonce"] ?? "" }
        return "code=1&state=\(parameters["state"] ?? "")"
    }

    /// Returns the parameters of a URL. Those that this provider reads need no decoding.
    static func parameters(_ url: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in url.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            parameters[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return parameters
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let issuer = Self.issuer
        switch request.url {
        case issuer + "/.well-known/openid-configuration":
            return Self.json(
                #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(issuer)/authorize","#
                    + #""token_endpoint":"\#(issuer)/token","userinfo_endpoint":"\#(issuer)/userinfo","#
                    + #""jwks_uri":"\#(issuer)/keys"}"#)
        case issuer + "/keys": return Self.json(#"{"keys":[\#(key.publicKey.jwk())]}"#)
        case issuer + "/userinfo": return Self.json(#"{"sub":"user-1","name":"Jo"}"#)
        case issuer + "/token":
            guard let token = try? idToken() else { throw .responseInvalid }
            return Self.json(#"{"access_token":"a","token_type":"Bearer","id_token":"\#(token)"}"#)
        default: throw .nameNotResolved
        }
    }

    private func idToken() throws -> String {
        var profile = IDTokenProfile(issuer: Self.issuer, clientID: Self.clientID, nonce: nil, algorithms: [.rs256])
        profile.claims.clock = clock
        let (nonce, change) = state.withLock { state in
            state.calls += 1
            return (state.nonce, state.change)
        }
        var claims: ClaimsBuilder = [
            "sub": "user-1", "nonce": .string(nonce), "employee_id": "e-7", "employment": "active", "tenant": "north",
            "acr": "urn:acme:loa:token",
        ]
        change(&claims)
        return try TokenIssuer(profile.policy, signingKey: .privateKey(key), lifetime: .seconds(300)).issue(claims)
    }

    private static func json(_ text: String) -> TransportResponse {
        TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "application/json")], body: Array(text.utf8))
    }
}
