internal import JOSE
internal import JOSETokens

/// The layers and algorithms of a token. The profile fixes them; nothing is learned from the token.
struct TokenRules: Sendable {
    enum Layers: Sendable {
        case signed
        /// A JWS in a JWE.
        case nested
        /// A JWE alone, for userinfo that is registered so.
        case encrypted
    }
    enum VerificationKeys: Sendable {
        /// The keys that the provider publishes.
        case provider
        /// The client's secret, for HMAC.
        case secret
    }
    enum DecryptionKeys: Sendable {
        /// The client's own keys.
        case client
        /// The leftmost bits of the SHA-256 digest of the client's secret (OpenID Connect Core, 10.2).
        case secretDigest
    }
    var layers = Layers.signed
    var algorithms: [SignatureAlgorithm] = [.rs256]
    var keyManagement: [KeyManagementAlgorithm] = []
    var contentEncryption: [ContentEncryption] = []
    /// The type (`typ`) of the signature layer.
    var type = TypeRule.absentOr("JWT")
    /// The types of other kinds of token, in lower case, if ``type`` does not exclude them.
    var refusedTypes: [String] = []
    /// Whether a token without `kid` is accepted although the provider has several keys.
    var triesEveryKey = true
    /// The content type (`cty`) of the encryption layer.
    var contentType = TypeRule.exactly("JWT")
    var verification = VerificationKeys.provider
    /// Returns those of the provider's keys that may sign such tokens.
    var selectsKeys: @Sendable (any KeySource) -> any KeySource = { $0 }
    var decryption = DecryptionKeys.client
    var limits = ParsingLimits.standard
}

/// The rules for ID tokens.
struct IDTokenRules: Sendable {
    var token = TokenRules()
    /// The rules in their order. The error is that of the first rule that is not met.
    var rules: [LoginRule] = [
        .issuer, .audience(trusted: []), .authorizedParty, .expiration, .notBefore, .issuedAt, .nonce, .acr,
        .accessTokenHash, .codeHash, .authenticationTime, .subject,
    ]
    /// The seconds by which clocks may differ.
    var leeway = 60.0
    /// Returns `auth_time` as the provider writes it, in seconds since 1970; nil if it is absent.
    var authenticationTime: @Sendable (LoginContext) throws(RelyingPartyError.Reason) -> Double? = {
        (login) throws(RelyingPartyError.Reason) in try login.time("auth_time")
    }
}

/// The rules for userinfo responses.
struct UserInfoRules: Sendable {
    enum Form: Sendable {
        /// `application/json`.
        case json
        /// `application/jwt`.
        case jwt(TokenRules)
    }
    var form: Form
    /// The rules that are checked after that of `sub`. If the response is signed, `iss` and `aud` are checked before them.
    var rules: [LoginRule] = []
}
