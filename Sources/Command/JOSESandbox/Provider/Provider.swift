package import JOSE
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// One issuer with its clients: discovery, keys, the login page, and the endpoints that clients call.
package final class Provider: Sendable {
    struct Paths: Sendable {
        var authorization = "/authorization"
        var token = "/token"
        var userinfo = "/userinfo"
        var keys = "/jwkSet"
        var pushed: String?
        var backChannel: String?
        var endSession: String?
        /// The endpoint at which a service searches for the user of a login that its back end begins.
        var search: String?
        var wellKnown = "/.well-known/openid-configuration"
    }

    struct State {
        var keys: ProviderKeys
        var pending = ExpiringTable<PendingRequest>(lifetime: 600)
        /// MitID's pushed requests live for ten minutes (RFC 9126, 2.2).
        var pushed = ExpiringTable<(client: String, parameters: FormFields)>(lifetime: 600)
        /// Back-channel requests are stored longer than they are valid, so that a late poll gets the right error.
        var backChannel = ExpiringTable<BackChannelRequest>(lifetime: 900)
        /// The last back-channel request for each device, by its name. Where there was no search, the device has the
        /// name of a person.
        var approvals = ExpiringTable<String>(lifetime: 300)
        /// The searches for users, by their identifiers, and those by the digits of their codes.
        var searches = ExpiringTable<UserSearch>(lifetime: 900)
        var searchCodes = ExpiringTable<String>(lifetime: 900)
        /// The users whom searches have found, by their identifiers.
        var foundUsers = ExpiringTable<FoundUser>(lifetime: 900)
        /// itsme's codes live for three minutes.
        var codes = ExpiringTable<Grant>(lifetime: 180)
        var accessTokens = ExpiringTable<Grant>(lifetime: 3600)
        /// The numbers of comparisons of MitID's civil registration numbers, by the access token.
        var cprTries = ExpiringTable<Int>(lifetime: 900)
    }

    /// The issuer, or the template of the issuers of all tenants.
    package let issuer: String
    /// The origin, `https://host:port`.
    let origin: String
    let authority: String
    /// The path of the issuer; at a provider with many tenants, the path before the tenant.
    let base: String
    /// The tenants, whose issuers are of one template, or nil for a provider with one issuer.
    let tenants: Tenants?
    let title: String
    let paths: Paths
    package let clients: [Registration]
    let clock: WallClock
    /// The carrier from which some people ported their numbers.
    let former: Provider?
    let assertions = InMemoryReplayStore(capacity: 100_000)
    let state: Mutex<State>

    init(
        _ title: String, authority: String, base: String, paths: Paths = Paths(), keys: ProviderKeys,
        clients: [Registration], clock: WallClock, former: Provider? = nil, tenants: Tenants? = nil
    ) {
        self.title = title
        self.authority = authority
        self.base = base
        self.paths = paths
        self.clients = clients
        self.clock = clock
        self.former = former
        self.tenants = tenants
        origin = "https://" + authority
        issuer = tenants?.template ?? origin + base
        state = Mutex(State(keys: keys))
    }

    /// The time of the sandbox's clock, in seconds since 1970.
    var now: Double { clock.now.secondsSince1970 }

    /// Rotates the signing key. The previous key stays published, and older keys are removed.
    package func rotateKeys() throws { try state.withLock { try $0.keys.rotate() } }

    package var publishedKeys: [PublicKey] {
        state.withLock { state in
            let keys = state.keys
            return keys.signing + [keys.encryption, keys.ofTenants?.personal].compactMap(\.self)
        }.map(\.publicKey)
    }

    func client(_ name: String?) -> Registration? { clients.first { $0.clientID == name } }

    func isAuthorization(_ request: WebRequest) -> Bool {
        request.authority.lowercased() == authority && request.path == base + paths.authorization
    }

    static let decisionPath = "/sandbox/decision"

    /// Answers a request, or returns nil if the path is not one of the provider's.
    func answer(_ request: WebRequest) -> TransportResponse? {
        guard request.authority.lowercased() == authority, request.path.hasPrefix(base) else { return nil }
        var path = String(request.path.dropFirst(base.count))
        var segment = ""
        // The page for a decision is the same for all tenants.
        if let tenants, path != Self.decisionPath {
            guard let parts = tenants.parts(of: path) else { return nil }
            (segment, path) = (parts.segment, parts.remainder)
        }
        switch path {
        case paths.wellKnown where tenants != nil:
            return request.isRead ? tenantMetadata(segment) : .methodNotAllowed("GET")
        case paths.wellKnown: return request.isRead ? metadata() : .methodNotAllowed("GET")
        case paths.keys: return request.isRead ? keyDocument() : .methodNotAllowed("GET")
        case paths.authorization: return authorize(request)
        case Self.decisionPath: return decide(request)
        case paths.token: return called(request) { form throws in try token(request, form) }
        case paths.userinfo: return userinfo(request)
        default: break
        }
        if paths.backChannel != nil {
            switch path {
            case paths.backChannel: return called(request) { form throws in try beginBackChannel(request, form) }
            case Self.startPath: return startBackChannel(request)
            case Self.approvalPath: return approval(request)
            default: break
            }
        }
        if let search = paths.search, let answer = answerSearch(request, path, at: search) { return answer }
        if path == Self.matchPath, clients.first?.flavour == .mitID { return matchCPR(request) }
        if path == paths.pushed { return called(request) { form throws in try push(request, form) } }
        if path == paths.endSession {
            // OpenID Connect RP-Initiated Logout 1.0, 2 allows GET and POST.
            return request.isRead || request.form != nil ? endSession(request) : .methodNotAllowed("GET, POST")
        }
        return nil
    }

    /// Answers a POST of a form by a client.
    func called(_ request: WebRequest, _ body: (FormFields) throws -> TransportResponse) -> TransportResponse {
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        let flavour = clients.first?.flavour ?? .itsmeV2
        do {
            guard let form = request.form else { throw ProviderFault.request("not a form") }
            guard form.repeated == nil else { throw ProviderFault.request("duplicate parameter") }
            return try body(form)
        } catch let fault as ProviderFault {
            return fault.response(flavour)
        } catch {
            return ProviderFault(status: 500, code: "server_error", detail: "the sandbox failed").response(flavour)
        }
    }

    private func keyDocument() -> TransportResponse {
        guard let document = try? state.withLock({ try $0.keys.document() }) else {
            return TransportResponse(status: 500)
        }
        return .json(document, cache: "public, max-age=1800")
    }

    private func endSession(_ request: WebRequest) -> TransportResponse {
        .page("Signed out", "<p>No session is kept here: there was nothing to end.</p>")
    }
}
