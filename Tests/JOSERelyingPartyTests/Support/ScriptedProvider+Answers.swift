import Foundation
import JOSE
import JOSEBytes
import JOSECrypto
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport

extension ScriptedProvider {
    func metadata(_ script: Script) -> String {
        var members: [String: String?] = [
            "issuer": quoted(issuer), "jwks_uri": quoted(issuer + Endpoint.keys.rawValue),
            "authorization_endpoint": quoted(issuer + Endpoint.authorization.rawValue),
            "token_endpoint": quoted(issuer + Endpoint.token.rawValue),
            "userinfo_endpoint": quoted(issuer + Endpoint.userInfo.rawValue),
            "pushed_authorization_request_endpoint": quoted(issuer + Endpoint.pushed.rawValue),
            "revocation_endpoint": quoted(issuer + Endpoint.revocation.rawValue),
            "end_session_endpoint": quoted(issuer + "/endsession"),
        ]
        for (name, value) in script.metadata { members[name] = value }
        return "{" + members.compactMap { name, value in value.map { "\(quoted(name)):\($0)" } }.joined(separator: ",")
            + "}"
    }

    private func quoted(_ text: String) -> String { JSON.string(text).text }

    func keys(_ script: Script) -> String {
        let keys = script.published.map { $0.jwk() }
        return "{\"keys\":[\(keys.joined(separator: ","))]}"
    }

    /// What a user does who goes to `url` and agrees: the query of the callback.
    func authorize(_ url: String) -> String {
        let fields = FormFields(ofURL: url)
        var parameters = Dictionary(fields.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        if let object = parameters["request"] { parameters.merge(read(object)) { $1 } }
        if let uri = parameters["request_uri"] {
            let pushed = state.withLock { $0.pushed.removeValue(forKey: uri) }
            parameters.merge(pushed ?? [:]) { $1 }
        }
        return grant(parameters)
    }

    /// The same with a request object that was served at its address.
    func authorize(_ url: String, document: String) -> String {
        let fields = FormFields(ofURL: url)
        var parameters = Dictionary(fields.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        parameters.merge(read(document)) { $1 }
        return grant(parameters)
    }

    private func grant(_ parameters: [String: String]) -> String {
        let code = state.withLock { state in
            state.count += 1
            let code = "code-\(state.count)"
            state.grants[code] = Grant(parameters: parameters)
            return code
        }
        return "code=\(code)&state=\(FormFields.encoded(parameters["state"] ?? ""))"
    }

    /// The claims of a request object: decrypted where it is encrypted, and verified.
    func read(_ object: String) -> [String: String] {
        guard let payload = try? requestObject(object), case .object(let members)? = try? JSON(payload) else {
            return [:]
        }
        return members.mapValues { $0.string ?? $0.text }
    }

    /// The verified payload of what the client signed.
    func requestObject(_ object: String) throws -> [UInt8] {
        var inner = object
        if object.split(separator: ".", omittingEmptySubsequences: false).count == 5 {
            let policy = EncryptionPolicy(
                keyManagement: [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512],
                contentEncryption: ContentEncryption.all)
            let opened = try Decrypter(keys: KeySet(TestKeys.providerEncryption), policy: policy).decrypt(object)
            inner = String(decoding: opened.plaintext, as: UTF8.self)
        }
        let keys = KeySet([
            .publicKey(manner.clientKey), .symmetricKey(try SymmetricKey(bytes: Array(manner.secret.utf8))),
        ])
        let policy = SignaturePolicy(algorithms: [.rs256, .ps256, .es256, .hs256])
        return try Verifier(keys: keys, policy: policy).verify(inner).payload
    }

    func push(_ request: HTTPRequest) -> HTTPResponse {
        let form = FormFields(String(decoding: request.body, as: UTF8.self))
        guard isClient(form, request) else { return .json(#"{"error":"invalid_client"}"#, status: 401) }
        var parameters = Dictionary(form.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        if let object = parameters["request"] { parameters.merge(read(object)) { $1 } }
        let uri = state.withLock { state in
            state.count += 1
            let uri = "urn:ietf:params:oauth:request_uri:\(state.count)"
            state.pushed[uri] = parameters
            return uri
        }
        return .json(#"{"request_uri":"\#(uri)","expires_in":600}"#, status: 201)
    }

    func token(_ request: HTTPRequest, _ script: Script) -> HTTPResponse {
        let form = FormFields(String(decoding: request.body, as: UTF8.self))
        guard isClient(form, request) else { return .json(#"{"error":"invalid_client"}"#, status: 401) }
        if form["grant_type"] == "refresh_token" { return tokens([:], script) }
        let grant = state.withLock { $0.grants.removeValue(forKey: form["code"] ?? "") }
        guard let grant, form["redirect_uri"] == grant.parameters["redirect_uri"], holds(form, grant) else {
            return .json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        return tokens(grant.parameters, script)
    }

    /// RFC 7636, 4.6.
    private func holds(_ form: FormFields, _ grant: Grant) -> Bool {
        guard let challenge = grant.parameters["code_challenge"] else { return form["code_verifier"] == nil }
        guard let verifier = form["code_verifier"], let hash = try? Hash.sha256.digest(Array(verifier.utf8).span) else {
            return false
        }
        return Forge.encoded(hash) == challenge
    }

    private func tokens(_ parameters: [String: String], _ script: Script) -> HTTPResponse {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        var claims = commonClaims()
        claims["iat"] = .integer(Int64(clock.now))
        claims["exp"] = .integer(Int64(clock.now) + 300)
        claims["auth_time"] = .integer(Int64(clock.now))
        if let nonce = parameters["nonce"] { claims["nonce"] = .string(nonce) }
        if let acr = manner.acr { claims["acr"] = .string(acr) }
        script.idTokenClaims(&claims)
        do {
            let idToken = try script.idToken?(claims) ?? make(claims, manner.idToken, script)
            let text =
                #"{"access_token":"access-\#(number)","token_type":"Bearer","expires_in":3600,"id_token":"\#(idToken)"}"#
            return .json(script.tokenResponse?(text) ?? text)
        } catch {
            return HTTPResponse(status: 500)
        }
    }

    func commonClaims() -> ClaimSet {
        ["iss": .string(issuer), "sub": "user-1", "aud": .string(manner.clientID)]
    }

    func userInfo(_ request: HTTPRequest, _ script: Script) -> HTTPResponse {
        let authorization = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        guard authorization.hasPrefix("Bearer access-") else { return HTTPResponse(status: 401) }
        var claims = commonClaims()
        claims["given_name"] = "Jan"
        script.userInfoClaims(&claims)
        do {
            if let answer = script.userInfo { return try answer(claims) }
            if case .json = manner.userInfo { return .json(String(decoding: claims.json(), as: UTF8.self)) }
            return .jwt(try make(claims, manner.userInfo, script))
        } catch {
            return HTTPResponse(status: 500)
        }
    }
}
