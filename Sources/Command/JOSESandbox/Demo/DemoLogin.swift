internal import JOSE
internal import JOSEDigiD
internal import JOSEItsme
internal import JOSEKeySets
internal import JOSEMitID
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey

/// One way to log in at the service: a profile and a request.
struct DemoLogin: Sendable {
    enum Way: Sendable {
        case openID(RelyingParty, LoginRequest)
        /// The service begins the login, and polls until the user has decided.
        case backChannel(RelyingParty, LoginRequest)
        /// The service begins the login once the provider has found the user, and polls until the user has decided.
        case discovered(RelyingParty, LoginRequest)
        /// An app with ZenKey's SDK performs the login, and hands it over.
        case handover(RelyingParty, LoginRequest)
        /// An app begins the login, and a browser tab carries it out.
        case app(AppLogin, LoginRequest)
        /// The user proves an age, and does not log in.
        case ageProof(RelyingParty, LoginRequest)
        /// The service begins an age proof, and polls until the user has decided.
        case backChannelAgeProof(RelyingParty, LoginRequest)
        #if SAML
            case saml(DigiDRelyingParty)
            /// The user logs in on DigiD's web page.
            case web(DigiDRelyingParty)
        #endif
    }
    let client: TestClient
    let way: Way
    private let clock: WallClock
    private let pause: DemoService.Pause

    /// Creates the login, or returns nil if there is no profile of this name.
    init?(
        _ client: TestClient, _ configuration: SandboxConfiguration, keys: KeySet, transport: any HTTPTransport,
        store: any LoginStore, clock: WallClock, pause: @escaping DemoService.Pause,
        timeLimit: Duration?
    ) throws(RelyingPartyError) {
        self.client = client
        self.clock = clock
        self.pause = pause
        let signing = keys.keys.lazy.compactMap(Self.signing).first
        #if SAML
            if let saml = client.saml, let signing {
                let connection = try Self.connection(client, saml, signing)
                let party = try DigiDRelyingParty(connection, transport: transport, store: store, clock: clock)
                way = client.web == nil ? .saml(party) : .web(party)
                return
            }
        #endif
        guard case (var profile, let request)? = DemoChoice.of(client, configuration) else { return nil }
        if let timeLimit { profile = profile.limited(to: timeLimit) }
        let decryption = KeySet(keys.keys.filter { Self.signing($0) == nil })
        let credentials: ClientCredentials
        if let secret = client.secret {
            credentials = try .secret(secret)
        } else if let signing {
            credentials = .keys(signing: signing, decryption: decryption)
        } else {
            return nil
        }
        let party = try RelyingParty(
            profile, in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(id: client.clientID, redirectURI: client.redirectURI, credentials: credentials),
            transport: transport, store: store, clock: clock)
        switch client.profile {
        case "mitid.ciba": way = .backChannel(party, request)
        case "itsme.now.ciba": way = .discovered(party, request)
        case "zenkey.app": way = .handover(party, request)
        case "mitid.app":
            let logins = try AppLogin(
                party, startPage: DemoService.appPage(of: client) + "/start",
                returnLink: DemoService.appLink(of: client))
            way = .app(logins, request)
        case "altid.age": way = .ageProof(party, request)
        case "altid.age.ciba": way = .backChannelAgeProof(party, request)
        default: way = .openID(party, request)
        }
    }

    private static func signing(_ key: JWK) -> PrivateKey? {
        guard case .privateKey(let key) = key, key.use == .signature else { return nil }
        return key
    }

    /// The address that a browser is sent to, with the cookie for it.
    struct Redirect: Sendable {
        let url: String
        /// The cookie of the login, or nil if the browser takes no part in it.
        let cookie: String?
        var document: RequestDocument?
        /// The binding of a login of which the provider may report no outcome.
        var binding: String?
    }

    /// A step of a login: the next address of the browser, or the user who has logged in.
    enum Step: Sendable {
        case redirect(Redirect)
        /// A form that submits itself, with the cookie for it.
        case form(BrowserForm, cookie: String)
        case user(DemoUser)
        /// The user scans a code, or decides on another device.
        case waiting(PendingPoll)
        /// The age, or the answers about the ages that were asked about.
        case age(MitIDAge)
    }

