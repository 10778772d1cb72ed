internal import JOSEKeySets
internal import JOSEMitID
internal import JOSERelyingParty
internal import Synchronization

/// The page on which a user decides, and the answer to the service.
extension Provider {
    private static let cookie = "__Host-sandbox"

    func authorize(_ request: WebRequest) -> TransportResponse {
        // At itsme a POST would break the redirection to the app.
        guard request.isRead else { return .methodNotAllowed("GET") }
        guard let query = request.query else { return refusal("The query is not one.") }
        var addressee: Registration?
        var asked = query
        do throws(AuthorizationFault) {
            let client = try self.addressee(query)
            asked = try parameters(query, client, document: request.requestObject)
            addressee = client
            try check(asked, client)
            return page(request, client, asked, people: tenants?.people(at: request, base: base) ?? Person.all)
        } catch {
            switch (error, addressee) {
            case (.page(let text), _): return refusal(text)
            case (.redirect(let code, let detail), let client?):
                return answer(client, asked, errorFields(client, code, detail))
            case (.redirect(let code, _), nil): return refusal(code)
            }
        }
    }

    func refusal(_ text: String) -> TransportResponse {
        .page(
            "\(title): this request is refused", status: 400,
            "<p role=\"alert\">\(text) Nothing was sent back to the service.</p>")
    }

    func page(
        _ request: WebRequest, _ client: Registration, _ parameters: FormFields, people: [Person] = Person.all,
        backChannel: String? = nil
    ) -> TransportResponse {
        let known = request.cookie(Self.cookie).flatMap { $0.utf8.count == 43 ? $0 : nil }
        let browser = known ?? Randomness.text()
        let pending = PendingRequest(
            client: client, parameters: parameters, browser: Randomness.digest(browser), people: people,
            backChannel: backChannel)
        let id = Randomness.text()
        state.withLock { $0.pending.insert(pending, under: id, now: now) }
        let ported: Markup =
            former.map {
                """
                <p><label><input type="checkbox" name="ported" value="yes"> Whose number was with \($0.title) before</label></p>
                """
            } ?? .nothing
        let guest: Markup =
            tenants == nil || people.count == 1
            ? .nothing
            : """
            <p><label><input type="checkbox" name="guest" value="yes"> As a guest of the other organization</label></p>
            """
        let message: Markup =
            parameters["binding_message"].map { "<p>The service shows: <strong>\($0)</strong></p>" } ?? .nothing
        let content: Markup = """
            <p>The service <strong>\(client.clientID)</strong> asks who you are, for \(parameters["scope"] ?? "").</p>
            \(message)
            <form method="post" action="\(base + Self.decisionPath)">
            <input type="hidden" name="request" value="\(id)">
            \(FormParts.people(people, remark))
            \(ported)\(guest)
            \(FormParts.answers(Misbehaviour.all(for: client)))
            <p><button name="decision" value="approve">Approve</button>
            <button name="decision" value="refuse">Refuse</button></p>
            </form>
            """
        let cookie = WebCookie.text(Self.cookie, browser, sameSite: "Strict")
        return .page(
            "\(title): log in", formTargets: [(parameters["redirect_uri"] ?? "").origin], content,
            [TransportHeaderField("Set-Cookie", cookie)])
    }

    /// Returns what the page says about a person besides the name.
    private func remark(_ person: Person) -> String {
        if tenants != nil { return person.tenant == Tenants.personal ? " (has a personal account)" : "" }
        return person.isHigh ? "" : " (has the lowest level alone)"
    }

    func decide(_ request: WebRequest) -> TransportResponse {
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        // The page belongs to one browser, and only that browser may answer it.
        guard request.isFromOwnPages, let form = request.form, let id = form["request"],
            let browser = request.cookie(Self.cookie).map(Randomness.digest),
            let pending = state.withLock({ state -> PendingRequest? in
                guard let found = state.pending.value(id, now: now), Randomness.isSame(found.browser, browser) else {
                    return nil
                }
                return state.pending.take(id, now: now)
            })
        else { return refusal("This page was answered before, or is not yours, or has expired.") }
        let client = pending.client
        if let id = pending.backChannel { return settle(id, pending, form) }
        guard form["decision"] == "approve" else {
            return answer(client, pending.parameters, errorFields(client, "access_denied", cancellation(client)))
        }
        guard let person = pending.people.first(where: { $0.id == form["person"] }) else {
            return refusal("There is no such person.")
        }
        guard let fault = form.answer(of: Misbehaviour.self), fault?.applies(to: client) != false else {
            return refusal("There is no such answer.")
        }
        let isGuest = pending.people.count > 1 && form["guest"] == "yes"
        return approve(
            pending, person, fault, isPorted: former != nil && form["ported"] == "yes",
            tenant: tenants.map { _ in isGuest ? Tenants.other(than: person.tenant) : person.tenant })
    }

