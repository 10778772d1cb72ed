import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import TestSupport
import Testing

/// The back end of an app, with MitID. Nothing reaches a device here but by what a real one receives.
struct AppLoginFixture: Sendable {
    let broker: MitIDFixture
    let party: RelyingParty
    let logins: AppLogin
    let store: SteppedLoginStore
    var clock: TestClock { broker.clock }

    static let startPage = "https://service.test/app-login"

    init(
        _ profile: ProviderProfile = .mitID(MitIDFixture.settings), steps: StoreSteps = StoreSteps(),
        storeClock: WallClock? = nil
    ) throws {
        broker = try MitIDFixture(profile)
        store = SteppedLoginStore(steps, clock: storeClock ?? broker.clock.wallClock)
        party = try RelyingParty(
            profile, in: .sandbox(issuer: MitIDFixture.issuer), client: broker.fixture.client,
            transport: broker.provider, store: store, clock: broker.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(broker.clock))
        logins = try AppLogin(
            party, startPage: Self.startPage, returnLink: MitIDFixture.link, text: .danish)
    }

    /// Answers of the back end: the user's subject, or the error.
    @Sendable static func answer(_ result: Result<LoggedInUser, RelyingPartyError>) async -> [UInt8] {
        switch result {
        case .success(let user): Array("user \(user.subject)".utf8)
        case .failure(let error): Array("error \(error.reason.code)".utf8)
        }
    }
    static let done = AppLogin.Answer.ended(Array("user user-1".utf8))
}

/// The app on one device, with what the operating system and the back end have given to it.
struct AppOnDevice: Sendable {
    let fixture: AppLoginFixture
    let instance: [UInt8]
    var handle = ""
    /// The value of the link that opened the app.
    var returned: String?

    init(_ fixture: AppLoginFixture, _ name: String = "a phone with one app") {
        self.fixture = fixture
        instance = Array(name.utf8)
    }

    /// Begins a login, and returns the link for the tab.
    mutating func begin(
        _ request: LoginRequest = .mitID(), appSwitch: MitIDParameters.AppSwitch.System? = .android
    ) async throws -> String {
        let start = try await fixture.logins.begin(request, instance: instance, appSwitch: appSwitch)
        handle = start.handle
        return start.link
    }

    /// Is opened by a link.
    mutating func open(_ link: String) throws {
        try #require(link.hasPrefix(MitIDFixture.link + "?"))
        returned = FormFields(ofURL: link)[AppLogin.returnParameter]
    }

    func poll() async throws -> AppLogin.Answer {
        try await fixture.logins.poll(handle, instance: instance, returnValue: returned)
    }
}

/// A tab of a browser, with its cookies.
struct BrowserTab: Sendable {
    let fixture: AppLoginFixture
    private(set) var cookies: [String] = []
    /// The URL of the broker, where the tab is.
    private(set) var location = ""

    init(_ fixture: AppLoginFixture) { self.fixture = fixture }

    /// Opens the link of a login.
    mutating func open(_ link: String) async throws {
        try #require(link.hasPrefix(AppLoginFixture.startPage + "?"))
        let query = String(link.dropFirst(AppLoginFixture.startPage.count + 1))
        let headers = try await fixture.logins.open(query: query)
        let location = try #require(headers.first { $0.name == "Location" }?.value)
        receive(try #require(headers.first { $0.name == "Set-Cookie" }?.value), location)
    }

    /// Goes to a URL of the provider.
    mutating func visit(_ url: String) { location = url }

    /// Receives the response of the start page.
    mutating func receive(_ setCookie: String, _ location: String) {
        cookies.append(String(setCookie.prefix { $0 != ";" }))
        self.location = location
    }

    /// The link that MitID's app opens when the user has approved the login; nil without an app switch.
    var appSwitchLink: String? {
        get throws {
            let object = try #require(FormFields(ofURL: location)["request"])
            guard case .object(let claims) = try JSON(fixture.broker.provider.requestObject(object)),
                case .object(let parameters)? = claims["idp_params"], case .object(let members)? = parameters["mitid"]
            else { return nil }
            return members["app_switch_url"]?.string
        }
    }

    /// The form that the broker's page posts after the user has approved the login.
    func approved() -> String { fixture.broker.form(location) }

    /// Posts a form of the broker to the redirect URI.
    func post(_ form: String, to logins: AppLogin? = nil) async throws -> AppLogin.End {
        try await (logins ?? fixture.logins).complete(
            callback: MitIDFixture.callback(form), cookies: cookies.joined(separator: "; "),
            answer: AppLoginFixture.answer)
    }
}
