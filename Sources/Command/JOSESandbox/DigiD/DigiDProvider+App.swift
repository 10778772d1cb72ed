internal import JOSE
internal import JOSEDigiD
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import Synchronization

/// The way from the request to the app, and back to the service.
extension DigiDProvider {
    private static let cookie = "__Host-sandbox-app"
    /// The PIN of every person, which the page shows.
    private static let pin = "12345"

    func authorize(_ request: WebRequest) -> TransportResponse {
        guard let query = request.query, query.repeated == nil, let object = query["request"],
            let asked = verifiedFields(object), asked["client_id"] == client.id,
            // DigiD accepts every address that begins with the registered one.
            let target = asked["redirect_uri"], target.hasPrefix(client.redirectURI), let state = asked["state"]
        else { return refusal("The request is not one of a service that is known here.") }
        guard asked["response_type"] == "code", asked["scope"] == "openid", asked["nonce"] != nil,
            asked["code_challenge_method"] == "S256", asked["code_challenge"]?.utf8.count == 43
        else { return Self.refused(target, state) }
        let id = Randomness.text()
        self.state.withLock { $0.visits.insert(Visit(parameters: asked), under: id, now: now) }
        return .seeOther("https://\(app)/digid-app?data=\(id)")
    }

    /// Redirects with an error. DigiD's address has a second question mark.
    private static func refused(_ target: String, _ state: String) -> TransportResponse {
        .seeOther(target + "?state=" + FormFields.encoded(state) + "?error=invalid_request_object")
    }

    /// Reads a request object that the service signed. Like DigiD, it does not check `iss`, `aud` and `exp`.
    private func verifiedFields(_ object: String) -> FormFields? {
        let policy = SignaturePolicy(algorithms: [.rs256])
        guard let payload = try? JWSVerifier(keys: client.signing, policy: policy).verify(object).payload,
            let json = try? JSONObject(parsing: payload.span)
        else { return nil }
        var fields = FormFields()
        for name: StaticString in [
            "client_id", "response_type", "scope", "redirect_uri", "state", "nonce", "code_challenge",
            "code_challenge_method",
        ] {
            if let value = json.first(name, in: payload.span)?.string(in: payload.span) { fields.add("\(name)", value) }
        }
        return fields
    }

    func refusal(_ text: String) -> TransportResponse {
        .page("DigiD (sandbox): refused", status: 400, "<p role=\"alert\">\(text) Nothing was sent back.</p>")
    }

    /// Returns the page that stands for the app. It belongs to one browser, as an app belongs to one device.
    func visit(_ request: WebRequest) -> TransportResponse { present(request.query?["data"] ?? "", request) }

    func present(_ id: String, _ request: WebRequest) -> TransportResponse {
        let known = request.cookie(Self.cookie).flatMap { $0.utf8.count == 43 ? $0 : nil }
        let browser = known ?? Randomness.text()
        let now = now
        guard
            let visit = state.withLock({ state -> Visit? in
                guard let found = state.visits.value(id, now: now) else { return nil }
                let owner = Randomness.digest(browser)
                guard found.browser.map({ Randomness.isSame($0, owner) }) ?? true else { return nil }
                state.visits.change(id) { $0.browser = owner }
                return found
            })
        else { return refusal("This login is not here, or is over.") }
        return page(id, visit, [TransportHeaderField("Set-Cookie", WebCookie.text(Self.cookie, browser))])
    }

    private func page(
        _ id: String, _ visit: Visit, _ cookies: [TransportHeaderField] = []
    ) -> TransportResponse {
        let answers: [any WrongAnswer] = visit.login == nil ? DigiDFault.allCases : DigiDSituations.allCases
        let wrong: Markup =
            visit.wrongPINs == 0
            ? .nothing
            : "<p role=\"alert\">That PIN is wrong. Tries left: <span id=\"tries-\(3 - visit.wrongPINs)\">\(3 - visit.wrongPINs)</span>.</p>"
        let opening: Markup =
            visit.login == nil
            ? .nothing
            : """
            <p><label><input type="checkbox" name="opens" value="browser"> The service's app does not open, and the browser \
            loads the return URL</label></p>
            """
        return .page(
            "DigiD app (sandbox)", formTargets: [client.redirectURI.origin],
            """
            <p>The service <strong>\(client.id)</strong> asks who you are.</p>
            \(wrong)
            <form method="post" action="/digid-app/decision">
            <input type="hidden" name="data" value="\(id)">
            \(FormParts.people())
            \(FormParts.levels(Self.appLevels))
            <p><label for="pin">PIN (it is \(Self.pin))</label>
            <input id="pin" name="pin" inputmode="numeric" autocomplete="off"></p>
            \(FormParts.answers(answers))
            \(opening)
            <p><button name="decision" value="approve">Log in</button>
            <button name="decision" value="refuse">Cancel</button></p>
            </form>
            """, cookies)
    }

