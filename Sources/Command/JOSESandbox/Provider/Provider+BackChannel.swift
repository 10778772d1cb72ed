internal import JOSEKeySets
internal import JOSEMitID
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// A login that a back end began (OpenID Connect CIBA, in poll mode).
struct BackChannelRequest: Sendable {
    enum Stand: Sendable {
        case pending, refused
        case approved(Grant)
    }
    let client: Registration
    var parameters: FormFields
    /// The persons who can be the user.
    let people: [Person]
    let end: Double
    /// The shortest time between two polls, in seconds.
    let interval: Double
    var stand = Stand.pending
    var lastAsked = -Double.infinity
}

extension Provider {
    static let startPath = "/api/ciba/broker-oidc/init-auth"
    static let approvalPath = "/sandbox/approval"

    func beginBackChannel(_ request: WebRequest, _ sent: FormFields) throws -> TransportResponse {
        let client = try authenticated(request, sent)
        let form = paths.search == nil ? sent : try signedRequest(sent, client)
        guard (form["scope"] ?? "").split(separator: " ").contains("openid") else {
            throw ProviderFault(code: "invalid_scope", detail: "scope needs openid")
        }
        var parameters = FormFields()
        for name in [
            "scope", "idp_params", "max_age", "language", "acr_values", "binding_message", "claims",
        ] {
            if let value = form[name] { parameters.add(name, value) }
        }
        var people = Person.all
        var device: String?
        if paths.search != nil {
            let found = try foundUser(form["login_hint_token"] ?? "", client)
            (people, device) = ([found.person], found.device)
        } else if client.isAgeProof {
            try readAgeProof(form, client, into: &parameters)
        } else if client.flavour == .mitID {
            try read(form["login_hint_token"] ?? "", into: &parameters)
        } else {
            let person = try person(form)
            (people, device) = ([person], person.id)
        }
        let id = Randomness.text()
        let (lifetime, interval) = paths.search == nil ? (300, 3) : (120, 2)
        let asked = BackChannelRequest(
            client: client, parameters: parameters, people: people, end: now + Double(lifetime),
            interval: Double(interval))
        state.withLock { state in
            state.backChannel.insert(asked, under: id, now: now)
            if let device { state.approvals.insert(id, under: device, now: now) }
        }
        var body: ClaimsBuilder = [
            "auth_req_id": .string(id), "expires_in": .integer(Int64(lifetime)), "interval": .integer(Int64(interval)),
        ]
        if client.isAgeProof {
            let link = approvalURL(id)
            body["authentication_uri"] = .string(link)
            if form["qr_code_response"] != nil {
                // The digits are for the eye alone: no page of the wallet takes them.
                body["qr_b64"] = .string(Base64.encode(CodeImage.png(digits: Randomness.digits(), link: link).span))
            }
        }
        return .json(body)
    }

    /// Returns the URL of the page on which the user decides about a request.
    private func approvalURL(_ id: String) -> String { issuer + Self.approvalPath + "?id=" + id }

    /// Reads the request of an age proof. No hint names the user: whoever opens the link proves an age. Only the flow
    /// with a link is supported, because the sandbox's pages may not be framed, and only a code in PNG.
    private func readAgeProof(_ form: FormFields, _ client: Registration, into parameters: inout FormFields) throws {
        guard client.isBackChannel else {
            throw ProviderFault(code: "unauthorized_client", detail: "the client begins no proofs by the back channel")
        }
        guard form["idp_values"] == "euav" else { throw ProviderFault.request("idp_values is euav") }
        guard form["login_hint_token"] == nil, form["flow_type"] == "authentication_uri" else {
            throw ProviderFault.request("flow_type is authentication_uri, and there is no hint")
        }
        guard ["png", nil].contains(form["qr_code_response"]) else {
            throw ProviderFault.request("qr_code_response is png")
        }
        parameters.add("idp_values", "euav")
    }

    /// Returns the person whom the hint names (OpenID Connect CIBA, 7.1). Only `login_hint` is supported: the
    /// identifier of a person.
    private func person(_ form: FormFields) throws -> Person {
        let hints = ["login_hint", "login_hint_token", "id_token_hint"].filter { form[$0] != nil }
        guard hints.count == 1, form["request"] == nil else {
            throw ProviderFault.request("exactly one hint is needed")
        }
        guard let person = Person.all.first(where: { $0.id == form["login_hint"] }) else {
            throw ProviderFault(code: "unknown_user_id", detail: "no such person")
        }
        return person
    }

