internal import JOSE
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// A search for the user of a login that a back end begins: the user scans a code with the app.
struct UserSearch: Sendable {
    /// The person who scanned the code, and what goes wrong then; nil while nobody has.
    struct Scan: Sendable {
        let person: Person
        /// The name of the device, which only its page has.
        let device: String
        let fault: SearchFault?
    }
    let client: Registration
    let end: Double
    var lastAsked: Double
    var scan: Scan?
    /// Whether a poll was answered that it came too soon, as the user chose.
    var wasSlowed = false
}

/// A user whom a search has found.
struct FoundUser: Sendable {
    let clientID: String
    let scan: UserSearch.Scan
    let end: Double
}

/// The searches for users (itsme: user discovery), and the page that stands for the app.
extension Provider {
    static let scanPath = "/sandbox/scan"
    /// The shortest time between two polls of a search, in seconds.
    private static let searchInterval = 5.0
    /// The time for which a search, and the identifier of a user, can be used, in seconds.
    private static let searchLimit = 600.0

    /// Answers a request to the endpoint of searches or to the page of the app, or returns nil if the path is another
    /// one.
    func answerSearch(_ request: WebRequest, _ path: String, at search: String) -> TransportResponse? {
        switch path {
        case search: called(request) { form throws in try beginSearch(request, form) }
        case _ where path.hasPrefix(search + "/"):
            called(request) { form throws in
                try continueSearch(String(path.dropFirst(search.utf8.count + 1)), request, form)
            }
        case Self.scanPath: request.method == "POST" ? scan(request) : scanPage(request)
        default: nil
        }
    }

    private func beginSearch(_ request: WebRequest, _ form: FormFields) throws -> TransportResponse {
        let client = try searching(request, form)
        let search = UserSearch(client: client, end: now + Self.searchLimit, lastAsked: now)
        let id = Randomness.text()
        state.withLock { $0.searches.insert(search, under: id, now: now) }
        return .json(try pending(id, search, isFlat: false))
    }

    private func continueSearch(_ id: String, _ request: WebRequest, _ form: FormFields) throws -> TransportResponse {
        let client = try searching(request, form)
        let now = now
        guard let search = state.withLock({ $0.searches.value(id, now: now) }), now < search.end,
            search.client.clientID == client.clientID, search.scan?.fault != .ended
        else { throw ProviderFault.request("no such search, or it is over") }
        let isSlowed = search.scan?.fault == .tooMany && !search.wasSlowed
        guard now - search.lastAsked >= Self.searchInterval, !isSlowed else {
            state.withLock { $0.searches.change(id) { $0.wasSlowed = true } }
            throw ProviderFault(status: 429, code: "slow_down", detail: "sooner than the interval")
        }
        state.withLock { $0.searches.change(id) { $0.lastAsked = now } }
        // The documents show the members of the code in an object of their own, and beside the status.
        guard let scan = search.scan else { return .json(try pending(id, search, isFlat: true)) }
        var body: ClaimsBuilder = ["user_discovery_session_id": .string(id), "status": "USER_DISCOVERED"]
        switch scan.fault {
        case .withoutImage: body["status"] = "PENDING_USER_DISCOVERY"
        case .unknownStatus: body["status"] = "USER_LOST"
        case .withoutIdentifier: break
        default:
            let identifier = Randomness.text()
            let found = FoundUser(clientID: client.clientID, scan: scan, end: now + Self.searchLimit)
            state.withLock { $0.foundUsers.insert(found, under: identifier, now: now) }
            body["user_identifier_token"] = .string(identifier)
        }
        return .json(body)
    }

    /// Returns the client of a request of a search. Its assertion is for the endpoint of the next step.
    private func searching(_ request: WebRequest, _ form: FormFields) throws -> Registration {
        let client = try authenticated(request, form, audience: paths.backChannel)
        guard client.isBackChannel, form["client_id"] == client.clientID else {
            throw ProviderFault(code: "unauthorized_client", detail: "the client begins no logins by the back channel")
        }
        return client
    }

