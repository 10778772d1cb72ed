public import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// The settings of a service for logins with DigiD by OpenID Connect.
public struct DigiDOpenIDSettings: Sendable {
    /// The issuer URL of DigiD, which DigiD supplies when the service is registered. A sandbox uses its own issuer
    /// instead.
    package var issuer: String
    /// The lowest accepted level of assurance, for login requests that do not specify one.
    public var level = DigiDLevel.midden
    /// The keys that verify `signed_metadata`, which DigiD supplies when the service is registered. Production requires
    /// them. In other environments they may be nil, and only TLS then authenticates the metadata.
    public var metadataKeys: KeySet?

    /// Creates settings with the level ``DigiDLevel/midden`` and without keys for the signed metadata.
    ///
    /// - Parameter issuer: The issuer URL of DigiD.
    public init(issuer: String) { self.issuer = issuer }
}

extension ProviderProfile {
    /// Returns the profile for logins from app to app with DigiD by OpenID Connect (`digid.oidc`).
    ///
    /// The client needs a signing key, a decryption key and a TLS client certificate in its transport, and its
    /// `client_id` is a UUID. The service's app requests the authorization URL. DigiD responds with a redirect to its
    /// own app, which ``DigiDAppRedirect`` validates.
    ///
    /// - Parameter settings: The settings of the service.
    public static func digiDOpenID(_ settings: DigiDOpenIDSettings) -> ProviderProfile {
        var profile = ProviderProfile(name: "digid.oidc", production: settings.issuer, test: settings.issuer)
        profile.lifetime = DigiDSession.lifetime
        profile.directory = { (directory) throws(RelyingPartyError) in
            try DigiDDirectory(directory, pinned: settings.metadataKeys)
        }
        profile.request = DigiDOpenID.request
        profile.client = DigiDOpenID.client
        profile.callback.errorMayEndState = true
        profile.checkResponse = { response, transaction throws(RelyingPartyError.Reason) in
            guard let state = response.answer.string("state"),
                constantTimeEquals(state.utf8.span, transaction.state.utf8.span)
            else { throw .stateMismatch }
        }
        profile.idToken = IDTokenRules(token: DigiDOpenID.idToken, rules: DigiDOpenID.rules(settings.level))
        profile.furtherTokens = [DigiDOpenID.accessToken: DigiDOpenID.accessTokenRules]
        profile.errors = DigiDOpenID.errors
        profile.finish = { user, login, party throws(RelyingPartyError) in
            try await DigiDOpenID.finish(&user, login, party, settings.level)
        }
        return profile
    }
}

extension LoginRequest {
    /// Returns a request for a login with DigiD by OpenID Connect.
    ///
    /// - Parameter level: The lowest accepted level of assurance.
    public static func digiD(level: DigiDLevel) -> LoginRequest {
        var request = LoginRequest()
        request.notes[DigiDOpenID.levelNote] = String(level.rawValue)
        return request
    }
}

extension LoggedInUser {
    /// The user as DigiD has identified them; nil after a login with another provider. Both this value and `subject`
    /// contain the citizen service number, and neither may be logged.
    public var digiD: DigiDUser? { providerValues[DigiDOpenID.userNote] as? DigiDUser }
}

enum DigiDOpenID {
    static let levelNote = "digid-level"
    static let userNote = "digid"
    static let accessToken = "access_token"

    static var request: RequestRules {
        var rules = RequestRules()
        rules.parameters = [:]
        rules.deliveries = [.object]
        rules.object = RequestObjectRules()
        rules.object?.lifetime = .seconds(60)
        rules.check = { request, _ throws(RelyingPartyError.Reason) in
            guard request.scopes == ["openid"] else { throw .invalidParameter("scope") }
        }
        return rules
    }

    static var client: ClientRules {
        var rules = ClientRules()
        rules.authentication = [.tlsClientAuth]
        rules.repeatsRedirectURI = false
        rules.acceptsID = isUUID
        // DigiD accepts every URL that begins with the registered one. If that were only a host, other hosts would
        // match.
        rules.acceptsRedirectURI = { uri, _ in
            guard let url = ClientRules.redirectURL(uri) else { return false }
            return url.path.count > 1 && !url.hasQuery
        }
        return rules
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { index in
                switch (index, bytes[index]) {
                case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                    true
                case (8, _), (13, _), (18, _), (23, _): false
                default: "0123456789abcdefABCDEF".utf8.contains(bytes[index])
                }
            }
    }

    /// The rules of ID tokens. Their outer header has only `alg` and `enc`.
    static var idToken: TokenRules {
        var rules = TokenRules()
        rules.layers = .nested
        rules.keyManagement = [.rsaOAEP]
        rules.contentEncryption = [.a256gcm]
        rules.contentType = .absentOr("JWT")
        return rules
    }

    static var accessTokenRules: TokenRules {
        var rules = TokenRules()
        rules.type = .any
        rules.acceptedTypes = [TokenKind.accessToken.rawValue]
        return rules
    }

    static let errors = ErrorRules { code, _, endpoint in
        switch (endpoint, code.description) {
        case (.authorization, "CANCELLED"): ErrorMeaning(.cancelled, action: .tellUser)
        // DigiD sends this code for a late code, for a wrong certificate and for a wrong verifier alike.
        case (.token, "invalid_request"): ErrorMeaning(action: .restart)
        default: nil
        }
    }
}
