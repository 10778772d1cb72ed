public import JOSE

/// The requirements for OpenID Connect ID tokens at a client (OpenID Connect Core, 2 and 3.1.3.7).
///
/// These properties of `claims` may be set: `clock`, `leeway`, `acceptedACR`, `maximumAuthenticationAge`, `nonce`,
/// `trustedAudiences` and `authorizedParty`. The profile adds the requirements of OpenID Connect Core. `aud` may
/// contain the client and the `trustedAudiences`, of which there are none by default, and no other audience (3.1.3.7,
/// step 3). An `authorizedParty` is the required value of `azp` in place of the client, such as an app that obtains ID
/// tokens for its back end.
///
/// The profile sets the `type` of the signature and, of the claims, `audience`, `requiresExpiration`, `accessToken` and
/// `code`: with any other value of these, no verifier can be created. Set ``accessToken`` and ``code`` of the profile
/// instead. With HMAC the key is the client secret (OpenID Connect Core, 10.1).
public struct IDTokenProfile: SignedTokenProfile, StandardProfile {
    /// The `client_id` of this client, which `aud` must contain, and which `azp` must equal if it is present, unless
    /// the claims name another `authorizedParty`.
    package let clientID: String
    package var settings: ProfilePolicies
    /// The access token that was issued with the ID token. If `at_hash` is present, it must be the hash of this access
    /// token (OpenID Connect Core, 3.1.3.8).
    public var accessToken: String?
    /// The authorization code that was issued with the ID token. If `c_hash` is present, it must be the hash of this
    /// code (OpenID Connect Core, 3.3.2.11).
    public var code: String?
    /// A Boolean value that indicates whether the token came through the browser, in the implicit or the hybrid flow.
    /// `nonce` is then required, and so are `at_hash` and `c_hash` if an access token or a code came with it (3.2.2.10,
    /// 3.3.2.11). If `claims.nonce` is nil, no verifier can be created: its initializer throws
    /// `policyInvalid`.
    public var isFromFrontChannel = false

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the provider, `iss`.
    ///   - clientID: The `client_id` of this client, which `aud` must contain.
    ///   - nonce: The nonce of the request; nil if the request had none.
    ///   - algorithms: The accepted signature algorithms.
    public init(issuer: String, clientID: String, nonce: String?, algorithms: [SignatureAlgorithm]) {
        self.clientID = clientID
        settings = ProfilePolicies(
            SignaturePolicy(algorithms: algorithms), ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        )
        claims.nonce = nonce
    }

    /// The rules for the claims in the order of OpenID Connect Core, 3.1.3.7, and then those that other kinds of tokens
    /// violate. A login has the same rules, unless its provider has an order of its own.
    package static let rules: [ClaimRule] = [
        .issuer(isRequired: true), .audience(isRequired: true, trusted: []),
        .authorizedParty(isRequiredForSeveral: true), .expiration(isRequired: true), .notBefore,
        .issuedAt(isRequired: true), .nonce, .acr, .accessTokenHash, .codeHash, .authenticationTime, .subject,
        .expectedSubject, .forbidden("events"), .tokenID,
    ]
    private static let rulesBesidePolicy = rules.filter { !$0.isInPolicy }

    /// The values that the rules compare claims with.
    package var values: ClaimPolicy {
        var values = claims
        (values.audience, values.accessToken, values.code) = (.exactly(clientID), accessToken, code)
        values.authorizedParty = claims.authorizedParty ?? clientID
        return values
    }

    /// The policy: `typ` must be absent or `JWT`, which rejects access tokens and logout tokens, and `events`, which
    /// other kinds of tokens have, is forbidden.
    package var requiredPolicy: TokenPolicy {
        var claims = claims.stating(Self.rules)
        claims.audience = .exactly(clientID)
        (claims.accessToken, claims.code) = (nil, nil)
        if isFromFrontChannel {
            claims = claims.requiring("nonce")
            if claims.nonce == nil { claims = claims.forbidding("nonce") }
            claims.accessToken = accessToken
            claims.code = code
        }
        return .profile(
            signature, within: encryption, type: .absentOr("JWT"), claims: claims,
            fault: PolicyFault.unused(
                ("claims.requiresExpiration", self.claims.requiresExpiration),
                ("claims.audience", self.claims.audience.isOnly(clientID)),
                ("claims.accessToken", [nil, accessToken].contains(self.claims.accessToken)),
                ("claims.code", [nil, code].contains(self.claims.code))))
    }

    /// Checks authorized party, hashes and subject (OpenID Connect Core, 2 and 3.1.3.7).
    package func checkRules(of token: VerifiedToken) throws(TokenError) {
        let evaluation = ClaimEvaluation(token, under: values)
        for rule in Self.rulesBesidePolicy { try evaluation.require(rule) }
    }
}
