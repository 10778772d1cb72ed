internal import JOSE
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey
internal import Synchronization

/// An app with ZenKey's SDK, for which pages stand. The app knows the carrier of its device, sends the user there with
/// a verifier of its own, and hands the code to its service.
final class ZenKeyApp: Sendable {
    /// A login that the user decides about at the carrier.
    private struct Login: Sendable {
        let carrier: ZenKeyDiscovery.ZenKeyCarrier
        /// The answer of the service: the handle, the `nonce`, and the cookie of the app's session.
        let handle, nonce, session: String
        /// The `nonce` of the request to the carrier.
        let sentNonce: String
        let verifier: String
        let fault: ZenKeyAppFault?
        /// The digest of the cookie of the browser, which stands for the device.
        let device: String

        /// The session in which the app sends its message: its own, or as another app would.
        var sendingSession: String {
            guard fault == .otherSession, let name = session.split(separator: "=").first else { return session }
            return "\(name)=\(Randomness.text())"
        }
    }

    let authority: String
    let clientID: String
    private let carriers: [ZenKeyDiscovery.ZenKeyCarrier]
    /// The URLs of the service for apps, without the last part.
    private let service: String
    private let transport: (any HTTPTransport)?
    private let clock: WallClock
    private let logins = Mutex(ExpiringTable<Login>(lifetime: 600))

    private static let cookie = "__Host-sandbox-zenkey-app"

    /// Creates the app.
    ///
    /// - Parameter transport: The transport of the requests to the service, or nil for none.
    init(
        authority: String, clientID: String, carriers: [ZenKeyDiscovery.ZenKeyCarrier], service: String,
        transport: (any HTTPTransport)?, clock: WallClock
    ) {
        self.authority = authority
        self.clientID = clientID
        self.carriers = carriers
        self.service = service
        self.transport = transport
        self.clock = clock
    }

    private var redirectURI: String { "https://\(authority)/callback" }
    private var now: Double { clock.now.secondsSince1970 }

    /// Returns whether the request makes the app ask its service.
    func asksService(_ request: WebRequest) -> Bool {
        request.authority.lowercased() == authority && ["/login", "/callback"].contains(request.path)
    }

    /// Answers a request to the page on which a login begins.
    func answer(_ request: WebRequest) -> TransportResponse {
        guard request.path == "/" else { return .notFound() }
        guard request.isRead else { return .methodNotAllowed("GET") }
        let buttons: [Markup] = carriers.map {
            "<button name=\"carrier\" value=\"\($0.code)\">\($0.title)</button>"
        }
        return .page(
            "An app (sandbox)", formTargets: carriers.map { "https://" + $0.authority },
            """
            <p>This page stands for an app with ZenKey's SDK, on a device with the SIM card of a carrier.</p>
            <form method="post" action="/login">
            \(FormParts.answers(ZenKeyAppFault.allCases))
            <p>Log in with \(buttons)</p>
            </form>
            """)
    }

    /// Answers a request for which the app asks its service.
    func respond(_ request: WebRequest) async -> TransportResponse {
        switch (request.method, request.path) {
        case ("POST", "/login"): await begin(request)
        case ("GET", "/callback"): await complete(request)
        default: .methodNotAllowed(request.path == "/login" ? "POST" : "GET")
        }
    }

    private func begin(_ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages, let form = request.form, let fault = form.answer(of: ZenKeyAppFault.self),
            let carrier = carriers.first(where: { $0.code == form["carrier"] })
        else { return .notFound() }
        guard let response = await send("begin", [:], session: nil), response.status == 200,
            let handle = Self.text("handle", in: response.body), let nonce = Self.text("nonce", in: response.body),
            let session = response.header("Set-Cookie")?.split(separator: ";").first
        else { return outcome("You are not signed in", "<p role=\"alert\">The service does not answer.</p>") }
        let device = Randomness.text()
        let verifier =
            switch fault {
            case .shortVerifier: String(Randomness.text().prefix(42))
            case .longVerifier: String((Randomness.text() + Randomness.text() + Randomness.text()).prefix(129))
            case .plusVerifier: "+" + Randomness.text()
            // The SDK makes verifiers of the largest size.
            default: String((Randomness.text() + Randomness.text() + Randomness.text()).prefix(128))
            }
        let isOther = fault == .ownNonce || fault == .otherRequest
        let login = Login(
            carrier: carrier, handle: handle, nonce: nonce, session: String(session),
            sentNonce: isOther ? Randomness.text() : nonce, verifier: verifier, fault: fault,
            device: Randomness.digest(device))
        let state = Randomness.text()
        logins.withLock { $0.insert(login, under: state, now: now) }
        var fields = FormFields()
        for (name, value) in [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("response_type", "code"),
            ("scope", "openid name email phone"), ("state", state), ("nonce", login.sentNonce), ("acr_values", "a3"),
            ("code_challenge", Randomness.digest(verifier)), ("code_challenge_method", "S256"),
            ("mccmnc", carrier.code),
        ] { fields.add(name, value) }
        return .seeOther(
            "https://\(carrier.authority)/authorization?" + fields.encoded,
            [TransportHeaderField("Set-Cookie", WebCookie.text(Self.cookie, device))])
    }