    private static let appLevels = [(DigiDLevel.midden, "the app alone")] + highLevels
    static let highLevels: [(level: DigiDLevel, title: String)] = [
        (.substantieel, "the app, which has checked an identity document"),
        (.hoog, "the app, with the chip of the identity document read now"),
    ]

    /// Returns the level of a form by its name, or nil for an unknown one.
    static func level(_ name: String) -> DigiDLevel? { DigiDLevel.allCases.first { "\($0)" == name } }

    func decide(_ request: WebRequest) -> TransportResponse {
        let now = now
        guard request.isFromOwnPages, let form = request.form, let id = form["data"],
            let browser = request.cookie(Self.cookie).map(Randomness.digest),
            var visit = state.withLock({ $0.visits.value(id, now: now) }),
            let owner = visit.browser, Randomness.isSame(owner, browser)
        else { return refusal("This page was answered before, or is not yours, or has expired.") }
        let isApproved = form["decision"] == "approve"
        if isApproved, form["pin"] != Self.pin {
            visit.wrongPINs += 1
            let changed = visit
            if visit.wrongPINs < 3 {
                state.withLock { $0.visits.change(id) { $0 = changed } }
                return page(id, visit)
            }
            _ = state.withLock { $0.visits.take(id, now: now) }
            if let login = visit.login { return blocked(login) }
            // DigiD deactivates the app, and has no error code for that in this interface.
            return back(visit, ("error", "CANCELLED"))
        }
        guard state.withLock({ $0.visits.take(id, now: now) }) != nil else { return refusal("It was answered before.") }
        guard isApproved else { return visit.login.map(cancelled) ?? back(visit, ("error", "CANCELLED")) }
        #if SAML
            if let login = visit.login { return approve(login, form) }
        #endif
        return approve(visit, form)
    }

    private func approve(_ visit: Visit, _ form: FormFields) -> TransportResponse {
        guard let fault = form.answer(of: DigiDFault.self), let person = form.person,
            let level = Self.level(form["level"] ?? "substantieel"), level > .basis
        else { return refusal("There is no such answer.") }
        switch fault {
        case .notFound: return Self.notFound
        case .returnURLUnknown: return refusal(Self.returnURLUnknown)
        case .silence: return Self.silence
        case .requestRefused:
            return Self.refused(visit.parameters["redirect_uri"] ?? "", visit.parameters["state"] ?? "")
        case .unknownError: return back(visit, ("error", "server_error"))
        default: break
        }
        let grant = Grant(parameters: visit.parameters, person: person, level: level, fault: fault)
        let code = Randomness.uuid()
        state.withLock { $0.codes.insert(grant, under: code, now: now) }
        return back(visit, ("code", code))
    }

    static let notFound = TransportResponse.page(
        "DigiD's app is not here", "<p>The link opened this page in place of the app. The service gets no answer.</p>")
    /// The message of situation 5.6: the app stops, and opens no other address.
    static let returnURLUnknown = "The return address is not registered."
    static let silence = TransportResponse.page(
        "DigiD says nothing", "<p>The service gets no answer, and has a timeout of its own.</p>")

    private func back(_ visit: Visit, _ item: (name: String, value: String)) -> TransportResponse {
        var fields = FormFields()
        fields.add(item.name, item.value)
        fields.add("state", visit.parameters["state"] ?? "")
        return .seeOther((visit.parameters["redirect_uri"] ?? "") + "?" + fields.encoded)
    }
}
