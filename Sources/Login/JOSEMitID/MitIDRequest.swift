internal import JOSE
public import JOSERelyingParty
internal import JOSESupport

extension LoginRequest {
    /// Returns a request for a login with MitID.
    ///
    /// - Parameters:
    ///   - level: The lowest accepted level of assurance; nil for the broker's default, which is `substantial`.
    ///   - scopes: The scopes in addition to `openid` and `mitid`.
    public static func mitID(level: NSISLevel? = nil, scopes: [MitIDScope] = []) -> LoginRequest {
        var request = LoginRequest()
        request.scopes += ["mitid"] + scopes.map(\.rawValue)
        if let level {
            var parameters = MitIDParameters()
            parameters.level = level
            request.mitID = parameters
        }
        return request
    }

    /// Returns a request for a login with MitID Erhverv, whose result has `LoggedInUser.mitIDBusinessUser`.
    ///
    /// - Parameters:
    ///   - level: The lowest accepted level of assurance, which cannot be `high`; nil for the broker's default, which
    ///     is `substantial`.
    ///   - allowsPrivate: Whether the user may log in as a private person in place of a member of an organization.
    public static func mitIDErhverv(level: NSISLevel? = nil, allowsPrivate: Bool = false) -> LoginRequest {
        var request = LoginRequest()
        request.mitIDProviders = [.mitIDErhverv]
        request.scopes.append("nemlogin")
        if level != nil || allowsPrivate {
            var parameters = MitIDParameters()
            (parameters.level, parameters.allowsPrivate) = (level, allowsPrivate)
            request.mitID = parameters
        }
        return request
    }

    /// Returns a request for the age of a user in years, from MitID (`LoggedInUser.mitIDAge`). The response contains
    /// no lasting identifier, and the broker requires no level of assurance above the lowest.
    public static func mitIDAge() -> LoginRequest { mitIDAge(scope: MitIDAge.scope) }

    /// Returns a request for whether a user has reached an age, from MitID (`LoggedInUser.mitIDAge`). The response
    /// contains no lasting identifier, and the broker requires no level of assurance above the lowest.
    ///
    /// - Parameter age: The age in years, from 1 to 150. Any other is rejected with `invalidParameter` when the login
    ///   begins.
    public static func mitIDAge(atLeast age: Int) -> LoginRequest {
        mitIDAge(scope: MitIDProvider.mitID.scope(ofAge: age))
    }

    private static func mitIDAge(scope: String) -> LoginRequest {
        var request = LoginRequest()
        request.mitIDProviders = [.mitID]
        request.scopes += [MitIDAge.minimalScope, scope]
        return request
    }

    /// Returns a request for a login with the person identification data of the wallet AltID
    /// (`LoggedInUser.altIDPerson`).
    ///
    /// - Parameter claims: The claims that the user is asked to disclose.
    public static func altIDPerson(_ claims: [AltIDClaim]) -> LoginRequest {
        var request = LoginRequest()
        request.mitIDProviders = [.altIDPerson]
        request.scopes += claims.map(\.rawValue)
        return request
    }

    /// The identity providers that may answer (`idp_values`), the first one preferred. MitID alone may answer if the
    /// list is empty. Each scope of the request must belong to one of them.
    public var mitIDProviders: [MitIDProvider] {
        get { self["idp_values"].flatMap { try? MitIDProvider.list($0) } ?? [] }
        set { self["idp_values"] = newValue.isEmpty ? nil : newValue.map(\.rawValue).joined(separator: " ") }
    }

    /// The parameters of the login with MitID (`idp_params`); nil if there are none, or if they cannot be parsed.
    public var mitID: MitIDParameters? {
        get { value("idp_params").flatMap { try? MitIDParameters(json: Array($0.text.utf8)) } }
        set { set("idp_params", newValue.map { .json($0.json) }) }
    }
}

/// A scope of the broker in addition to `openid` and `mitid`.
@nonexhaustive public enum MitIDScope: String, Sendable, CaseIterable {
    /// The civil registration number, or the name or the address in the civil register.
    case ssn, nameDetails = "ssn.details_name", addressDetails = "ssn.details_address"
    /// A token with the userinfo claims, which is returned beside the ID token.
    case userInfoToken = "userinfo_token"
    /// The transaction token, which can serve as evidence years later (`LoggedInUser.mitIDTransaction`).
    case transactionToken = "transaction_token"
    /// The user's identifier (PID) in NemID, the predecessor of MitID.
    case nemIDPID = "nemid.pid"
    /// A refresh token.
    case offlineAccess = "offline_access"
}