    private func complete(_ request: WebRequest) async -> TransportResponse {
        let now = now
        guard let query = request.query, query.repeated == nil, let state = query["state"],
            let device = request.cookie(Self.cookie).map(Randomness.digest),
            let login = logins.withLock({ logins -> Login? in
                guard let found = logins.value(state, now: now), Randomness.isSame(found.device, device) else {
                    return nil
                }
                return logins.take(state, now: now)
            })
        else { return outcome("You are not signed in", "<p role=\"alert\">The app has not begun this login.</p>") }
        // The SDK reports errors and cancellations to the app alone.
        guard let code = query["code"] else {
            return outcome("You are not signed in", "<dl><dt>Cancelled</dt><dd id=\"cancelled\">in the app</dd></dl>")
        }
        var response = await send("complete", message(login, code), session: login.sendingSession)
        if login.fault == .handleAgain {
            response = await send("complete", message(login, code), session: login.session)
        }
        guard let response else {
            return outcome("You are not signed in", "<p role=\"alert\">The service does not answer.</p>")
        }
        if response.status == 200, let name = Self.text("name", in: response.body) {
            return outcome("You are signed in", "<dl><dt>Name</dt><dd>\(name)</dd></dl>")
        }
        return outcome(
            "You are not signed in",
            """
            <dl><dt>Failed</dt><dd id="failure">\(Self.text("error", in: response.body) ?? "")</dd>
            <dt>Remedy</dt><dd id="remedy">\(Self.text("remedy", in: response.body) ?? "")</dd></dl>
            """)
    }

    /// Returns the values of the SDK as the app sends them.
    private func message(_ login: Login, _ code: String) -> ClaimsBuilder {
        let other = carriers.first { $0.code != login.carrier.code } ?? login.carrier
        var message: ClaimsBuilder = [
            "handle": .string(login.handle), "code": .string(code),
            "mccmnc": .string(login.fault == .otherCarrier ? other.code : login.carrier.code),
            "redirectURI": .string(login.fault == .slash ? redirectURI + "/" : redirectURI),
            "codeVerifier": .string(
                login.fault == .otherVerifier ? String(login.verifier.reversed()) : login.verifier),
            "nonce": .string(login.fault == .ownNonce ? login.sentNonce : login.nonce),
            "correlationId": .string(Randomness.uuid()),
        ]
        if login.fault == .moreMembers {
            message["issuer"] = "https://other.test"
            message["token_endpoint"] = "https://other.test/token"
        }
        return message
    }

    private func send(_ part: String, _ message: ClaimsBuilder, session: String?) async -> TransportResponse? {
        var request = TransportRequest(url: service + "/" + part)
        request.method = .post
        request.headers = [TransportHeaderField("Content-Type", "application/json")]
        if let session { request.headers.append(TransportHeaderField("Cookie", session)) }
        request.body = message.json()
        request.bodyLimit = 64 * 1024
        request.deadline = .seconds(60)
        request.connectDeadline = .seconds(60)
        return try? await transport?.send(request)
    }

    private static func text(_ name: StaticString, in body: [UInt8]) -> String? {
        (try? JSONObject(parsing: body.span))?.first(name, in: body.span)?.string(in: body.span)
    }

    private func outcome(_ title: String, _ content: Markup) -> TransportResponse {
        .page(title, "<p>In the app.</p>\(content)<p><a href=\"/\">Back to the app's start</a></p>")
    }
}
