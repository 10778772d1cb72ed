internal import JOSE
internal import JOSETokens

/// The layers of a token, fixed by the profile; nothing is learnt from the token.
struct TokenRules: Sendable {
    enum Layers: Sendable {
        case signed
        /// A JWS in a JWE.
        case nested
        /// A JWE alone; for userinfo where it was registered so.
        case encrypted
    }
    enum VerificationKeys: Sendable {
        /// Those that the provider publishes.
        case provider
        /// The client's secret, for HMAC.
        case secret
    }
    enum DecryptionKeys: Sendable {
        /// The client's own.
        case client
        /// The left-most bits of SHA-256 over the client's secret (OpenID Connect Core, 10.2).
        case secretDigest
    }
    var layers = Layers.signed
    var algorithms: [SignatureAlgorithm] = [.rs256]
    var keyManagement: [KeyManagementAlgorithm] = []
    var contentEncryption: [ContentEncryption] = []
    /// `typ` of the signature layer.
    var type = TypeRule.absentOr("JWT")
    /// Kinds of token that are another's, where `type` lets all else pass; in lower case.
    var refusedTypes: [String] = []
    /// Whether a token without `kid` is taken though the provider has several keys.
    var triesEveryKey = true
    /// `cty` of the encryption layer.
    var contentType = TypeRule.exactly("JWT")
    var verification = VerificationKeys.provider
    /// Which of the provider's keys may sign such tokens, where not all may.
    var selectsKeys: @Sendable (any KeySource) -> any KeySource = { $0 }
    var decryption = DecryptionKeys.client
    var limits = ParsingLimits.standard
}

/// What an ID token must be.
struct IDTokenRules: Sendable {
    var token = TokenRules()
    /// In this order; the first that fails is the one that is told.
    var checks: [ClaimCheck] = [
        .issuer, .audience(trusted: []), .authorizedParty, .expiration, .notBefore, .issuedAt, .nonce,
        .acrIfRequested, .accessTokenHash, .codeHash, .authenticationAge, .subject,
    ]
    /// Seconds by which clocks may differ.
    var leeway = 60.0
    /// `auth_time` as the provider writes it; nil where it is absent.
    var authenticationTime: @Sendable (LoginCheck) throws(RelyingPartyError.Reason) -> Double? = {
        (check) throws(RelyingPartyError.Reason) in try check.time("auth_time")
    }
}

/// What a userinfo answer must be.
struct UserInfoRules: Sendable {
    enum Form: Sendable {
        /// `application/json`.
        case json
        /// `application/jwt`.
        case jwt(TokenRules)
    }
    var form: Form
    /// Once `sub` was compared; of what is signed, `iss` and `aud` were before.
    var checks: [ClaimCheck] = []
}
