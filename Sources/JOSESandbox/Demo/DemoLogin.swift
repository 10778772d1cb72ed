internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty

/// One way to log in at the service: a profile, and what is asked for.
struct DemoLogin: Sendable {
    let client: TestClient
    let party: RelyingParty
    private let request: LoginRequest

    /// Nil: no profile of this name is here.
    init?(
        _ client: TestClient, _ configuration: SandboxConfiguration, keys: KeySet, transport: any Transport,
        store: any LoginStore
    ) throws(RelyingPartyError) {
        guard let (profile, request) = DemoChoice.of(client, configuration) else { return nil }
        let signing = keys.keys.lazy.compactMap(Self.signing).first
        let decryption = KeySet(keys.keys.filter { Self.signing($0) == nil })
        let credentials: ClientCredentials
        if let secret = client.secret {
            credentials = try .secret(secret)
        } else if let signing {
            credentials = .keys(signing: signing, decryption: decryption)
        } else {
            return nil
        }
        self.client = client
        self.request = request
        party = try RelyingParty(
            profile, in: .sandbox(issuer: client.issuer),
            client: RelyingPartyClient(id: client.clientID, redirectURI: client.redirectURI, credentials: credentials),
            transport: transport, store: store)
    }

    private static func signing(_ key: JWK) -> PrivateKey? {
        guard case .privateKey(let key) = key, key.use == .signature else { return nil }
        return key
    }

    /// A step of a login: where the browser goes, or who has come.
    enum Step: Sendable {
        case visit(url: String, cookie: String, document: RequestDocument?)
        case user(LoggedInUser)
    }

    private var isZenKey: Bool { client.profile.hasPrefix("zenkey.") }

    func begin() async throws(RelyingPartyError) -> Step {
        guard isZenKey else {
            var request = request
            if case .reference = request.delivery {
                request.delivery = .reference(ServiceCalls.documents + Randomness.text())
            }
            let start = try await party.beginLogin(request)
            return .visit(url: start.url, cookie: start.cookie, document: start.requestDocument)
        }
        return Self.step(try await party.beginZenKey(request, from: .page))
    }

    /// The discovery page and the carriers answer at the same address: the page has no code to give.
    func complete(_ callback: Callback, isOfPage: Bool, binding: String?) async throws(RelyingPartyError) -> Step {
        guard isZenKey, isOfPage else {
            return .user(try await party.completeLogin(callback: callback, binding: binding))
        }
        return Self.step(try await party.continueZenKey(request, callback: callback, binding: binding))
    }

    private static func step(_ start: ZenKeyStart) -> Step {
        switch start {
        case .login(let start): .visit(url: start.url, cookie: start.cookie, document: nil)
        case .page(let visit): .visit(url: visit.url, cookie: visit.cookie, document: nil)
        }
    }
}
