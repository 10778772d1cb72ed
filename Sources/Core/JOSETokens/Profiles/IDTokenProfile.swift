public import JOSE

/// An OpenID Connect ID token as its client takes it (OpenID Connect Core, 2 and 3.1.3.7).
public struct IDTokenProfile: TokenProfile {
    /// What `aud` must hold, and `azp` be where it is there.
    public let clientID: String
    /// Of the provider; for HMAC the key is the client's secret (OpenID Connect Core, 10.1).
    public var signature: SignaturePolicy
    /// Where the client registered encrypted ID tokens: the outer layer, which is then required.
    public var encryption: EncryptionPolicy?
    /// Clock, leeway, `acceptedACR`, `maximumAuthenticationAge`, `nonce` and the rest; what the specification requires
    /// is added to it. Its `accessToken`, `code` and `authorizedParty` are left to this profile.
    public var claims: ClaimPolicy
    /// Besides the client itself: an audience that is in neither is refused (3.1.3.7, step 3).
    public var trustedAudiences: [String] = []
    /// `at_hash`, where it is there, must be of this access token (3.1.3.8).
    public var accessToken: String?
    /// `c_hash`, where it is there, must be of this code (3.3.2.11).
    public var code: String?
    /// The token came through the browser, in the implicit or the hybrid flow: `nonce` is then required, and so are
    /// `at_hash` and `c_hash` for what came with it (3.2.2.10, 3.3.2.11). Without a nonce to compare it with, the
    /// policy contradicts itself and no verifier is made.
    public var isFromFrontChannel = false

    /// `nonce` is what the request sent; nil only where it sent none.
    public init(issuer: String, clientID: String, nonce: String?, algorithms: [SignatureAlgorithm]) {
        self.clientID = clientID
        signature = SignaturePolicy(algorithms: algorithms)
        claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        claims.nonce = nonce
    }

    /// `typ` may be left out, but neither an access token's nor a logout token's; `events` would be another kind of
    /// token.
    public var policy: TokenPolicy {
        var claims = claims.requiring("iss", "sub", "aud", "iat").forbidding("events")
        claims.audience = .exactly(clientID)
        claims.requiresExpiration = true
        (claims.accessToken, claims.code, claims.authorizedParty) = (nil, nil, nil)
        if isFromFrontChannel {
            claims = claims.requiring("nonce")
            if claims.nonce == nil { claims = claims.forbidding("nonce") }
            claims.accessToken = accessToken
            claims.code = code
        }
        return .profile(signature, within: encryption, type: .absentOr("JWT"), claims: claims)
    }

    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        try checkParties(claims)
        // 2: at most 255 ASCII characters.
        guard let subject = claims.subject?.utf8, (1...255).contains(subject.count), subject.allSatisfy({ $0 < 0x80 })
        else { throw .claim(.invalid("sub")) }
        guard !isFromFrontChannel else { return }
        try check("at_hash", of: accessToken, in: token)
        try check("c_hash", of: code, in: token)
    }

    /// 3.1.3.7, steps 3 to 5.
    private func checkParties(_ claims: Claims) throws(TokenError) {
        let known = [clientID] + trustedAudiences
        let audience = claims.audience
        guard audience.allSatisfy({ one in known.contains { $0.utf8.elementsEqual(one.utf8) } }) else {
            throw .claim(.audienceMismatch)
        }
        guard claims.contains("azp") else {
            if audience.count > 1 { throw .claim(.missing("azp")) }
            return
        }
        guard let party = claims.string("azp"), party.utf8.elementsEqual(clientID.utf8) else {
            throw .claim(.invalid("azp"))
        }
    }

    /// A hash that is there is never left unlooked at where we hold what it is of.
    private func check(_ name: String, of value: String?, in token: VerifiedToken) throws(TokenError) {
        guard let value, token.claims.contains(name) else { return }
        guard let wanted = try? token.algorithm?.tokenHash(of: value), let hash = token.claims.string(name),
            hash.utf8.elementsEqual(wanted.utf8)
        else { throw .claim(.invalid(ClaimName(name))) }
    }
}
