public import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// What a service settles with DigiD once, for its logins by OpenID Connect.
public struct DigiDOpenIDSettings: Sendable {
    /// DigiD's, as it was handed out; a sandbox has its own.
    public var issuer: String
    /// The level of a login that names none.
    public var level = DigiDLevel.midden
    /// What `signed_metadata` is verified with, as it was handed out. In production there is no login without; nil: metadata are as TLS
    /// brought them.
    public var metadataKeys: KeySet?

    /// Level ``DigiDLevel/midden``, and no key for the metadata yet.
    public init(issuer: String) { self.issuer = issuer }
}

extension ProviderProfile {
    /// DigiD app2app by OpenID Connect (`digid.oidc`). The client has a key that signs, one that decrypts, and its certificate in the
    /// transport; its identifier is a UUID. The address of a login answers with a redirect into DigiD's app: ``DigiDAppRedirect``.
    public static func digiDOpenID(_ settings: DigiDOpenIDSettings) -> ProviderProfile {
        var profile = ProviderProfile(name: "digid.oidc") { environment in
            switch environment {
            case .production: ProviderPlace(issuer: settings.issuer, isProduction: true)
            case .test: ProviderPlace(issuer: settings.issuer, isProduction: false)
            case .sandbox(let issuer): ProviderPlace(issuer: issuer, isProduction: false)
            }
        }
        profile.lifetime = DigiDSession.lifetime
        profile.directory = { (place) throws(RelyingPartyError) in
            try DigiDDirectory(place, pinned: settings.metadataKeys)
        }
        profile.request = DigiDOpenID.request
        profile.client = DigiDOpenID.client
        profile.callback.errorMayEndState = true
        profile.checkResponse = { response, transaction throws(RelyingPartyError.Reason) in
            guard let state = response.answer.string("state"),
                constantTimeEquals(state.utf8.span, transaction.state.utf8.span)
            else { throw .stateMismatch }
        }
        profile.idToken = IDTokenRules(token: DigiDOpenID.idToken, checks: DigiDOpenID.checks(settings.level))
        profile.furtherTokens = [DigiDOpenID.accessToken: DigiDOpenID.accessTokenRules]
        profile.errors = DigiDOpenID.errors
        profile.finish = { user, check, party throws(RelyingPartyError) in
            try await DigiDOpenID.finish(&user, check, party, settings.level)
        }
        return profile
    }
}

extension LoginRequest {
    /// A login with DigiD by OpenID Connect, of at least this level.
    public static func digiD(level: DigiDLevel) -> LoginRequest {
        var request = LoginRequest()
        request.notes[DigiDOpenID.levelNote] = String(level.rawValue)
        return request
    }
}

extension LoggedInUser {
    /// Whom DigiD says it is; nil where another provider does. ``subject`` is the number as well, and as little for a log.
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
        rules.object = RequestObjectRules(algorithms: [.rs256], lifetime: .seconds(60))
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
        // DigiD takes what begins with the registered URL: of a host alone, other hosts do.
        rules.acceptsRedirectURI = { uri, _ in
            guard let url = WebURL(uri), url.scheme == .https, !url.hasFragment, !url.hasUserInformation else {
                return false
            }
            return url.path.count > 1 && !url.hasQuery
        }
        return rules
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { place in
                switch (place, bytes[place]) {
                case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                    true
                case (8, _), (13, _), (18, _), (23, _): false
                default: "0123456789abcdefABCDEF".utf8.contains(bytes[place])
                }
            }
    }

    /// Its outer header has `alg` and `enc` alone.
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
        return rules
    }

    static let errors = ErrorRules { code, _, place in
        switch (place, code.description) {
        case (.authorization, "CANCELLED"): ErrorMeaning(failure: .cancelled, remedy: .tellUser)
        // Said of everything: a code that is late, a certificate, a verifier.
        case (.token, "invalid_request"): ErrorMeaning(remedy: .restart)
        default: nil
        }
    }
}
