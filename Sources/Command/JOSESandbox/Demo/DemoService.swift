package import JOSE
package import JOSEDigiD
package import JOSEKeySets
package import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// A small service whose users log in: the least that an application needs of the library.
package final class DemoService: Sendable {
    private let logins: [DemoLogin]
    let sessions = CookieTable<DemoSession>("__Host-demo-session", lifetime: 3600)
    let pendingAppLogins: CookieTable<PendingAppLogin>
    /// Each poll is continued by one request at a time.
    let polls = CookieTable<(name: String, poll: PendingPoll)>("__Host-demo-poll", lifetime: 900)
    let pushMessages = PushMessages()
    private let completions = Mutex(Completions())
    private let authority: String
    /// The authority at the port that requires a client certificate.
    private let apiAuthority: String
    /// The request documents, by the last part of their URL.
    private let documents = Mutex(ExpiringTable<RequestDocument>(lifetime: 600))

    /// A monotonic clock in seconds, for the service's own timeout of logins.
    let elapsed: @Sendable () -> Double

    /// Waits between two requests to a broker.
    package typealias Pause = @Sendable (Duration) async throws -> Void

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - keys: The keys with which the clients sign and decrypt.
    ///   - elapsed: A monotonic clock in seconds, for the service's own timeout of logins.
    ///   - timeLimit: The time limit for requests to providers of OpenID Connect; nil for those of each profile.
    package init(
        _ configuration: SandboxConfiguration, keys: KeySet, transport: any HTTPTransport, store: any LoginStore,
        clock: WallClock = .system, elapsed: @escaping @Sendable () -> Double = { SystemClock.elapsed() },
        pause: @escaping Pause = { try await Task.sleep(for: $0) }, timeLimit: Duration? = nil
    ) throws(RelyingPartyError) {
        var logins: [DemoLogin] = []
        for client in configuration.clients {
            if let login = try DemoLogin(
                client, configuration, keys: keys, transport: transport, store: store, clock: clock, pause: pause,
                timeLimit: timeLimit)
            {
                logins.append(login)
            }
        }
        self.logins = logins
        self.elapsed = elapsed
        pendingAppLogins = CookieTable("__Host-demo-waiting", lifetime: 7200, elapsed)
        authority = String(configuration.service.dropFirst("https://".utf8.count))
        apiAuthority = "\(Sandbox.serviceHost):\(configuration.serviceAPIPort)"
    }

    /// Returns whether the service has a button for the login.
    package func offers(_ name: String) -> Bool { login(name) != nil }

    package func answer(_ request: WebRequest) async -> TransportResponse {
        if request.authority.lowercased() == apiAuthority { return await answerAPI(request) }
        // A request under another name of this machine is for another site.
        guard request.authority.lowercased() == authority else { return .notFound() }
        let parts = request.path.split(separator: "/").map(String.init)
        let login = parts.count > 1 ? login(parts[1]) : nil
        switch (parts.first, parts.count, login) {
        case (nil, 0, _): return request.isRead ? await front(request) : .methodNotAllowed("GET")
        case ("account", 1, _): return request.isRead ? account(request) : .methodNotAllowed("GET")
        case ("logout", 1, _): return request.method == "POST" ? await logout(request) : .methodNotAllowed("POST")
        case ("cpr", 1, _): return request.method == "POST" ? await matchCPR(request) : .methodNotAllowed("POST")
        case ("requests", 2, _): return request.isRead ? document(parts[1]) : .methodNotAllowed("GET")
        case ("pending-login", 1, _):
            return request.method == "POST" ? await endPendingAppLogin(request) : .methodNotAllowed("POST")
        case ("login", 2, let login?):
            return request.method == "POST" ? await begin(login, request) : .methodNotAllowed("POST")
        case ("app", 2...3, let login?):
            if let app = login.app {
                let part = parts.count == 3 ? parts[2] : ""
                return await answer(request, part, of: login, by: app.logins, asking: app.request)
            }
            guard parts.count == 3 else { return .notFound() }
            return request.method == "POST" ? await answerApp(login, parts[2], request) : .methodNotAllowed("POST")
        case ("return", 2, let login?) where login.isByDigiDApp:
            return request.isRead ? returnPage(login, request) : .methodNotAllowed("GET")
        case ("continue", 2, let login?):
            return request.method == "POST" ? await continuePoll(login, request) : .methodNotAllowed("POST")
        #if SAML
            case ("logged-out", 2, let login?): return await completeDigiDLogout(login, request)
        #endif
        case ("logout-notice", 2, let login?):
            return request.method == "POST" ? await takeNotice(login, request) : .methodNotAllowed("POST")
        case ("callback", 2, let login?): return await complete(login, request)
        default: return .notFound()
        }
    }

    /// Answers a request at the port that requires a client certificate, which browsers do not use.
    private func answerAPI(_ request: WebRequest) async -> TransportResponse {
        #if SAML
            let parts = request.path.split(separator: "/").map(String.init)
            guard parts.count == 2, parts[0] == "end-sessions", let login = login(parts[1]) else {
                return .notFound()
            }
            return request.method == "POST" ? await endSessions(login, request) : .methodNotAllowed("POST")
        #else
            return .notFound()
        #endif
    }

    func login(_ name: String) -> DemoLogin? { logins.first { $0.client.name == name } }

    private func front(_ request: WebRequest) async -> TransportResponse {
        let waiting: Markup
        switch await pendingAppLogin(request) {
        case .none: waiting = .nothing
        case .pending(let markup): waiting = markup
        case .ended(let answer): return answer
        }
        let buttons: [Markup] = logins.map { login in
            """
            <form method="post" action="/login/\(login.client.name)">
            <button id="login-\(login.client.name)">Log in with \(login.client.title)</button></form>
            """
        }
        var providers: [String] = []
        for login in logins {
            let origin = login.client.issuer.origin
            if !providers.contains(origin) { providers.append(origin) }
        }
        // The discovery service redirects to carriers, whose hosts are of the same kind.
        let others = Sandbox.hosts.map { "https://\($0):*" }
        return .page(
            "A service", formTargets: providers + others,
            "<p>You are not signed in. Every person here is made up.</p>\n\(waiting)\(buttons)")
    }

    /// Begins a login by a POST from one of the service's own pages, so that a link on another site begins none.
    private func begin(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        guard request.isFromOwnPages else { return .notFound() }
        return await answer(login) { () async throws(RelyingPartyError) in try await login.begin() }
    }

    private func complete(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        let callback: AuthorizationCallback
        switch request.method {
        case "GET": callback = login.callback(query: request.rawQuery)
        case "POST": callback = .form(request.body, contentType: request.header("Content-Type") ?? "")
        default: return .methodNotAllowed("GET, POST")
        }
        // The answer came that the browser waits for.
        _ = pendingAppLogins.take(request) { $0.name == login.client.name }
        let cookies = request.header("Cookie") ?? ""
        if let app = login.app { return await complete(app.logins, login, callback, cookies) }
        let isOfPage = request.query?["mccmnc"] != nil && request.query?["code"] == nil
        return await answer(login, ended: callback.clearingCookie) { () async throws(RelyingPartyError) in
            try await counted { () async throws(RelyingPartyError) in
                try await login.complete(callback, isOfPage: isOfPage, cookies: cookies)
            }
        }
    }

    /// Returns the step that `body` takes, and counts it if it completes the login.
    func counted(
        _ body: () async throws(RelyingPartyError) -> DemoLogin.Step
    ) async throws(RelyingPartyError) -> DemoLogin.Step {
        let began = SystemClock.elapsed()
        let step = try await body()
        switch step {
        case .user, .age: count(since: began)
        case .redirect, .form, .waiting: break
        }
        return step
    }

    /// Counts a login that was completed by what began at a reading of the monotonic clock.
    func count(since began: Double) { completions.withLock { $0.add(SystemClock.elapsed() - began) } }

    /// The number of logins that were completed, and the seconds that they took together, the provider's time included.
    package struct Completions: Sendable {
        package private(set) var count = 0
        package private(set) var seconds = 0.0

        fileprivate mutating func add(_ seconds: Double) {
            count += 1
            self.seconds += seconds
        }
    }
    package var completed: Completions { completions.withLock { $0 } }

    /// Returns the response to a step of a login.
    ///
    /// - Parameter ended: The value of the `Set-Cookie` header that deletes the cookie of the step that has ended.
    ///   After a failure the cookie remains for its lifetime, so that a reload of the page shows that the login was
    ///   used.
    func answer(
        _ login: DemoLogin, ended: String? = nil, _ body: () async throws(RelyingPartyError) -> DemoLogin.Step
    ) async -> TransportResponse {
        func cookies(_ values: String?...) -> [TransportHeaderField] {
            (values + [ended]).compactMap { $0.map { TransportHeaderField("Set-Cookie", $0) } }
        }
        do throws(RelyingPartyError) {
            switch try await body() {
            case .redirect(let redirect):
                if let document = redirect.document, let name = document.url.split(separator: "/").last {
                    documents.withLock { $0.insert(document, under: String(name), now: SystemClock.elapsed()) }
                }
                let waiting = redirect.binding.map {
                    pendingAppLogins.put(PendingAppLogin(name: login.client.name, binding: $0, began: elapsed()))
                }
                return .seeOther(redirect.url, cookies(redirect.cookie, waiting))
            case .form(let form, let cookie): return .form(form, cookies(cookie))
            case .waiting(let poll):
                let cookie = polls.put((login.client.name, poll), under: poll.session)
                return page(of: poll, login, cookies(cookie))
            case .age(let age): return Self.proven(age, login, cookies())
            case .user(let user):
                return .seeOther("/account", cookies(sessions.begin(login.client, user)))
            }
        } catch {
            return refusal(login, error)
        }
    }

    /// Returns the request object at its URL, which the provider fetches; the object is encrypted to the provider.
    private func document(_ name: String) -> TransportResponse {
        guard let found = documents.withLock({ $0.value(name, now: SystemClock.elapsed()) }) else {
            return .notFound()
        }
        return .content(Array(found.body.utf8), type: found.contentType)
    }

    /// Accepts a logout token (OpenID Connect Back-Channel Logout 1.0, 2.5 to 2.8).
    private func takeNotice(_ login: DemoLogin, _ request: WebRequest) async -> TransportResponse {
        let field = TransportHeaderField("Cache-Control", "no-store")
        do throws(RelyingPartyError) {
            try await login.takeLogout(request.form?["logout_token"] ?? "") { sessions.end($0) }
            return TransportResponse(status: 200, headers: [field])
        } catch {
            return .json(["error": "invalid_request", "error_description": .string(error.reason.code)], status: 400)
        }
    }

    /// Returns the page of a failed login. The error contains no input but the provider's error code.
    func refusal(_ login: DemoLogin, _ error: RelyingPartyError) -> TransportResponse {
        let advice: Markup =
            switch error.action {
            case .retry where error.reason == .unreachable:
                "The provider does not answer: is its sandbox running, and is it the one of this service's folder?"
            case .retry: "Please try again in a moment."
            case .restart: "Please log in again."
            case .tellUser: "The login was refused. You can log in again."
            case .fixConfiguration: "This service is not configured correctly; its operators must correct that."
            case .investigate: "The provider's answer was invalid; the service's operators will investigate."
            }
        let situation = DigiDSituation(error)
        let more: Markup =
            login.mayBeSilent
            ? """
            <dt>Situation</dt><dd id="situation">\("\(situation)")</dd>
            <dt>The app</dt><dd id="advice">\("\(situation.advice)")</dd>
            """ : .nothing
        return .page(
            "You are not signed in", status: 400,
            """
            <p role="alert">\(advice)</p>
            <dl><dt>Login</dt><dd>\(login.client.title)</dd>
            <dt>In</dt><dd id="step">\("\(error.step)")</dd>
            \(Self.rows(of: error))
            \(more)</dl>
            <p><a href="/">Back to the start</a></p>
            """)
    }

    /// Returns the rows of a page that say why something failed, and what can be done.
    static func rows(of error: RelyingPartyError) -> Markup {
        """
        <dt>Failed</dt><dd id="failure">\(failure(error.reason))</dd>
        <dt>Remedy</dt><dd id="remedy">\("\(error.action)")</dd>
        """
    }

    /// Returns the code of the reason, with the name or the number that it carries.
    static func failure(_ reason: RelyingPartyError.Reason) -> String {
        switch reason {
        case .claimMissing(let name), .claimType(let name), .claimUnexpected(let name): "\(reason.code)(\(name))"
        case .missingParameter(let name), .duplicateParameter(let name), .invalidParameter(let name):
            "\(reason.code)(\(name))"
        case .metadataMissing(let member), .metadataInvalid(let member): "\(reason.code)(\(member))"
        case .keySetRejected(_, let keys) where !keys.isEmpty:
            "\(reason.code)(\(keys.map { "\($0)" }.joined(separator: "; ")))"
        case .providerError(let code): "\(reason.code)(\(code))"
        case .unexpectedStatus(let status): "\(reason.code)(\(status))"
        default: reason.code
        }
    }

    private func account(_ request: WebRequest) -> TransportResponse {
        guard let session = sessions.value(request) else { return .seeOther("/") }
        let rows: [Markup] = session.user.details.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>" }
        // A form's redirect to DigiD's page for logouts is checked against these origins too.
        return .page(
            "You are signed in", formTargets: Sandbox.hosts.map { "https://\($0):*" },
            """
            <p>By <strong id="by">\(session.client.title)</strong>.</p>
            <dl>
            \(rows)
            </dl>
            \(Self.cprForm(session))
            <form method="post" action="/logout"><input type="hidden" name="secret" value="\(session.formSecret)">
            <button id="logout">Sign out</button></form>
            """)
    }

    private func logout(_ request: WebRequest) async -> TransportResponse {
        guard let ended = sessions.end(request) else { return .notFound() }
        #if SAML
            // The user leaves DigiD too, if the login was on its web page.
            if let answer = await beginDigiDLogout(ended) { return answer }
        #endif
        return .seeOther("/", [TransportHeaderField("Set-Cookie", sessions.goneCookie)])
    }
}

extension ProviderProfile {
    /// Returns the profile with one time limit for each request, and for all requests of a call.
    package func limited(to timeLimit: Duration) -> ProviderProfile {
        var profile = self
        profile.timeLimit = timeLimit
        profile.keySets.deadline = timeLimit
        profile.keySets.connectDeadline = timeLimit
        return profile
    }
}