    /// Reads the kind of login from the hint, which is JSON, as it is or in base64.
    private func read(_ hint: String, into parameters: inout FormFields) throws {
        let text = hint.hasPrefix("{") ? Array(hint.utf8) : Base64.decode(Array(hint.utf8)) ?? []
        guard let object = try? JSONObject(parsing: text.span),
            object.first("flow_type", in: text.span)?.string(in: text.span) == "broker_oidc"
        else { throw ProviderFault.request("login_hint_token is not a broker_oidc flow") }
        for name: StaticString in ["idp_values", "prompt"] {
            if let value = object.first(name, in: text.span)?.string(in: text.span) { parameters.add("\(name)", value) }
        }
    }

    /// Begins the login in the browser. There is no client authentication: whoever has the `auth_req_id` is the client.
    func startBackChannel(_ request: WebRequest) -> TransportResponse {
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        let text = request.body
        guard request.header("Content-Type")?.lowercased().hasPrefix("application/json") == true,
            let object = try? JSONObject(parsing: text.span),
            let id = object.first("requestId", in: text.span)?.string(in: text.span),
            var asked = state.withLock({ $0.backChannel.value(id, now: now) }), now < asked.end
        else { return ProviderFault.request("no such request").response(.mitID) }
        if let uri = object.first("redirectUri", in: text.span)?.string(in: text.span) {
            guard asked.client.redirectURIs.contains(uri) else {
                return ProviderFault.request("redirectUri is not registered").response(.mitID)
            }
            asked.parameters.set("redirect_uri", uri)
        }
        if let value = object.first("state", in: text.span)?.string(in: text.span) {
            asked.parameters.set("state", value)
        }
        let changed = asked
        state.withLock { $0.backChannel.change(id) { $0 = changed } }
        return .json(["request_uri": .string(id), "authentication_uri": .string(approvalURL(id))])
    }

    /// Returns the page on which the user decides, which is that of a login in the browser. The page of a device, or of
    /// a person in place of the person's device, is for the last login that was begun for it.
    func approval(_ request: WebRequest) -> TransportResponse {
        guard request.isRead else { return .methodNotAllowed("GET") }
        let device = request.query?["device"] ?? request.query?["person"]
        let last = device.flatMap { device in state.withLock { $0.approvals.value(device, now: now) } }
        guard let id = request.query?["id"] ?? last, let asked = state.withLock({ $0.backChannel.value(id, now: now) }),
            now < asked.end
        else { return refusal("There is no such request, or it is over.") }
        return page(request, asked.client, asked.parameters, people: asked.people, backChannel: id)
    }

    /// Stores the decision of the user, and sends the browser back.
    func settle(_ id: String, _ pending: PendingRequest, _ form: FormFields) -> TransportResponse {
        guard let fault = form.answer(of: Misbehaviour.self), fault?.applies(to: pending.client) != false else {
            return refusal("There is no such answer.")
        }
        var stand = BackChannelRequest.Stand.refused
        if form["decision"] == "approve" {
            guard let person = pending.people.first(where: { $0.id == form["person"] }) else {
                return refusal("There is no such person.")
            }
            stand = .approved(
                Grant(
                    client: pending.client, parameters: pending.parameters, person: person, misbehaviour: fault,
                    authenticated: now))
        }
        state.withLock { $0.backChannel.change(id) { $0.stand = stand } }
        guard let target = pending.parameters["redirect_uri"] else {
            return .page("\(title): done", "<p>The service is notified. You can close this page.</p>")
        }
        var fields = FormFields()
        if let value = pending.parameters["state"] { fields.add("state", value) }
        return .seeOther(target + (target.contains("?") ? "&" : "?") + fields.encoded)
    }

    /// Returns the grant of an approved login, or throws the error of its state (OpenID Connect CIBA, 11).
    func pollBackChannel(_ form: FormFields, _ client: Registration) throws -> Grant {
        let now = now
        let id = form["auth_req_id"] ?? ""
        return try state.withLock { state in
            guard let asked = state.backChannel.value(id, now: now), asked.client.clientID == client.clientID else {
                throw ProviderFault.grant("no such auth_req_id, or it was used")
            }
            guard now < asked.end else { throw ProviderFault(code: "expired_token", detail: "too late") }
            guard now - asked.lastAsked >= asked.interval else {
                throw ProviderFault(code: "slow_down", detail: "sooner than the interval")
            }
            state.backChannel.change(id) { $0.lastAsked = now }
            switch asked.stand {
            case .pending: throw ProviderFault(code: "authorization_pending", detail: "the user has not decided")
            case .refused:
                _ = state.backChannel.take(id, now: now)
                throw ProviderFault(code: "access_denied", detail: "refused")
            case .approved(let grant):
                _ = state.backChannel.take(id, now: now)
                return grant
            }
        }
    }
}
