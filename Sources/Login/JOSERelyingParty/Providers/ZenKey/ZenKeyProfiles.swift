internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

extension ProviderProfile {
    /// ZenKey as its guide of 2020 has it: a client secret, and userinfo with flat claims or objects. The login begins with `beginZenKey`.
    public static let zenKey = ZenKey.profile(at: nil)

    /// ZenKey's profile with services, or carriers, of one's own in every environment; such as Sprint, whose hosts have no common suffix.
    public func at(_ environment: ZenKeyEnvironment) -> ProviderProfile {
        var profile = self
        if sameBytes(name, ZenKey.profileName) {
            profile.directory = ZenKey.directory(environment)
        }
        return profile
    }
}

extension ZenKey {
    static let profileName = "zenkey"
    static let contextNote = "zenkey.context"
    /// The user came from the discovery page.
    static let pageNote = "zenkey.page"
    /// The discovery page was shown a second time.
    static let againNote = "zenkey.again"

    static func profile(at environment: ZenKeyEnvironment?) -> ProviderProfile {
        var profile = ProviderProfile(name: profileName, place: place)
        profile.directory = directory(environment)
        profile.request = request
        profile.client = client
        profile.idToken = idToken
        profile.userInfo = UserInfoRules(form: .json)
        profile.errors = ErrorRules { code, _, _ in ErrorMeaning(remedy: ZenKeyErrorType.remedy(code)) }
        profile.finish = { (user, check, _) throws(RelyingPartyError) in try finish(&user, check) }
        return profile
    }

    private static let place: @Sendable (ProviderEnvironment) -> ProviderPlace? = { environment in
        switch environment {
        case .production: ProviderPlace(issuer: "https://discoveryissuer.myzenkey.com", isProduction: true)
        case .test: ProviderPlace(issuer: "https://discoveryissuer-qa.myzenkey.com", isProduction: false)
        case .sandbox(let issuer): ProviderPlace(issuer: issuer, isProduction: false)
        }
    }

    static func directory(_ environment: ZenKeyEnvironment?) -> DirectoryMaker {
        { settings in CarrierDirectory(settings, environment ?? .of(settings.place)) }
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
            // `port_data` among them, which is the carriers' own.
            guard request.scopes.allSatisfy({ scope in known.contains { sameBytes($0, scope) } }) else {
                throw .invalidParameter("scope")
            }
            request.scopes.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            // It is the discovery page's to give, and nobody's to make up.
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
    /// In the order in which ZenKey has an ID token checked.
    private static var idToken: IDTokenRules {
        var rules = IDTokenRules()
        // Samples have `at+jwt`, and a member `type` in its place.
        rules.token.type = .any
        rules.token.refusedTypes = ["port_token+jwt"]
        rules.token.triesEveryKey = false
        rules.checks = [
            .issuer, .audience(trusted: nil), .authorizedParty, .expiration, .notBefore, .issuedAt, .nonce, acr,
            context,
            .accessTokenHash, .subject,
        ]
        return rules
    }

    /// One of those that were asked for, or one that is ranked higher.
    private static let acr = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let least = check.transaction.acrValues.compactMap(rank).min() else { return }
        guard let given = try check.text("acr").flatMap(rank), given >= least else { throw .acrTooLow }
    }

    /// What the user read, which a carrier may cut off.
    private static let context = ClaimCheck { check throws(RelyingPartyError.Reason) in
        guard let given = try check.text("context") else { return }
        guard (check.transaction.notes[contextNote] ?? "").utf8.starts(with: given.utf8) else {
            throw .invalidParameter("context")
        }
    }

    private static func finish(_ user: inout LoggedInUser, _ check: LoginCheck) throws(RelyingPartyError) {
        let token = CarrierJSON(check.claims.payload)
        let answer = check.response.flatMap { CarrierJSON($0.answer.bytes) }
        user.zenKey = ZenKeyUser(
            info: try user.userInfo.map { claims throws(RelyingPartyError) in
                try ZenKeyUserInfo(parsing: claims.payload)
            },
            network: check.transaction.provider.flatMap { MobileNetwork($0) },
            portTokens: token?.texts("aka", atMost: 8) ?? [],
            correlationID: answer?.string("correlation_id"))
    }
}

/// What ZenKey says of a user besides what every provider does.
public struct ZenKeyUser: Sendable {
    /// What the carrier says of the user.
    public let info: ZenKeyUserInfo?
    /// Whose SIM it is.
    public let network: MobileNetwork?
    /// `aka`, the first eight, unjudged: for ``PortTokenMigration``, where nobody is known by the user's reference.
    public let portTokens: [String]
    /// For the carrier's support.
    public let correlationID: String?
}

extension ZenKeyUser: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "ZenKeyUser" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ZenKeyEnvironment {
    /// Of a sandbox all is under one origin.
    static func of(_ place: ProviderPlace) -> ZenKeyEnvironment {
        if sameBytes(place.issuer, "https://discoveryissuer.myzenkey.com") { return .production }
        if sameBytes(place.issuer, "https://discoveryissuer-qa.myzenkey.com") { return .qa }
        let url = WebURL(place.issuer)
        let origin = url.map { "https://" + $0.host + ($0.port.map { ":\($0)" } ?? "") }
        return ZenKeyEnvironment(
            discoveryURL: place.issuer + "/.well-known/openid_configuration",
            discoveryUIURL: place.issuer + "/ui/discovery-ui",
            trust: ZenKeyCarrierTrust(origins: origin.map { [$0] } ?? []))
    }
}
