internal import JOSEEntra
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey
internal import Synchronization

/// The token, userinfo and pushed authorization request endpoints.
extension Provider {
    func token(_ request: WebRequest, _ form: FormFields) throws -> TransportResponse {
        let client = try authenticated(request, form)
        if paths.backChannel != nil, form["grant_type"] == "urn:openid:params:grant-type:ciba" {
            return try issue(try pollBackChannel(form, client), at: now)
        }
        guard form["grant_type"] == "authorization_code" else {
            throw ProviderFault(code: "unsupported_grant_type", detail: "grant_type is authorization_code")
        }
        // The code is removed before any other check, because it may be used in one attempt only.
        let now = now
        guard let code = form["code"], let grant = state.withLock({ $0.codes.take(code, now: now) }),
            grant.client.clientID == client.clientID
        else { throw ProviderFault.grant("no such code, or it was used, or has expired") }
        guard form["redirect_uri"] == grant.parameters["redirect_uri"] else {
            throw ProviderFault.grant("another redirect_uri")
        }
        try checkVerifier(form["code_verifier"], grant)
        if grant.misbehaviour == .codeRefused { throw ProviderFault.grant("this misbehaviour was chosen") }
        return try issue(grant, at: now)
    }

    private func issue(_ grant: Grant, at now: Double) throws -> TransportResponse {
        let accessToken = Randomness.text()
        let keys = state.withLock { state in
            state.accessTokens.insert(grant, under: accessToken, now: now)
            return state.keys
        }
        var issuing = Issuing(grant: grant, issuer: issuer, now: now, accessToken: accessToken, tenants: tenants)
        if grant.isPorted, let former { issuing.portTokens = [try former.portToken(grant.person, grant.client)] }
        return .json(try body(issuing, keys))
    }

    private func checkVerifier(_ verifier: String?, _ grant: Grant) throws {
        guard let challenge = grant.parameters["code_challenge"], grant.client.pkce != .none else { return }
        guard let verifier else { throw ProviderFault.request("code_verifier is missing") }
        guard (43...128).contains(verifier.utf8.count), Randomness.isSame(Randomness.digest(verifier), challenge)
        else {
            // Carriers use this error code.
            let code = grant.client.flavour == .zenKey ? "request_denied" : "invalid_grant"
            throw ProviderFault(code: code, detail: "another code_verifier")
        }
    }

    private func body(_ issuing: Issuing, _ keys: ProviderKeys) throws -> ClaimsBuilder {
        let grant = issuing.grant
        let client = grant.client
        // A misbehaviour of userinfo leaves the ID token correct.
        let fault = grant.misbehaviour == .plainUserinfo ? nil : grant.misbehaviour
        let maker = TokenMaker(
            client: client, keys: keys, misbehaviour: fault, isPersonal: grant.tenant == Tenants.personal)
        var body: ClaimsBuilder = ["access_token": .string(issuing.accessToken), "token_type": "Bearer"]
        switch client.flavour {
        case .mitID: body["expires_in"] = 10_800
        case .entra:
            body["expires_in"] = 3599
            body["scope"] = .string(grant.parameters["scope"] ?? "")
        default: body["expires_in"] = 3600
        }
        if fault != .missingIDToken { body["id_token"] = .string(try maker.token(issuing.idClaims())) }
        if client.flavour == .mitID {
            body["scope"] = .string(grant.parameters["scope"] ?? "")
            if grant.has("userinfo_token") {
                var claims = issuing.common(lifetime: 300)
                claims.add(issuing.mitIDUserinfoMembers)
                body["userinfo_token"] = .string(try maker.token(claims, type: "at+jwt"))
            }
            if grant.has("transaction_token"), let transaction = keys.transaction {
                body["transaction_token"] = .string(try maker.transactionToken(issuing.mitIDTransaction()))
                body["transaction_token_ocsp_resp"] = .string(Base64.encode(transaction.status.span))
            }
        }
        return body
    }

    func userinfo(_ request: WebRequest) -> TransportResponse {
        guard request.isRead else { return .methodNotAllowed("GET") }
        let field = AuthorizationField(request.header("Authorization") ?? "")
        let now = now
        guard field.scheme == "bearer", let token = field.token.map({ String(decoding: $0, as: UTF8.self) }),
            let (grant, keys) = state.withLock({ state -> (Grant, ProviderKeys)? in
                state.accessTokens.value(token, now: now).map { ($0, state.keys) }
            }), grant.misbehaviour != .userinfoRefused
        else {
            let challenge = "Bearer realm=\"sandbox\", error=\"invalid_token\""
            return TransportResponse(
                status: 401,
                headers: [
                    TransportHeaderField("WWW-Authenticate", challenge),
                    TransportHeaderField("Cache-Control", "no-store"),
                ])
        }
        let client = grant.client
        let claims = Issuing(grant: grant, issuer: issuer, now: now, accessToken: "", tenants: tenants)
            .userinfoClaims()
        if client.userinfoIsJSON || grant.misbehaviour == .plainUserinfo { return .json(claims) }
        // The misbehaviours of the ID token do not apply to userinfo.
        guard let token = try? TokenMaker(client: client, keys: keys, misbehaviour: nil).token(claims) else {
            return TransportResponse(status: 500)
        }
        return .content(Array(token.utf8), type: "application/jwt")
    }

    /// Stores a pushed authorization request (RFC 9126, 2).
    func push(_ request: WebRequest, _ form: FormFields) throws -> TransportResponse {
        let client = try authenticated(request, form)
        guard form["request_uri"] == nil else { throw ProviderFault.request("request_uri cannot be pushed") }
        var asked = form
        for name in ["client_secret", "client_assertion", "client_assertion_type"] { asked.remove(name) }
        asked.set("client_id", client.clientID)
        do throws(AuthorizationFault) {
            if let object = asked["request"] { asked = try verifiedParameters(object, client, asked) }
            try check(asked, client)
        } catch {
            throw ProviderFault.request("the request would be refused")
        }
        let uri = "urn:ietf:params:oauth:request_uri:" + Randomness.text()
        state.withLock { $0.pushed.insert((client.clientID, asked), under: uri, now: now) }
        return .json(["request_uri": .string(uri), "expires_in": 600], status: 201)
    }
}