    /// Whether the provider may report no outcome, so that the service ends the login by itself.
    var mayBeSilent: Bool { client.profile.hasPrefix("digid.") }
    /// Whether the user logs in with DigiD's app by SAML, which opens the service's app.
    var isByDigiDApp: Bool { client.profile.hasPrefix("digid.saml") }

    /// Returns the callback of a GET request.
    func callback(query: String) -> AuthorizationCallback {
        #if SAML
            if case .saml = way { return .digiDApp(query) }
        #endif
        return .query(query)
    }

    private var isZenKey: Bool { client.profile == "zenkey" }

    func begin() async throws(RelyingPartyError) -> Step {
        switch way {
        case .openID(let party, let request):
            guard isZenKey else { return try await begin(party, request) }
            return Self.step(try await party.beginZenKey(request, from: .page))
        case .backChannel(let party, let request):
            let start = try await party.beginMitIDBackChannelLogin(request)
            return .redirect(Redirect(url: start.url, cookie: start.cookie))
        case .discovered(let party, _):
            return .waiting(
                PendingPoll(session: Randomness.text(), stage: .search(try await party.beginItsmeUserDiscovery())))
        // The app begins the login.
        case .handover: return .redirect(Redirect(url: client.redirectURI.origin + "/", cookie: nil))
        case .app: return .redirect(Redirect(url: DemoService.appPage(of: client), cookie: nil))
        case .ageProof(let party, let request):
            let start = try await party.beginAltIDAgeProof(request)
            return .redirect(Redirect(url: start.url, cookie: start.cookie))
        case .backChannelAgeProof(let party, let request):
            let session = Randomness.text()
            let proof = try await party.beginAltIDAgeProof(request, flow: .link, qrCode: .png, session: session)
            return .waiting(
                PendingPoll(session: session, stage: .ageProof(proof, nextPoll: proof.pending.nextPoll)))
        #if SAML
            case .saml(let party):
                let start = try await party.beginLogin()
                return .redirect(Redirect(url: start.url, cookie: start.cookie, binding: start.binding))
            case .web(let party):
                let start = try await party.beginBrowserLogin()
                return Self.step(start.message, cookie: start.cookie)
        #endif
        }
    }

    /// Ends a login of which no answer came, and returns its error.
    func end(_ timeout: DigiDTimeout, binding: String) async throws(RelyingPartyError) -> RelyingPartyError {
        switch way {
        case .openID, .backChannel, .discovered, .handover, .app, .ageProof, .backChannelAgeProof: return timeout.error
        #if SAML
            case .saml(let party), .web(let party): return try await party.endLogin(timeout, binding: binding)
        #endif
        }
    }

    private func begin(_ party: RelyingParty, _ asked: LoginRequest) async throws(RelyingPartyError) -> Step {
        var request = asked
        if case .reference = request.delivery {
            request.delivery = .reference(ServiceCalls.documents + Randomness.text())
        }
        let start = try await party.beginLogin(request)
        return .redirect(
            Redirect(
                url: start.url, cookie: start.cookie, document: start.requestDocument,
                binding: mayBeSilent ? start.binding : nil))
    }

    /// Completes a step of a login. The answers of the discovery page and of the carriers come to the same address.
    ///
    /// - Parameter isOfPage: Whether the answer is that of the discovery page, which has no code.
    func complete(_ callback: AuthorizationCallback, isOfPage: Bool, cookies: String) async throws(RelyingPartyError)
        -> Step
    {
        let binding = callback.binding(inCookies: cookies)
        switch way {
        case .openID(let party, let request):
            guard isZenKey, isOfPage else {
                let user = try await party.completeLogin(callback: callback, binding: binding)
                // The subject of an age alone is a new one each time, and so there is no account.
                if let age = user.mitIDAge, !user.mitIDSubjectLasts { return .age(age) }
                return .user(DemoUser(user))
            }
            return Self.step(try await party.continueZenKey(request, callback: callback, binding: binding))
        case .backChannel(let party, _):
            let binding = binding ?? ""
            let login = try await party.resumeMitIDBackChannelLogin(callback: callback, binding: binding)
            // The user has decided when the browser is back, so only the broker's interval is waited for.
            var next = login.nextPoll
            while true {
                try await wait(until: next)
                switch try await party.poll(login.handle, session: binding) {
                case .user(let user): return .user(DemoUser(user))
                case .pending(let nextPoll): next = nextPoll
                }
            }
        // The user of such a login does not come back from the provider, or comes back to the app.
        case .discovered, .handover, .app, .backChannelAgeProof: throw RelyingPartyError(.stateMismatch, in: .callback)
        case .ageProof(let party, _):
            return .age(try await party.completeAltIDAgeProof(callback: callback, binding: binding))
        #if SAML
            case .saml(let party):
                let user = try await party.completeLogin(callback: callback, binding: binding)
                return .user(DemoUser(user, of: client.issuer))
            case .web(let party):
                let user = try await party.completeBrowserLogin(callback: callback, binding: binding)
                return .user(DemoUser(user, of: client.issuer))
        #endif
        }
    }