    private func approve(
        _ pending: PendingRequest, _ person: Person, _ fault: Misbehaviour?, isPorted: Bool, tenant: String?
    ) -> TransportResponse {
        let client = pending.client
        if fault == .busy {
            return answer(client, pending.parameters, errorFields(client, "temporarily_unavailable", ""))
        }
        if fault == .unknownError {
            return answer(client, pending.parameters, errorFields(client, "sandbox_is_odd", ""))
        }
        let grant = Grant(
            client: client, parameters: pending.parameters, person: person, misbehaviour: fault, authenticated: now,
            isPorted: isPorted, tenant: tenant)
        let code = Randomness.text()
        state.withLock { $0.codes.insert(grant, under: code, now: now) }
        var fields = FormFields()
        if fault != .missingCode { fields.add("code", code) }
        if fault == .twoCodes { fields.add("code", Randomness.text()) }
        if let state = pending.parameters["state"], fault != .missingState {
            fields.add("state", fault == .wrongState ? Randomness.text() : state)
        }
        if client.flavour == .mitID { fields.add("session_state", Randomness.text()) }
        if client.flavour == .mitID || client.flavour == .openID {
            fields.add("iss", fault == .otherIssuer ? "https://other.test/op" : issuer)
        }
        return answer(client, pending.parameters, fields, byGet: fault == .answeredByGet)
    }

    /// Returns the description of a refusal by the user, as the provider's document has it.
    private func cancellation(_ client: Registration) -> String {
        switch client.flavour {
        case .mitID: "mitid_user_aborted"
        case .entra: "the user canceled the authentication"
        default: "the user refused"
        }
    }

    private func errorFields(_ client: Registration, _ code: String, _ detail: String) -> FormFields {
        var fields = FormFields()
        fields.add("error", code)
        if !detail.isEmpty { fields.add(client.flavour == .itsmeNow ? "detail" : "error_description", detail) }
        return fields
    }

    /// Sends the answer in the query, or in a form that the user submits with a button, because there is no script.
    private func answer(
        _ client: Registration, _ parameters: FormFields, _ given: FormFields, byGet: Bool = false
    ) -> TransportResponse {
        var fields = given
        // An error response has `state` too (RFC 6749, 4.1.2.1), and `iss` (RFC 9207, 2) except at MitID.
        if fields["error"] != nil {
            if let state = parameters["state"] { fields.add("state", state) }
            if client.flavour == .openID { fields.add("iss", issuer) }
        }
        let target = parameters["redirect_uri"] ?? ""
        guard parameters["response_mode"] == "form_post", !byGet else {
            return .seeOther(target + (target.contains("?") ? "&" : "?") + fields.encoded)
        }
        let inputs: [Markup] = fields.items.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">"
        }
        // MitID's app, which this page stands for, opens the app of the service after the user has approved.
        let back = fields["error"] == nil ? Self.appSwitch(parameters) : nil
        let link: Markup =
            back.map {
                "<p><a id=\"app-switch\" href=\"\($0)\" target=\"_blank\" rel=\"noopener\">The app of the service</a></p>"
            }
            ?? .nothing
        let content: Markup = """
            \(link)
            <form method="post" action="\(target)">
            \(inputs)
            <p><button>Continue to the service</button></p>
            </form>
            """
        return .page("\(title): back to the service", formTargets: [target.origin], content)
    }

    private static func appSwitch(_ parameters: FormFields) -> String? {
        parameters["idp_params"].flatMap { try? MitIDParameters(parsing: Array($0.utf8)) }?.appSwitch?.url
    }
}
