public import JOSE

/// The client's registration with a provider of standard OpenID Connect. The values must match those that the provider
/// has registered.
public struct OpenIDOptions: Sendable {
    /// The accepted signature algorithms of ID tokens (`id_token_signed_response_alg`), and of userinfo if it is signed
    /// (threat R10).
    public var signature: [SignatureAlgorithm] = [.rs256]
    /// The accepted key management algorithms of ID tokens (`id_token_encrypted_response_alg`), and of userinfo if it
    /// is signed and encrypted. If the list is empty, ID tokens are signed and not encrypted.
    public var keyManagement: [KeyManagementAlgorithm] = []
    /// The accepted content encryption algorithms of encrypted tokens (`id_token_encrypted_response_enc`).
    public var contentEncryption: [ContentEncryption] = [.a128cbcHS256, .a256gcm]
    /// The format of the userinfo response.
    public enum UserInfo: Sendable {
        /// `none`: the userinfo endpoint is not used. `json`: it returns plain JSON. `signed`: it returns a JWS.
        /// `nested`: it returns a JWS that is encrypted in a JWE.
        case none, json, signed, nested
    }
    /// The format of the userinfo response.
    public var userInfo = UserInfo.json
    /// Whether signed userinfo has `iss` and `aud`, which are then required
    /// (``UserInfoRules/requiresIssuerAndAudience``).
    public var userInfoHasIssuerAndAudience = true
    /// The accepted methods of client authentication, the preferred one first.
    public var authentication: [ClientAuthentication] = [
        .privateKeyJWT, .clientSecretBasic(isFormEncoded: true), .clientSecretPost,
    ]
    /// Whether the audience of client assertions is the URL of the token endpoint (OpenID Connect Core, 9). By default
    /// it is the issuer alone.
    public var assertionsAreForTokenEndpoint = false
    /// Whether the provider delivers the authorization response by POST (`response_mode=form_post`) and not in the
    /// query of the redirect URI.
    public var answersByFormPost = false
    /// Whether authorization requests are pushed to the provider by default (RFC 9126).
    public var pushesRequests = false

    /// Creates options with the default values.
    public init() {}
}

extension ProviderProfile {
    /// Returns the profile of a provider that uses OpenID Connect without extensions or deviations of its own.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the provider. The environment `.sandbox(issuer:)` replaces it.
    ///   - options: The client's registration with the provider.
    public static func openID(issuer: String, options: OpenIDOptions = OpenIDOptions()) -> ProviderProfile {
        var profile = ProviderProfile(name: "openid", production: issuer, test: issuer)
        profile.client.authentication = options.authentication
        profile.client.assertionAudience = options.assertionsAreForTokenEndpoint ? .tokenEndpoint : .issuer
        profile.request.object = RequestObjectRules(algorithms: [.rs256, .ps256, .es256])
        profile.request.deliveries = [.query, .object, .pushed, .pushedParameters]
        if options.pushesRequests { profile.request.deliveries.reverse() }
        if options.answersByFormPost { profile.request.responseMode = .formPost }
        profile.backChannel = BackChannelRules()
        var token = TokenRules(algorithms: options.signature)
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
        profile.userInfo?.requiresIssuerAndAudience = options.userInfoHasIssuerAndAudience
        profile.session.supportsLogout = true
        profile.session.logoutTokenType = .exactly("logout+jwt")
        profile.session.supportsRefresh = true
        profile.session.supportsRevocation = true
        return profile
    }
}
