import JOSE
import JOSEKeySets
import JOSESandbox
import JOSETesting
import TestSupport
import Testing

/// A login written by hand from the provider's specification, without the relying party of this package.
struct RawLogin {
    let bench: Bench
    let client: TestClient
    let provider: Provider
    /// A verifier of 43 characters (RFC 7636, 4.1).
    static let verifier = "a-verifier-of-forty-three-unreserved-chars-"

    init(_ name: String, on own: Bench? = nil) async throws {
        bench = if let own { own } else { try await Bench.shared.value }
        let client = try bench.client(name)
        self.client = client
        provider = try #require(
            bench.sandbox.providers.first { $0.clients.contains { $0.clientID == client.clientID } })
    }

    /// Returns an endpoint from the metadata that the provider publishes.
    func endpoint(_ name: String) throws -> String {
        let document = get(provider.metadataURL)
        return try #require(try JSON(document.body)[name]?.string)
    }

    func get(_ url: String, _ headers: [TransportHeaderField] = []) -> TransportResponse {
        send("GET", url, headers, [])
    }

    func post(_ url: String, _ fields: [(String, String)], _ headers: [TransportHeaderField] = []) -> TransportResponse
    {
        var form = FormFields()
        for (name, value) in fields { form.add(name, value) }
        let type = TransportHeaderField("Content-Type", "application/x-www-form-urlencoded")
        return send("POST", url, headers + [type], Array(form.encoded.utf8))
    }

    private func send(_ method: String, _ url: String, _ headers: [TransportHeaderField], _ body: [UInt8])
        -> TransportResponse
    {
        let rest = url.dropFirst("https://".count)
        let authority = String(rest.prefix { $0 != "/" })
        return bench.sandbox.answer(
            WebRequest(
                method, authority: authority, target: String(rest.dropFirst(authority.count)),
                headers: [TransportHeaderField("Host", authority)] + headers, body: body))
    }

    /// Returns the parameters of every login, and the given ones.
    func parameters(_ more: [(String, String)] = []) -> [(String, String)] {
        var all = [
            ("client_id", client.clientID), ("response_type", "code"), ("redirect_uri", client.redirectURI),
            ("state", "the-state"), ("nonce", "the-nonce"),
            (
                "scope",
                client.profile.hasPrefix("itsme") ? "openid service:SANDBOX profile email phone address" : "openid"
            ),
        ]
        if client.answersByPost { all.append(("response_mode", "form_post")) }
        for (name, value) in more {
            all.removeAll { $0.0 == name }
            all.append((name, value))
        }
        return all
    }

    var challenge: [(String, String)] {
        [("code_challenge", Randomness.digest(Self.verifier)), ("code_challenge_method", "S256")]
    }

    func visit(_ parameters: [(String, String)]) async throws -> Surfer {
        var form = FormFields()
        for (name, value) in parameters { form.add(name, value) }
        var surfer = Surfer(bench)
        surfer.keepsAwayFromService = true
        await surfer.get(try endpoint("authorization_endpoint") + "?" + form.encoded)
        return surfer
    }

    /// Lets a user approve the request, and returns the code.
    func code(_ more: [(String, String)] = []) async throws -> String {
        var surfer = try await visit(parameters(more))
        await surfer.submit(["person": "anna", "misbehaviour": "", "decision": "approve"])
        let code = client.answersByPost ? surfer.hidden("code") : surfer.parameter("code")
        #expect((client.answersByPost ? surfer.hidden("state") : surfer.parameter("state")) == "the-state")
        return try #require(code, "\(surfer.title)")
    }

    func exchange(_ code: String) -> [(String, String)] {
        [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.redirectURI)]
    }

    /// Returns a client assertion (`private_key_jwt`), with header and claims written byte for byte.
    func assertion(audience: String, jti: String = Randomness.text(), header: String? = nil) throws -> String {
        guard case .privateKey(let key) = bench.sandbox.serviceKeys.keys[0] else { return "" }
        let now = Int(Bench.now.secondsSince1970)
        let claims = #"""
            {"iss":"\#(client.clientID)","sub":"\#(client.clientID)","aud":"\#(audience)","jti":"\#(jti)","exp":\#(now + 120)}
            """#
        return try Forge.signed(
            header: header ?? #"{"alg":"RS256","kid":"s1","typ":"JWT"}"#, payload: claims, with: .privateKey(key),
            .rs256)
    }

    /// Returns a request object with the parameters of every login.
    func requestObject(audience: String) throws -> String {
        guard case .privateKey(let key) = bench.sandbox.serviceKeys.keys[0] else { return "" }
        let now = Int(Bench.now.secondsSince1970)
        let members = parameters().map { #""\#($0.0)":"\#($0.1)""# }.joined(separator: ",")
        let claims = #"{"iss":"\#(client.clientID)","aud":"\#(audience)","exp":\#(now + 120),\#(members)}"#
        return try Forge.signed(
            header: #"{"alg":"RS256","kid":"s1"}"#, payload: claims, with: .privateKey(key), .rs256)
    }

    func nested(_ jws: String) throws -> String {
        let key = try #require(provider.publishedKeys.first { $0.use == .encryption })
        return try Forge.encrypted(
            header: #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"}"#, plaintext: Array(jws.utf8),
            with: .publicKey(key), .rsaOAEP, .a128cbcHS256)
    }

    func proof(_ assertion: String) -> [(String, String)] {
        [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
        ]
    }

    /// Returns the header `Authorization: Basic` with ID and secret, not form-encoded.
    func basic(_ id: String, _ secret: String) -> [TransportHeaderField] {
        [TransportHeaderField("Authorization", "Basic " + Forge.base64("\(id):\(secret)"))]
    }

    func error(_ response: TransportResponse) throws -> String? { try JSON(response.body)["error"]?.string }
}

extension Forge {
    static func base64(_ text: String) -> String {
        let url = encoded(Array(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
        return url + String(repeating: "=", count: (4 - url.utf8.count % 4) % 4)
    }
}

extension JSON {
    var members: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }
    var array: [JSON]? { if case .array(let values) = self { values } else { nil } }
}
