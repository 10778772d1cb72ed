internal import JOSE
internal import JOSEEntra
internal import JOSEItsme
internal import JOSEMitID
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey
internal import Synchronization

/// The parameters of an authorization request: in the query, in a request object, or pushed before.
extension Provider {
    /// Returns the client that the request names. Its redirect URI is checked later, by `check`.
    func addressee(_ query: FormFields) throws(AuthorizationFault) -> Registration {
        if let repeated = query.repeated { throw .page("Duplicate parameter \(repeated).") }
        guard let client = client(query["client_id"]) else { throw .page("No client has this client_id.") }
        return client
    }

    /// Returns the parameters of the request. Those of the request object take precedence over those of the query
    /// (OpenID Connect Core, 6.3.3).
    func parameters(
        _ query: FormFields, _ client: Registration, document: String?
    ) throws(AuthorizationFault) -> FormFields {
        switch (query["request"], query["request_uri"]) {
        case (nil, nil): return query
        case (_?, _?): throw .page("There is both request and request_uri.")
        case (let object?, nil): return try verifiedParameters(object, client, query)
        case (nil, let uri?) where uri.hasPrefix("https:"):
            guard let document else {
                throw .page("invalid_request_uri: not registered, or no request object is there.")
            }
            return try verifiedParameters(document, client, query)
        case (nil, let uri?):
            let found = state.withLock { $0.pushed.take(uri, now: now) }
            guard let found, found.client == client.clientID else {
                throw .page("No request was pushed under this request_uri, or it was used, or has expired.")
            }
            return found.parameters
        }
    }

    func verifiedParameters(
        _ object: String, _ client: Registration, _ query: FormFields
    ) throws(AuthorizationFault) -> FormFields {
        let isNested = object.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4
        guard client.requestObjects.contains(isNested ? .nested : .signed) else {
            throw .page("invalid_request_object: its form is not registered for the client.")
        }
        let server = client.requestAudienceIsEndpoint ? issuer + paths.authorization : issuer
        var profile = RequestObjectProfile(
            clientID: client.clientID, server: server, algorithms: Self.algorithms(client))
        profile.type = .any
        profile.claims.clock = clock
        profile.encryption = isNested ? Self.encryption : nil
        guard
            let verifier = try? TokenVerifier(
                profile, verificationKeys: Self.signing(client), decryptionKeys: decryptionKeys),
            let token = try? verifier.verify(object)
        else { throw .page("invalid_request_object: by its form, key, audience, time or client_id.") }
        let inner = Self.fields(of: token.claims)
        // The parameters that OAuth requires are in the query too, with the same values (OpenID Connect Core, 6.1).
        for name in ["client_id", "response_type"] where query[name] != nil && query[name] != inner[name] {
            throw .page("invalid_request_object: \(name) is another one in the query.")
        }
        // MitID uses only the parameters of the object.
        guard client.flavour != .mitID else { return inner }
        var all = query
        for item in inner.items { all.set(item.name, item.value) }
        all.remove("request")
        all.remove("request_uri")
        return all
    }

    private static let names = [
        "client_id", "response_type", "scope", "redirect_uri", "state", "nonce", "acr_values", "response_mode",
        "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "language", "ui_locales",
        "idp_values", "display", "claims", "idp_params", "login_hint_token", "requested_expiry", "binding_message",
    ]

    /// Returns the claims as parameters. A JSON object becomes its text.
    static func fields(of claims: Claims) -> FormFields {
        var fields = FormFields()
        for name in names {
            if let text = claims.string(name) {
                fields.add(name, text)
            } else if let json = claims.json(name) {
                fields.add(name, String(decoding: json, as: UTF8.self))
            }
        }
        return fields
    }

    /// Checks the provider's own rules. From here on the redirect URI is known to be the client's, so that errors are
    /// sent there.
    func check(_ parameters: FormFields, _ client: Registration) throws(AuthorizationFault) {
        guard let uri = parameters["redirect_uri"], client.redirectURIs.contains(uri) else {
            throw .page("The redirect_uri is not one that was registered.")
        }
        guard parameters["response_type"] == "code" else {
            throw .redirect(code: "unsupported_response_type", detail: "response_type is code")
        }
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        guard scopes.contains("openid") else { throw .redirect(code: "invalid_scope", detail: "scope needs openid") }
        try checkPKCE(parameters, client)
        switch client.flavour {
        case .itsmeV1, .itsmeV2, .itsmeNow: try checkItsme(parameters, scopes)
        case .zenKey: try checkZenKey(parameters, scopes)
        case .mitID: try checkMitID(parameters, client)
        case .entra, .openID: break
        }
    }

    private func checkPKCE(_ parameters: FormFields, _ client: Registration) throws(AuthorizationFault) {
        let challenge = parameters["code_challenge"]
        guard challenge != nil || client.pkce != .required else {
            throw .redirect(code: "invalid_request", detail: "code_challenge is required")
        }
        guard challenge == nil || client.pkce != .none else { return }
        guard challenge == nil || parameters["code_challenge_method"] == "S256" && challenge?.utf8.count == 43 else {
            throw .redirect(code: "invalid_request", detail: "code_challenge_method is S256")
        }
    }

    private func checkItsme(_ parameters: FormFields, _ scopes: [String]) throws(AuthorizationFault) {
        guard scopes.count(where: { $0.hasPrefix("service:") && $0.utf8.count > 8 }) == 1 else {
            throw .redirect(code: "invalid_scope", detail: "scope needs one service")
        }
        guard parameters["display"].map({ $0 == "page" }) ?? true else {
            throw .redirect(code: "unsupported_display", detail: "display is page")
        }
        if let text = parameters["claims"].map({ Array($0.utf8) }) {
            guard (try? JSONObject(parsing: text.span)) != nil else {
                throw .redirect(code: "invalid_request", detail: "claims is a JSON object")
            }
        }
    }

    private func checkZenKey(_ parameters: FormFields, _ scopes: [String]) throws(AuthorizationFault) {
        guard !scopes.contains("port_data") else {
            throw .redirect(code: "invalid_scope", detail: "port_data is between carriers")
        }
        guard (parameters["context"] ?? "").unicodeScalars.count <= 280 else {
            throw .redirect(code: "invalid_request", detail: "context has at most 280 characters")
        }
    }

    /// Checks the rules whose errors the broker shows on a page of its own, so that the client gets no answer.
    private func checkMitID(_ parameters: FormFields, _ client: Registration) throws(AuthorizationFault) {
        guard parameters["state"] != nil, parameters["nonce"] != nil else { throw .page("There is no state or nonce.") }
        if let text = parameters["idp_params"].map({ Array($0.utf8) }) {
            guard (try? JSONObject(parsing: text.span)) != nil else { throw .page("idp_params is not JSON.") }
        }
        let values = (parameters["idp_values"] ?? "mitid").split(separator: " ")
        // The first of them answers. Age proofs have an issuer of their own.
        let known: [Substring] = client.isAgeProof ? ["euav"] : ["mitid", "mitid_erhverv", "euid"]
        guard values.first.map(known.contains) ?? false else { throw .page("Unknown idp_values.") }
    }
}