    /// Returns the answer while nobody has scanned the code, which has new digits each time.
    private func pending(_ id: String, _ search: UserSearch, isFlat: Bool) throws -> ClaimsBuilder {
        let digits = Randomness.digits()
        state.withLock { $0.searchCodes.insert(id, under: digits, now: now) }
        let image = CodeImage.png(digits: digits, link: issuer + Self.scanPath + "?code=" + digits)
        let code: ClaimValue = .string(Base64.encode(image.span))
        let end: ClaimValue = .string(CivilDate.text(search.end))
        var body: ClaimsBuilder = ["user_discovery_session_id": .string(id), "status": "PENDING_USER_DISCOVERY"]
        if isFlat {
            (body["qr_code"], body["expires_at"]) = (code, end)
        } else {
            body["user_discovery_token"] = ["qr_code": code, "expires_at": end]
        }
        return body
    }

    /// Returns the page that stands for the app. Its user types the digits, or comes by the link in the image.
    private func scanPage(_ request: WebRequest) -> TransportResponse {
        guard request.isRead else { return .methodNotAllowed("GET, POST") }
        return .page(
            "\(title): the app",
            """
            <form method="post" action="\(base + Self.scanPath)">
            <p><label for="code">The digits of the code</label>
            <input id="code" name="code" inputmode="numeric" autocomplete="off" value="\(request.query?["code"] ?? "")"></p>
            \(FormParts.people())
            \(FormParts.answers(SearchFault.allCases))
            <p><button id="scan">Scan</button></p>
            </form>
            """)
    }

    private func scan(_ request: WebRequest) -> TransportResponse {
        let now = now
        guard request.isFromOwnPages, let form = request.form, let person = form.person,
            let id = state.withLock({ $0.searchCodes.value(form["code"] ?? "", now: now) }),
            let search = state.withLock({ $0.searches.value(id, now: now) }), now < search.end, search.scan == nil
        else { return refusal("No service shows this code, or it was scanned.") }
        guard let fault = form.answer(of: SearchFault.self) else { return refusal("There is no such answer.") }
        let scan = UserSearch.Scan(person: person, device: Randomness.text(), fault: fault)
        state.withLock { $0.searches.change(id) { $0.scan = scan } }
        return .page(
            "\(title): scanned",
            """
            <p>Continue at the service, and then here.</p>
            <p><a id="approval" href="\(base + Self.approvalPath)?device=\(scan.device)">Show the service's request</a></p>
            """)
    }

    /// Returns the parameters of an authentication request, which are all in a signed object.
    func signedRequest(_ form: FormFields, _ client: Registration) throws -> FormFields {
        guard client.isBackChannel else {
            throw ProviderFault(code: "unauthorized_client", detail: "the client begins no logins by the back channel")
        }
        let names = ["request", "client_assertion_type", "client_assertion"]
        var claims = ClaimPolicy(issuer: .exactly(client.clientID), audience: .exactly(issuer))
        claims.required = ["iss", "aud", "iat", "exp", "nbf", "jti"]
        claims.requiresExpiration = true
        claims.clock = clock
        // It is no request object of an authorization request, which would have a response_type.
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.rs256]), claims: claims)
        let verifier = try TokenVerifier(policy, verificationKeys: Self.signing(client))
        guard form.items.allSatisfy({ names.contains($0.name) }), let object = form["request"],
            let token = try? verifier.verify(object), token.claims.string("client_id") == client.clientID
        else { throw ProviderFault.request("all parameters are in a signed request") }
        return Self.fields(of: token.claims)
    }

    /// Returns the user whom a hint identifies: a JWT that the client signed around the identifier, or a JSON object
    /// with it. An identifier is used once.
    func foundUser(_ hint: String, _ client: Registration) throws -> UserSearch.Scan {
        let policy = SignaturePolicy(algorithms: [.rs256])
        let isObject = hint.hasPrefix("{")
        let payload =
            isObject
            ? Array(hint.utf8) : try? JWSVerifier(keys: Self.signing(client), policy: policy).verify(hint).payload
        guard let payload, let object = try? JSONObject(parsing: payload.span),
            object.first("type", in: payload.span)?.string(in: payload.span)
                == (isObject ? "subject_code" : "user_identifier_token"),
            let identifier = object.first("value", in: payload.span)?.string(in: payload.span)
        else { throw ProviderFault.request("login_hint_token is no identifier of a user") }
        let now = now
        guard let found = state.withLock({ $0.foundUsers.take(identifier, now: now) }),
            found.clientID == client.clientID, found.scan.fault != .unknownUser
        else { throw ProviderFault(code: "unknown_user_id", detail: "no such user, or the identifier was used") }
        guard now < found.end, found.scan.fault != .expiredHint else {
            throw ProviderFault(code: "expired_login_hint_token", detail: "the identifier is too old")
        }
        return found.scan
    }
}
