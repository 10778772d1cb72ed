internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

extension ProviderProfile {
    /// itsme, second generation: ID token, userinfo and assertion signed and then encrypted.
    public static let itsmeV2: ProviderProfile = {
        var profile = ProviderProfile(name: "itsme.v2", place: Itsme.second)
        profile.request = ItsmeRequestRules.rules(.second)
        profile.request.deliveries = [.query, .object, .reference("")]
        profile.request.object = Itsme.object(audience: .issuerPath("/authorization"), Itsme.seedEncryption)
        profile.client = Itsme.client([.privateKeyJWTEncrypted], Itsme.seedEncryption)
        profile.idToken = IDTokenRules(token: Itsme.nested(contentType: .exactly("JWT")), checks: Itsme.checks)
        profile.userInfo = UserInfoRules(form: .jwt(Itsme.nested(contentType: .exactly("JWT"))))
        profile.errors = Itsme.errors
        return profile
    }()
}

extension Itsme {
    static let seedEncryption = EncryptionRules(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])

    /// Nested as in the seed documents.
    static func nested(contentType: TypeRule) -> TokenRules {
        var rules = TokenRules()
        rules.layers = .nested
        rules.keyManagement = [.rsaOAEP]
        rules.contentEncryption = [.a128cbcHS256]
        rules.contentType = contentType
        return rules
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