extension MitID {
    /// Returns the rules for requests to the broker.
    static func request(
        _ settings: MitIDSettings, form: @escaping @Sendable (RequestDelivery?) -> MitIDRequestForm
    ) -> RequestRules {
        var rules = RequestRules()
        rules.parameters = [
            "prompt": .oneOf(["none", "login"]), "max_age": .seconds, "language": .oneOf(["da", "en", "kl"]),
            "idp_values": .any, "idp_params": .any,
            "signtext_id": ParameterRule(accepts: isWord),
            "simulation": ParameterRule(accepts: isWord),
        ]
        rules.responseMode = .formPost
        var object = RequestObjectRules()
        object.algorithms = [
            .rs256, .ps256, .es256, .rs384, .ps384, .es384, .rs512, .ps512, .es512, .hs256, .hs384, .hs512,
        ]
        object.hasNotBefore = true
        rules.object = object
        rules.check = { (request, _) throws(RelyingPartyError.Reason) in
            try check(&request, settings, form(request.delivery))
        }
        return rules
    }

    private static let isWord: @Sendable (String) -> Bool = { text in
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns the providers that a request names, after the checks of their scopes.
    private static func providers(
        _ request: LoginRequest, _ settings: MitIDSettings
    ) throws(RelyingPartyError.Reason) -> [MitIDProvider] {
        let providers = try MitIDProvider.list(request["idp_values"] ?? MitIDProvider.mitID.rawValue)
        // An age alone is no login, so that one of the others must be able to answer.
        guard providers.contains(where: { $0.rules.isLogin }) else { throw .invalidParameter("idp_values") }
        if settings.ageAuthority == nil, providers.contains(.altIDAge) { throw .configurationError }
        guard request.scopes.allSatisfy({ MitIDProviderRules.accepts($0, of: providers) }) else {
            throw .invalidParameter("scope")
        }
        try MitIDAge.check(request.scopes)
        return providers
    }

    private static func check(
        _ request: inout LoginRequest, _ settings: MitIDSettings, _ form: MitIDRequestForm
    ) throws(RelyingPartyError.Reason) {
        let providers = try providers(request, settings)
        if request["idp_values"] == nil { request.mitIDProviders = providers }
        request.notes[Note.providers] = request["idp_values"]
        let hasParameters = request.value("idp_params") != nil
        var parameters = MitIDParameters()
        if let value = request.value("idp_params") {
            parameters = try MitIDParameters(json: Array(value.text.utf8))
            try parameters.check(for: providers)
            let prompts = (request["prompt"] ?? "").split(separator: " ").map(String.init)
            try parameters.check(form, prompts: prompts, links: settings.appLinks)
            // The broker receives an object, however the parameters were written.
            request.set("idp_params", .json(parameters.json))
        }
        if let level = parameters.level {
            request.notes[Note.level] = level.parameter
        } else if let level = parameters.authenticatorLevel {
            request.notes[Note.authenticatorLevel] = level.parameter
        } else if providers.allSatisfy({ $0.rules.isMitID }),
            hasParameters || providers != [.mitID] || !MitIDAge.isAlone(request.scopes)
        {
            // This is the broker's default. Other providers state no level, and an age alone, which MitID states, needs
            // none.
            request.notes[Note.level] = NSISLevel.substantial.parameter
        }
        if parameters.allowsPrivate { request.notes[Note.allowsPrivate] = "1" }
        if parameters.requiresPSD2 { request.notes[Note.psd2] = "1" }
        request.comparedNotes[Note.uuid] = parameters.uuidHint.map { comparable($0) }
        request.comparedNotes[Note.cpr] = parameters.cprHint?.digits
        if let text = parameters.transactionText {
            // Without the scope, no token would contain the hash of the signed text.
            guard request.scopes.contains(MitIDScope.transactionToken.rawValue) else {
                throw .invalidParameter("scope")
            }
            request.notes[Note.textHash] = try MitIDClaims.textHash(of: text.content)
        }
    }

    /// The names of the values of a request that are stored until its response.
    enum Note {
        static let providers = "idp_values"
        static let level = "loa_value"
        static let authenticatorLevel = "aal_value"
        static let textHash = "transaction_text_sha256"
        static let psd2 = "require_psd2"
        static let allowsPrivate = "allow_private"
        static let uuid = "uuid_hint"
        static let cpr = "cpr_hint"
    }
}
