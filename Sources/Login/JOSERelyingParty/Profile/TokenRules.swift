public import JOSE
internal import JOSESupport

/// The layers and algorithms of a token. The profile fixes them; nothing is learned from the token.
public struct TokenRules: Sendable {
    /// The layers of a token.
    @nonexhaustive public enum Layers: Sendable {
        /// A JWS.
        case signed
        /// A JWS in a JWE.
        case nested
        /// A JWE alone, for userinfo that is registered so. Anyone can encrypt to the client, so that only the
        /// connection to the provider authenticates the claims.
        case encrypted
    }
    /// The keys that verify signatures.
    @nonexhaustive public enum VerificationKeys: Sendable {
        /// The keys that the provider publishes.
        case provider
        /// The client secret, for HMAC (OpenID Connect Core, 10.1).
        case secret
    }
    /// The keys that decrypt.
    @nonexhaustive public enum DecryptionKeys: Sendable {
        /// The client's own keys.
        case client
        /// The leftmost bits of the SHA-256 digest of the client secret (OpenID Connect Core, 10.2).
        case secretDigest
    }
    /// The layers of the token. By default it is signed.
    public var layers = Layers.signed
    /// The accepted signature algorithms.
    public var algorithms: [SignatureAlgorithm]
    /// The accepted key management algorithms of an encrypted token.
    public var keyManagement: [KeyManagementAlgorithm] = []
    /// The accepted content encryption algorithms of an encrypted token.
    public var contentEncryption: [ContentEncryption] = []
    /// The type (`typ`) of the signature layer. With `.any` the types of other kinds of token, such as `logout+jwt`,
    /// are rejected all the same, except for ``acceptedTypes`` (RFC 8725, 3.11).
    public var type = TypeRule.absentOr("JWT")
    /// The types of other kinds of token that are accepted if ``type`` is `.any`, for a provider that gives its tokens
    /// the type of another kind, such as `at+jwt`.
    public var acceptedTypes: [String] = []
    /// Whether a token without `kid` is accepted although the provider has several keys that could have signed it.
    public var acceptsMissingKeyID = true
    /// The content type (`cty`) of the encryption layer.
    public var contentType = TypeRule.exactly("JWT")
    /// The keys that verify the signature.
    public var verification = VerificationKeys.provider
    /// Returns those of the provider's keys that may sign such tokens. By default all may.
    public var selectKeys: @Sendable (any KeySource) -> any KeySource = { $0 }
    /// The keys that decrypt the token.
    public var decryption = DecryptionKeys.client
    /// The limits of the token.
    public var limits = ParsingLimits.standard

    /// Creates rules for tokens that are signed with a key of the provider.
    ///
    /// - Parameter algorithms: The accepted signature algorithms.
    public init(algorithms: [SignatureAlgorithm] = [.rs256]) { self.algorithms = algorithms }
}

/// The rules for ID tokens.
public struct IDTokenRules: Sendable {
    /// The layers and algorithms.
    public var token: TokenRules
    /// The rules for the claims in their order. The error is that of the first rule that is not met.
    ///
    /// Whatever the rules are, these are checked after them. What a provider does not document may be absent, and if it
    /// is present, it must be right:
    ///
    /// - `azp` must be the client, `at_hash` the hash of the access token, and `c_hash` that of the code (OpenID
    ///   Connect Core, 3.1.3.7, 3.1.3.8 and 3.3.2.11).
    /// - `events` must be absent, because security event tokens and logout tokens have it (RFC 8417, 4; OpenID Connect
    ///   Back-Channel Logout 1.0, 2.4).
    /// - `jti` must be a string, and `auth_time` a time if `max_age` was requested.
    /// - `sub` must be present and have 1 to 255 ASCII characters (OpenID Connect Core, 2).
    public var rules: [LoginRule]
    /// The time by which clocks may differ, at most 300 seconds: 60 seconds by default.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Double { leeway.inSeconds }
    /// Returns `auth_time` as the provider writes it; nil if it is absent. An error that the function throws ends a
    /// login only if `max_age` was requested. Otherwise the login has no such time, because some providers write text
    /// that is none.
    public var authenticationTime: @Sendable (LoginContext) throws(RelyingPartyError.Reason) -> NumericDate? = {
        (login) throws(RelyingPartyError.Reason) in try login.date("auth_time")
    }

    /// Returns the time of a login, whose `auth_time` is checked only if `max_age` was requested.
    func timeOfAuthentication(_ login: LoginContext) throws(RelyingPartyError.Reason) -> NumericDate? {
        if login.maximumAge == nil { return try? authenticationTime(login) }
        return try authenticationTime(login)
    }

    /// The rules for every ID token, which no profile can leave out.
    package static let always: [LoginRule] = ifPresent + [.subject]
    /// The rules of `IDTokenProfile` for what may be absent, and must be right if it is present.
    package static let ifPresent: [LoginRule] = IDTokenProfile.rules.compactMap { rule in
        switch rule {
        case .authorizedParty: .authorizedPartyIfPresent
        case .accessTokenHash, .codeHash, .forbidden, .tokenID: LoginRule(rule)
        default: nil
        }
    }

    /// Returns the rules of OpenID Connect Core, 3.1.3.7, in this order: issuer, audience, authorized party,
    /// expiration, not before, issued at, nonce, level, hashes of access token and code, authentication time, subject,
    /// no `events`, and the type of `jti`.
    ///
    /// - Parameter levels: The rule for `acr`, for a provider whose levels of assurance are ordered; see
    ///   ``LoginRule/acr(rank:)``. By default `acr` must be one of the requested values.
    public static func openIDRules(levels: LoginRule = .acr) -> [LoginRule] {
        IDTokenProfile.rules.map { rule in
            if case .acr = rule { levels } else { LoginRule(rule) }
        }
    }

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - token: The layers and algorithms.
    ///   - rules: The rules for the claims in their order. A list without ``LoginRule/issuer``,
    ///     ``LoginRule/audience(trusted:)``, ``LoginRule/expiration`` and ``LoginRule/nonce`` accepts tokens that were
    ///     not issued for this login.
    public init(token: TokenRules = TokenRules(), rules: [LoginRule] = IDTokenRules.openIDRules()) {
        self.token = token
        self.rules = rules
    }
}

/// The rules for userinfo responses.
public struct UserInfoRules: Sendable {
    /// The form of the response.
    @nonexhaustive public enum Form: Sendable {
        /// `application/json`.
        case json
        /// `application/jwt`.
        case jwt(TokenRules)
    }
    /// The form of the response. Any other form is rejected.
    public var form: Form
    /// Whether the provider's signed responses have `iss` and `aud`. By default they must have both. Without them a
    /// signed response is tied to the login by `sub` and by the connection, as plain JSON is.
    public var requiresIssuerAndAudience = true
    /// The rules that are checked after that of `sub`, which must be the one of the ID token. `iss` and `aud` are
    /// checked before them: they are required in a response that is signed if ``requiresIssuerAndAudience`` is set, and
    /// compared in every other one if they are present (OpenID Connect Core, 5.3.2). In a response that is a token, so
    /// are `exp`, `nbf` and `iat`. No other claim is checked unless a rule requires it.
    public var rules: [LoginRule]

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - form: The form of the response.
    ///   - rules: The rules for the claims, in their order.
    public init(form: Form, rules: [LoginRule] = []) {
        self.form = form
        self.rules = rules
    }
}
