import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

/// A service, its provider, and the clock of both.
struct LoginFixture: Sendable {
    let clock = TestClock()
    let provider: ScriptedProvider
    let store: MemoryLoginStore
    let client: RelyingPartyClient
    let party: RelyingParty
    let request: LoginRequest

    static let issuer = "https://provider.test/v2"
    static let redirectURI = "https://service.test/callback"

    init(
        _ profile: ProviderProfile, manner: ProviderManner, request: LoginRequest,
        environment: ProviderEnvironment = .sandbox(issuer: issuer), issuer: String = issuer,
        credentials: ClientCredentials? = nil, redirectURIs: [String] = [redirectURI],
        authentication: ClientAuthentication? = nil
    ) throws {
        let clock = clock
        provider = ScriptedProvider(issuer: issuer, manner: manner, clock: clock)
        store = MemoryLoginStore(clock: clock.wallClock)
        let keys = ClientCredentials.keys(signing: TestKeys.client, decryption: KeySet(TestKeys.clientEncryption))
        var client = RelyingPartyClient(
            id: manner.clientID, redirectURIs: redirectURIs, credentials: credentials ?? keys)
        client.authentication = authentication
        self.client = client
        party = try RelyingParty(
            profile, in: environment, client: client, transport: provider, store: store, clock: clock.wallClock,
            keySets: nil, observer: nil, fetching: Self.environment(clock))
        self.request = request
    }

    /// Returns an environment in which keys age by the tests' clock, and in which a timer waits until it is cancelled.
    static func environment(_ clock: TestClock) -> FetchEnvironment {
        FetchEnvironment(
            now: { clock.now.secondsSince1970 }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) },
            chance: { 0.5 },
            wall: { clock.now.secondsSince1970 })
    }

    /// Performs a whole login of a user who consents.
    func login(_ request: LoginRequest? = nil) async throws -> LoggedInUser {
        let start = try await party.beginLogin(request ?? self.request)
        return try await finish(start)
    }

    /// Performs the rest of a login, from the authorization endpoint on.
    func finish(_ start: AuthorizationRequest) async throws -> LoggedInUser {
        let query =
            start.requestDocument.map { provider.authorize(start.url, document: $0.body) }
            ?? provider.authorize(start.url)
        return try await party.completeLogin(callback: .query(query), binding: start.binding)
    }

    /// Returns the error of a login that must fail.
    func failure(_ request: LoginRequest? = nil) async throws -> RelyingPartyError? {
        do {
            _ = try await login(request)
            return nil
        } catch let error as RelyingPartyError {
            return error
        }
    }

    /// Returns the error of a login with a changed script, which is restored afterwards; nil if the login succeeds.
    func failure(_ change: (inout ScriptedProvider.Script) -> Void) async throws -> RelyingPartyError? {
        let before = provider.script
        defer { provider.script = before }
        change(&provider.script)
        return try await failure()
    }
}

/// Returns the error of a call that must fail.
func refusal(_ body: () async throws -> some Any) async throws -> RelyingPartyError? {
    do {
        _ = try await body()
        return nil
    } catch let error as RelyingPartyError {
        return error
    }
}
