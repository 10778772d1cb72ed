internal import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

extension ProviderProfile {
    /// The profile of ZenKey as its guide of 2020 describes it: the client authenticates with a client secret, and
    /// userinfo responses contain flat claims or objects. A login begins with `RelyingParty.beginZenKey(_:from:)`.
    public static let zenKey = ZenKey.profile(at: nil)

    /// Returns ZenKey's profile with other discovery URLs or trusted hosts, which are used in every provider
    /// environment. It allows carriers such as Sprint, whose hosts have no common suffix. Any other profile is returned
    /// unchanged.
    ///
    /// - Parameter environment: The URLs of ZenKey's discovery service and discovery page, and the trusted hosts.
    public func at(_ environment: ZenKeyEnvironment) -> ProviderProfile {
        var profile = self
        if bytesEqual(name, ZenKey.profileName) {
            profile.directory = ZenKey.directory(environment)
        }
        return profile
    }
}

extension ZenKey {
    /// The name of the profile.
    static let profileName = "zenkey"
    /// The note with the `context` of the request.
    static let contextNote = "zenkey.context"
    /// The note that the user came from the discovery page.
    static let pageNote = "zenkey.page"
    /// The note that the user has visited the discovery page twice.
    static let againNote = "zenkey.again"

    static func profile(at environment: ZenKeyEnvironment?) -> ProviderProfile {
        var profile = ProviderProfile(
            name: profileName, production: "https://discoveryissuer.myzenkey.com",
            test: "https://discoveryissuer-qa.myzenkey.com")
        profile.directory = directory(environment)
        profile.request = request
        profile.client = client
        profile.callback.parameters = ["mccmnc", "login_hint_token", "correlation_id"]
        profile.idToken = idToken
        profile.userInfo = UserInfoRules(form: .json)
        profile.errors = ErrorRules { code, _, _ in ErrorMeaning(action: ZenKeyErrorType.action(code)) }
        profile.finish = { (user, login, _) throws(RelyingPartyError) in try finish(&user, login) }
        return profile
    }

    static func directory(_ environment: ZenKeyEnvironment?) -> DirectoryMaker {
        { settings in CarrierDirectory(settings, environment ?? .of(settings.location)) }
    }

    private static var request: RequestRules {
        var rules = RequestRules()
        rules.parameters = [
            "acr_values": ParameterRule { text in
                text.split(separator: " ", omittingEmptySubsequences: false).allSatisfy { rank(String($0)) != nil }
            },
            "context": ParameterRule(accepts: isContext), "correlation_id": ParameterRule(accepts: isCorrelationID),
            "prompt": .oneOf(["login", "consent", "none"]), "login_hint_token": .any, "sdk_version": .any,
            "options": .any,
        ]
        let known = ["openid"] + ZenKeyScope.allCases.map(\.rawValue)
        rules.check = { (request, _) throws(RelyingPartyError.Reason) in
            // The scope `port_data` is rejected too: only carriers may use it.
            guard request.scopes.allSatisfy({ scope in known.contains { bytesEqual($0, scope) } }) else {
                throw .invalidParameter("scope")
            }
            request.scopes.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            // Only the discovery page issues the value.
            if request["login_hint_token"] != nil, request.notes[pageNote] == nil {
                throw .invalidParameter("login_hint_token")
            }
            request.notes[contextNote] = request["context"]
        }
        return rules
    }

    private static var client: ClientRules {
        var rules = ClientRules()
        rules.authentication = [.clientSecretBasic(isFormEncoded: false), .clientSecretBasic(isFormEncoded: true)]
        rules.acceptsID = isClientID
        rules.acceptsRedirectURI = { uri, _ in isRedirectURI(uri) }
        return rules
    }
}

extension ZenKey {
    /// The rules of ID tokens, with the rules for claims in ZenKey's order.
    private static var idToken: IDTokenRules {
        var rules = IDTokenRules()
        // Samples have `at+jwt`, or a member `type` in place of `typ`.
        rules.token.type = .any
        rules.token.acceptedTypes = [TokenKind.accessToken.rawValue]
        rules.token.acceptsMissingKeyID = false
        rules.rules = [
            .issuer, .audience(trusted: nil), .authorizedParty, .expiration, .notBefore, .issuedAt, .nonce,
            .acr(rank: ZenKey.rank), context, .accessTokenHash, .subject,
        ]
        return rules
    }

    /// `context` must be the beginning of the requested text, which a carrier may cut off.
    private static let context = LoginRule { login throws(RelyingPartyError.Reason) in
        guard let given = try login.string("context") else { return }
        guard isContext(given, of: login.notes) else { throw .invalidParameter("context") }
    }

    /// Returns whether a text is the beginning of the `context` that a login requested.
    static func isContext(_ given: String, of notes: [String: String]) -> Bool {
        (notes[contextNote] ?? "").utf8.starts(with: given.utf8)
    }

    private static func finish(_ user: inout LoggedInUser, _ login: LoginContext) throws(RelyingPartyError) {
        let token = CarrierJSON(login.claims.payload)
        let answer = login.response.flatMap { CarrierJSON($0.answer.bytes) }
        user.zenKey = ZenKeyUser(
            info: try user.userInfo.map { claims throws(RelyingPartyError) in
                try ZenKeyUserInfo(parsing: claims.payload)
            },
            network: login.transaction.provider.flatMap { MobileNetwork($0) },
            portTokens: token?.texts("aka", atMost: 8) ?? [],
            correlationID: answer?.string("correlation_id"))
    }
}

/// The values about a user that only ZenKey returns.
public struct ZenKeyUser: Sendable {
    /// The claims of the carrier's userinfo response; nil if there was none.
    public let info: ZenKeyUserInfo?
    /// The mobile network by which the carrier was found.
    public let network: MobileNetwork?
    /// The first eight port tokens of the ID token (`aka`), which are not verified yet. If no account has the user's
    /// reference, pass them to ``PortTokenMigration``.
    public let portTokens: [String]
    /// The correlation ID of the login, which identifies it to the carrier's support.
    public let correlationID: String?
}

extension ZenKeyUser: Redacted {}

extension ZenKeyEnvironment {
    /// Returns the environment of a location. All services of a sandbox are on one origin.
    static func of(_ location: ProviderLocation) -> ZenKeyEnvironment {
        if bytesEqual(location.issuer, "https://discoveryissuer.myzenkey.com") { return .production }
        if bytesEqual(location.issuer, "https://discoveryissuer-qa.myzenkey.com") { return .qa }
        let url = WebURL(location.issuer)
        let origin = url.map { "https://" + $0.host + ($0.port.map { ":\($0)" } ?? "") }
        return ZenKeyEnvironment(
            discoveryURL: location.issuer + "/.well-known/openid_configuration",
            discoveryUIURL: location.issuer + "/ui/discovery-ui",
            trust: ZenKeyCarrierTrust(origins: origin.map { [$0] } ?? []))
    }
}