    /// The relying party and the request of a login that an app performs; nil for any other login.
    var handover: (party: RelyingParty, request: LoginRequest)? {
        if case .handover(let party, let request) = way { (party, request) } else { nil }
    }

    /// The logins and the request of an app whose logins a browser tab carries out; nil for any other login.
    var app: (logins: AppLogin, request: LoginRequest)? {
        if case .app(let logins, let request) = way { (logins, request) } else { nil }
    }

    private func wait(until time: NumericDate) async throws(RelyingPartyError) {
        do { try await pause(max(.zero, time - clock.now)) } catch {
            throw RelyingPartyError(.interrupted, in: .tokenResponse)
        }
    }

    /// Asks the provider once whether it has found the user, or whether the user has decided.
    func continuePoll(_ poll: PendingPoll) async throws(RelyingPartyError) -> Step {
        func waiting(_ stage: PendingPoll.Stage) -> Step { .waiting(PendingPoll(session: poll.session, stage: stage)) }
        switch (way, poll.stage) {
        case (.discovered(let party, let request), .search(var discovery)):
            try await wait(until: discovery.nextPoll)
            guard let user = try await party.poll(&discovery) else { return waiting(.search(discovery)) }
            let login = try await party.beginItsmeBackChannelLogin(request, of: user, session: poll.session)
            return waiting(.login(handle: login.handle, nextPoll: login.nextPoll))
        case (.discovered(let party, _), .login(let handle, let nextPoll)):
            try await wait(until: nextPoll)
            switch try await party.poll(handle, session: poll.session) {
            case .user(let user): return .user(DemoUser(user))
            case .pending(let nextPoll): return waiting(.login(handle: handle, nextPoll: nextPoll))
            }
        case (.backChannelAgeProof(let party, _), .ageProof(let proof, let nextPoll)):
            try await wait(until: nextPoll)
            switch try await party.pollAltIDAgeProof(proof.pending.handle, session: poll.session) {
            case .age(let age): return .age(age)
            case .pending(let nextPoll): return waiting(.ageProof(proof, nextPoll: nextPoll))
            }
        default: throw RelyingPartyError(.configurationError, in: .request)
        }
    }

    /// Verifies a logout token, ends the sessions that it names with `end`, and then confirms that they have ended.
    func takeLogout(_ token: String, end: (LogoutNotice) -> Void) async throws(RelyingPartyError) {
        switch way {
        case .openID(let party, _), .backChannel(let party, _):
            let notice = try await party.acceptLogout(token: token)
            end(notice)
            try await party.confirmLogout(notice)
        default: throw RelyingPartyError(.configurationError, in: .logoutToken)
        }
    }

    /// Compares a civil registration number with that of the user who has logged in with MitID.
    func matchCPR(_ number: String, _ ticket: MitIDCPRTicket) async throws(RelyingPartyError) -> Bool {
        switch way {
        case .openID(let party, _), .backChannel(let party, _): return try await party.matchMitIDCPR(number, ticket)
        default: throw RelyingPartyError(.configurationError, in: .request)
        }
    }

    private static func step(_ start: ZenKeyStart) -> Step {
        switch start {
        case .login(let start): .redirect(Redirect(url: start.url, cookie: start.cookie))
        case .page(let page): .redirect(Redirect(url: page.url, cookie: page.cookie))
        }
    }
}
