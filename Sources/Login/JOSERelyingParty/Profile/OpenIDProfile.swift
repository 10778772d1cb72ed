public import JOSE

/// The registration of a client with a provider that uses OpenID Connect without a profile of its own.
public struct OpenIDOptions: Sendable {
    /// The accepted signature algorithms of ID tokens (`id_token_signed_response_alg`), and of userinfo if it is signed (threat
    /// R10).
    public var signature: [SignatureAlgorithm] = [.rs256]
    /// The accepted key management algorithms of ID tokens (`id_token_encrypted_response_alg`), and of userinfo if it is nested.
    /// If empty, ID tokens are only signed.
    public var keyManagement: [KeyManagementAlgorithm] = []
    /// The accepted content encryption algorithms of tokens that are encrypted (`id_token_encrypted_response_enc`).
    public var contentEncryption: [ContentEncryption] = [.a128cbcHS256, .a256gcm]
    /// The form of the userinfo response.
    public enum UserInfo: Sendable {
        /// The userinfo endpoint is not used; it responds with JSON; with a JWS; with a JWS in a JWE.
        case none, json, signed, nested
    }
    /// The form of the userinfo response.
    public var userInfo = UserInfo.json
    /// The accepted methods of client authentication, the preferred one first.
    public var authentication: [ClientAuthentication] = [
        .privateKeyJWT, .clientSecretBasic(isFormEncoded: true), .clientSecretPost,
    ]
    /// Whether the audience of client assertions is the URL of the token endpoint (OpenID Connect Core, 9). By default it is the
    /// issuer alone.
    public var assertionsAreForTokenEndpoint = false
    /// Whether the callback is a POST from the provider's page (`response_mode=form_post`).
    public var answersByFormPost = false
    /// Whether requests are pushed to the provider (RFC 9126).
    public var pushesRequests = false

    /// Creates options with the default values.
    public init() {}
}

extension ProviderProfile {
    /// Returns the profile of a provider that uses OpenID Connect without peculiarities.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the provider. In the environment `.sandbox(issuer:)`, that issuer is used instead.
    ///   - options: The registration of the client.
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
