public import JOSE

/// What a client registered with a provider that speaks plain OpenID Connect.
public struct OpenIDOptions: Sendable {
    /// `id_token_signed_response_alg`, and of userinfo where that is signed (threat R10).
    public var signature: [SignatureAlgorithm] = [.rs256]
    /// `id_token_encrypted_response_alg` and `enc`, and of userinfo where that is nested; empty: ID tokens are signed alone.
    public var keyManagement: [KeyManagementAlgorithm] = []
    /// Of what is encrypted.
    public var contentEncryption: [ContentEncryption] = [.a128cbcHS256, .a256gcm]
    /// How userinfo comes.
    public enum UserInfo: Sendable {
        /// It is not asked for; as JSON; as a JWS; as a JWS in a JWE.
        case none, json, signed, nested
    }
    /// How userinfo comes.
    public var userInfo = UserInfo.json
    /// Those that may be used, the best first.
    public var authentication: [ClientAuthentication] = [
        .privateKeyJWT, .clientSecretBasic(isFormEncoded: true), .clientSecretPost,
    ]
    /// Whether assertions are for the token endpoint's address, as OpenID Connect Core, 9 once had it, and not for the issuer alone.
    public var assertionsAreForTokenEndpoint = false
    /// Whether the callback is a POST from the provider's page.
    public var answersByFormPost = false
    /// Further scopes are the request's; this is whether the request is pushed beforehand (RFC 9126).
    public var pushesRequests = false

    /// The values above.
    public init() {}
}

extension ProviderProfile {
    /// A provider that speaks OpenID Connect without peculiarities. Where the environment is a sandbox, its issuer counts.
    public static func openID(issuer: String, options: OpenIDOptions = OpenIDOptions()) -> ProviderProfile {
        var profile = ProviderProfile(name: "openid") { environment in
            if case .sandbox(let issuer) = environment { return ProviderPlace(issuer: issuer, isProduction: false) }
            return ProviderPlace(issuer: issuer, isProduction: environment == .production)
        }
        profile.client.authentication = options.authentication
        profile.client.assertionAudience = options.assertionsAreForTokenEndpoint ? .tokenEndpoint : .issuer
        profile.request.object = RequestObjectRules(algorithms: [.rs256, .ps256, .es256])
        profile.request.deliveries = [.query, .object, .pushed, .pushedParameters]
        if options.pushesRequests { profile.request.deliveries.reverse() }
        if options.answersByFormPost { profile.request.responseMode = .formPost }
        var token = TokenRules()
        token.algorithms = options.signature
        if !options.keyManagement.isEmpty {
            token.layers = .nested
            token.keyManagement = options.keyManagement
            token.contentEncryption = options.contentEncryption
        }
        profile.idToken.token = token
        switch options.userInfo {
        case .none: profile.userInfo = nil
        case .json: profile.userInfo = UserInfoRules(form: .json)
        case .nested: profile.userInfo = UserInfoRules(form: .jwt(token))
        case .signed:
            token.layers = .signed
            profile.userInfo = UserInfoRules(form: .jwt(token))
        }
        profile.logout = LogoutRules(
            isInitiated: true, tokenType: .exactly("logout+jwt"), refreshes: true, revokes: true)
        return profile
    }
}
