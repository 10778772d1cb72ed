internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

extension ProviderProfile {
    /// itsme, first generation, as its documents of Login and Share Data have it: a signed ID token, and userinfo as the client
    /// registered it.
    public static func itsmeV1(userInfo: ItsmeUserInfoForm = .signed) -> ProviderProfile {
        var profile = Itsme.profile("itsme.v1", Itsme.first, .first)
        profile.request.deliveries = [.query, .object]
        profile.request.object = Itsme.object(audience: .issuerPath("/token"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWT], Itsme.earlierEncryption)
        profile.idToken = IDTokenRules(token: TokenRules(), checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: Itsme.form(userInfo))
        return profile
    }

    /// itsme, first generation, as later documents have it: everything signed and then encrypted.
    public static let itsmeV1Nested: ProviderProfile = {
        var profile = Itsme.profile("itsme.v1.nested", Itsme.first, .first)
        profile.request.deliveries = [.query, .object]
        profile.request.object = Itsme.object(audience: .issuerPath("/authorization"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWTEncrypted], Itsme.earlierEncryption)
        let token = Itsme.nested(contentType: .absentOr("JWT"))
        profile.idToken = IDTokenRules(token: token, checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        return profile
    }()

    /// itsme, second generation: ID token, userinfo and assertion signed and then encrypted.
    public static let itsmeV2: ProviderProfile = {
        var profile = Itsme.profile("itsme.v2", Itsme.second, .second)
        profile.request.deliveries = [.query, .object, .reference("")]
        profile.request.object = Itsme.object(audience: .issuerPath("/authorization"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWTEncrypted], Itsme.earlierEncryption)
        let token = Itsme.nested(contentType: .exactly("JWT"))
        profile.idToken = IDTokenRules(token: token, checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        return profile
    }()

    /// itsme as it is today, for clients with keys: PKCE, and the stronger algorithms.
    public static let itsmeKey: ProviderProfile = {
        var profile = Itsme.profile("itsme.now.key", Itsme.second, .today)
        profile.request.deliveries = [.query, .object, .reference("")]
        profile.request.object = Itsme.object(audience: .issuer, Itsme.todaysEncryption)
        profile.client = Itsme.client([.privateKeyJWT, .privateKeyJWTEncrypted], Itsme.todaysEncryption)
        var token = Itsme.nested(contentType: .exactly("JWT"))
        token.keyManagement = [.rsaOAEP256, .rsaOAEP]
        token.contentEncryption = [.a128cbcHS256, .a256cbcHS512, .a128gcm, .a256gcm]
        profile.idToken = IDTokenRules(token: token, checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        return profile
    }()

    /// itsme as it is today, for clients with a secret. `signature`: as it was registered. `isOnboardedBeforeJune2025`: the provider is
    /// then elsewhere, and revokes tokens.
    public static func itsmeSecret(
        signature: ItsmeSecretSignature = .rs256, isOnboardedBeforeJune2025: Bool = false
    ) -> ProviderProfile {
        var profile = Itsme.profile(
            "itsme.now.secret", isOnboardedBeforeJune2025 ? Itsme.secretClients : Itsme.second, .today)
        profile.client.authentication = [.clientSecretPost]
        var token = TokenRules()
        token.layers = .nested
        token.keyManagement = [.dir]
        token.contentEncryption = [.a256gcm]
        token.contentType = .absentOr("JWT")
        token.decryption = .secretDigest
        if signature == .hs256 {
            token.algorithms = [.hs256]
            token.verification = .secret
        }
        profile.idToken = IDTokenRules(token: token, checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        profile.logout.revokes = isOnboardedBeforeJune2025
        return profile
    }
}

/// How a client of the first generation registered its userinfo.
public enum ItsmeUserInfoForm: Sendable {
    /// A JWS; a JWE alone; a JWS in a JWE; plain JSON.
    case signed, encrypted, nested, json
}

/// What the tokens of a client with a secret are signed with.
public enum ItsmeSecretSignature: Sendable {
    /// itsme's key, or the client's secret.
    case rs256, hs256
}

extension Itsme {
    static let earlierEncryption = EncryptionRules(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
    static let todaysEncryption = EncryptionRules(
        keyManagement: [.rsaOAEP256, .rsaOAEP], contentEncryption: [.a128cbcHS256])

    static let secretClients = place(
        test: "https://oidc.e2e.itsme.services/clientsecret-oidc/csapi/v0.1",
        production: "https://oidc.prd.itsme.services/clientsecret-oidc/csapi/v0.1")

    /// What every generation has.
    static func profile(
        _ name: String, _ place: @escaping @Sendable (ProviderEnvironment) -> ProviderPlace?, _ generation: Generation
    ) -> ProviderProfile {
        var profile = ProviderProfile(name: name, place: place)
        profile.request = ItsmeRequestRules.rules(generation)
        profile.errors = errors
        return profile
    }

    /// Returns the rules of a signed and then encrypted token, as the first two generations have it.
    static func nested(contentType: TypeRule) -> TokenRules {
        var rules = TokenRules()
        rules.layers = .nested
        rules.keyManagement = [.rsaOAEP]
        rules.contentEncryption = [.a128cbcHS256]
        rules.contentType = contentType
        return rules
    }

    static func form(_ form: ItsmeUserInfoForm) -> UserInfoRules.Form {
        switch form {
        case .json: return .json
        case .signed: return .jwt(TokenRules())
        case .nested: return .jwt(nested(contentType: .absentOr("JWT")))
        case .encrypted:
            var rules = nested(contentType: .any)
            rules.layers = .encrypted
            return .jwt(rules)
        }
    }

    static func object(audience: AudienceRuleOfProfile, _ encryption: EncryptionRules) -> RequestObjectRules {
        var rules = RequestObjectRules()
        rules.audience = audience
        rules.encryption = encryption
        rules.acceptsURI = ItsmeRequestRules.isRequestURI
        return rules
    }

    static func client(
        _ authentication: [ClientAuthentication], _ encryption: EncryptionRules
    ) -> ClientRules {
        var rules = ClientRules()
        rules.authentication = authentication
        rules.assertionAlgorithms = [.rs256]
        rules.assertionAudience = .issuerPath("/token")
        rules.assertionEncryption = encryption
        return rules
    }
}
