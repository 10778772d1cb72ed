import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

/// A service, its provider and a clock that both go by.
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
        store = MemoryLoginStore(now: { clock.now })
        let keys = ClientCredentials.keys(signing: TestKeys.client, decryption: KeySet(TestKeys.clientEncryption))
        var client = RelyingPartyClient(
            id: manner.clientID, redirectURIs: redirectURIs, credentials: credentials ?? keys)
        client.authentication = authentication
        self.client = client
        party = try RelyingParty(
            profile, in: environment, client: client, transport: provider, store: store, clock: clock.tokenClock,
            keySets: nil, observer: nil, surroundings: Self.surroundings(clock))
        self.request = request
    }

    /// Ages of keys by the tests' clock; what waits for a time ahead waits until it is cancelled.
    static func surroundings(_ clock: TestClock) -> FetchEnvironment {
        FetchEnvironment(
            now: { clock.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) }, chance: { 0.5 },
            wall: { clock.now })
    }

    /// A whole login by a user who agrees.
    func login(_ request: LoginRequest? = nil) async throws -> LoggedInUser {
        let start = try await party.beginLogin(request ?? self.request)
        return try await finish(start)
    }

    /// From the provider's page on.
    func finish(_ start: AuthorizationRequest) async throws -> LoggedInUser {
        let query =
            start.requestDocument.map { provider.authorize(start.url, document: $0.body) }
            ?? provider.authorize(start.url)
        return try await party.completeLogin(callback: .query(query), binding: start.binding)
    }

    /// The error of a login that must fail.
    func failure(_ request: LoginRequest? = nil) async throws -> RelyingPartyError? {
        do {
            _ = try await login(request)
            return nil
        } catch let error as RelyingPartyError {
            return error
        }
    }

    /// A login with a script, and what it came to; the script is put back.
    func failure(_ change: (inout ScriptedProvider.Script) -> Void) async throws -> RelyingPartyError? {
        let before = provider.script
        defer { provider.script = before }
        change(&provider.script)
        return try await failure()
    }
}

/// The error of a call that must fail.
func refusal(_ body: () async throws -> some Any) async throws -> RelyingPartyError? {
    do {
        _ = try await body()
        return nil
    } catch let error as RelyingPartyError {
        return error
    }
}
