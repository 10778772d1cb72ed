internal import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSETokens

extension ProviderProfile {
    /// Returns the profile of itsme's first generation, as the documentation of its services Login and Share Data
    /// describes it: the ID token is signed, and the userinfo response has the form that the client registered.
    ///
    /// - Parameter userInfo: The registered form of the userinfo response.
    public static func itsmeV1(userInfo: ItsmeUserInfoForm = .signed) -> ProviderProfile {
        var profile = Itsme.profile("itsme.v1", Itsme.first, .first)
        profile.request.deliveries = [.query, .object]
        profile.request.object = Itsme.object(audience: .issuerPath("/token"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWT], Itsme.earlierEncryption)
        profile.idToken = IDTokenRules(token: TokenRules(), rules: Itsme.rules)
        profile.userInfo = UserInfoRules(form: Itsme.form(userInfo))
        return profile
    }

    /// The profile of itsme's first generation, as its later documentation describes it: the ID token and the userinfo
    /// response are signed and then encrypted.
    public static let itsmeV1Nested: ProviderProfile = {
        var profile = Itsme.profile("itsme.v1.nested", Itsme.first, .first)
        profile.request.deliveries = [.query, .object]
        profile.request.object = Itsme.object(audience: .issuerPath("/authorization"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWTEncrypted], Itsme.earlierEncryption)
        let token = Itsme.nested(contentType: .absentOr("JWT"))
        profile.idToken = IDTokenRules(token: token, rules: Itsme.rules)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        return profile
    }()

    /// The profile of itsme's second generation: the ID token, the userinfo response and the client assertion are
    /// signed and then encrypted.
    public static let itsmeV2: ProviderProfile = {
        var profile = Itsme.profile("itsme.v2", Itsme.second, .second)
        profile.request.deliveries = [.query, .object, .reference("")]
        profile.request.object = Itsme.object(audience: .issuerPath("/authorization"), Itsme.earlierEncryption)
        profile.client = Itsme.client([.privateKeyJWTEncrypted], Itsme.earlierEncryption)
        let token = Itsme.nested(contentType: .exactly("JWT"))
        profile.idToken = IDTokenRules(token: token, rules: Itsme.secondRules)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        return profile
    }()

    /// The profile of the current generation of itsme for clients with a key pair, with PKCE and with stronger
    /// algorithms than before.
    public static let itsmeKey: ProviderProfile = {
        var profile = Itsme.profile("itsme.now.key", Itsme.second, .today)
        profile.request.deliveries = [.query, .object, .reference("")]
        profile.request.object = Itsme.object(audience: .issuer, Itsme.todaysEncryption)
        profile.client = Itsme.client([.privateKeyJWT, .privateKeyJWTEncrypted], Itsme.todaysEncryption)
        profile.idToken = IDTokenRules(token: Itsme.todaysToken, rules: Itsme.rules)
        profile.userInfo = UserInfoRules(form: .jwt(Itsme.todaysToken))
        return profile
    }()

    /// Returns the profile of the current generation of itsme for clients with a client secret.
    ///
    /// - Parameters:
    ///   - signature: The registered signature algorithm of ID tokens and userinfo responses.
    ///   - isOnboardedBeforeJune2025: Whether the client was registered before June 2025. Such clients use another
    ///     issuer, at which tokens can be revoked.
    public static func itsmeSecret(
        signature: ItsmeSecretSignature = .rs256, isOnboardedBeforeJune2025: Bool = false
    ) -> ProviderProfile {
        var profile = Itsme.profile(
            "itsme.now.secret", isOnboardedBeforeJune2025 ? Itsme.secretClients : Itsme.second, .today)
        profile.client.authentication = [.clientSecretPost]
        profile.client.acceptsRedirectURI = Itsme.acceptsRedirectURI
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
        profile.idToken = IDTokenRules(token: token, rules: Itsme.rules)
        profile.userInfo = UserInfoRules(form: .jwt(token))
        profile.session.supportsRevocation = isOnboardedBeforeJune2025
        return profile
    }
}

/// The form of the userinfo response that a client of itsme's first generation registered.
public enum ItsmeUserInfoForm: Sendable {
    /// A signed JWT, an encrypted JWT without a signature, a signed and then encrypted JWT (`nested`), or plain JSON.
    case signed, encrypted, nested, json
}

/// The signature algorithm of ID tokens and userinfo responses for a client with a client secret.
public enum ItsmeSecretSignature: Sendable {
    /// RS256 with itsme's key, or HS256 with the client secret.
    case rs256, hs256
}

extension Itsme {
    /// The algorithms of messages to itsme in the first and the second generation.
    static let earlierEncryption = EncryptionRules(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
    /// The algorithms of messages to itsme today.
    static let todaysEncryption = EncryptionRules(
        keyManagement: [.rsaOAEP256, .rsaOAEP], contentEncryption: [.a128cbcHS256])

    /// The issuers for clients with a secret that were registered before June 2025.
    static let secretClients = Issuers(
        test: "https://oidc.e2e.itsme.services/clientsecret-oidc/csapi/v0.1",
        production: "https://oidc.prd.itsme.services/clientsecret-oidc/csapi/v0.1")

    /// Returns the profile that all generations share.
    static func profile(
        _ name: String, _ issuers: Issuers, _ generation: Generation
    ) -> ProviderProfile {
        var profile = ProviderProfile(name: name, production: issuers.production, test: issuers.test)
        profile.testKeys = .ofTests
        profile.productionDomains = ["prd.itsme.services", "merchant.itsme.be"]
        profile.request = ItsmeRequestRules.rules(generation)
        profile.errors = errors
        return profile
    }

    /// Returns the rules of a token that is signed and then encrypted, as the first and the second generation have it.
    static func nested(contentType: TypeRule) -> TokenRules {
        var rules = TokenRules()
        rules.layers = .nested
        rules.keyManagement = [.rsaOAEP]
        rules.contentEncryption = [.a128cbcHS256]
        rules.contentType = contentType
        return rules
    }

    /// The rules of a token that is signed and then encrypted, as today's generation has it.
    static var todaysToken: TokenRules {
        var rules = nested(contentType: .exactly("JWT"))
        rules.keyManagement = [.rsaOAEP256, .rsaOAEP]
        rules.contentEncryption = [.a128cbcHS256, .a256cbcHS512, .a128gcm, .a256gcm]
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

    static func object(audience: AssertionAudience, _ encryption: EncryptionRules) -> RequestObjectRules {
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
        rules.acceptsRedirectURI = acceptsRedirectURI
        rules.assertionAudience = .issuerPath("/token")
        rules.assertionEncryption = encryption
        return rules
    }
}
