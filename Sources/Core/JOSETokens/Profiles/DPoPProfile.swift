public import JOSE

/// The HTTP request that a DPoP proof was sent with.
public struct DPoPRequest: Sendable {
    /// The method of the request line, which `htm` must equal, case included.
    public let method: String
    /// The URL as the client called it. `htu` must equal it after normalization, without query and fragment.
    public let url: String
    let accessToken: String?
    let confirmation: KeyConfirmation?
    /// The accepted values of `nonce`, if the server gives nonces out: the newest and those shortly before it (RFC 9449, 8 and
    /// 9). A `missing` or `invalid` nonce is answered with `use_dpop_nonce`.
    public var nonces: [String]?
    /// The authenticated client whose share of the replay store the proof uses: the `client_id` of a client that has
    /// authenticated itself, or that of the access token after its verification. With nil, the default, the proof counts as one
    /// of an unknown client; all unknown clients have one share together.
    public var client: String?

    /// Creates a request without an access token, such as one to the token endpoint.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL as the client called it.
    public init(method: String, url: String) {
        self.method = method
        self.url = url
        accessToken = nil
        confirmation = nil
    }

    /// Creates a request with an access token, whose `cnf` must name the key of the proof (RFC 9449, 7.1).
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL as the client called it.
    ///   - accessToken: The access token.
    ///   - confirmation: The `cnf` claim of the verified access token.
    public init(method: String, url: String, accessToken: String, confirmation: KeyConfirmation) {
        self.method = method
        self.url = url
        self.accessToken = accessToken
        self.confirmation = confirmation
    }
}

/// The requirements for DPoP proofs at the server of a request (RFC 9449, 4.3).
///
/// The key is in the proof itself, so that a proof is verified by a `DPoPVerifier`. It proves only that its sender has that key.
public struct DPoPProfile: TokenProfile {
    /// The request that the proof must be for.
    public let request: DPoPRequest
    /// The policy of the signature layer. MAC algorithms in it are ignored (RFC 9449, 4.3, step 5).
    public var signature: SignaturePolicy
    /// The requirements for the claims: clock and leeway. Those of the RFC are added.
    public var claims: ClaimPolicy
    /// The longest accepted time since `iat`, 60 seconds by default (RFC 9449, 11.1).
    public var maximumAge: Duration = .seconds(60)

    /// Creates a profile with a leeway of 10 seconds and a limit of 16 KiB for a proof.
    ///
    /// - Parameters:
    ///   - request: The request that the proof must be for.
    ///   - algorithms: The accepted signature algorithms.
    public init(_ request: DPoPRequest, algorithms: [SignatureAlgorithm]) {
        self.request = request
        signature = SignaturePolicy(algorithms: algorithms)
        signature.limits.tokenBytes = 16 * 1024
        claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.leeway = .seconds(10)
    }

    /// The policy: `typ` must be `dpop+jwt`, and `jti`, `htm`, `htu` and `iat` are required (RFC 9449, 4.2).
    public var policy: TokenPolicy {
        var signature = signature
        signature.algorithms = signature.algorithms.filter(SignatureAlgorithm.asymmetric.contains)
        var claims = claims.requiring("jti", "htm", "htu", "iat")
        claims.requiresExpiration = false
        claims.maximumAge = maximumAge
        return .profile(signature, within: nil, type: .exactly("dpop+jwt"), claims: claims)
    }

    /// Checks the proof against the request (RFC 9449, 4.3, steps 8 to 12). The URIs are compared after normalization, without
    /// query and fragment.
    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
        guard let method = claims.string("htm"), method.utf8.elementsEqual(request.method.utf8) else {
            throw .claim(.invalid("htm"))
        }
        guard let called = RequestURI(request.url), let proven = claims.string("htu").flatMap(RequestURI.init),
            called == proven
        else { throw .claim(.invalid("htu")) }
        if let nonces = request.nonces {
            guard claims.contains("nonce") else { throw .claim(.missing("nonce")) }
            guard let nonce = claims.string("nonce"),
                nonces.contains(where: { $0.utf8.elementsEqual(nonce.utf8) })
            else { throw .claim(.invalid("nonce")) }
        }
        guard let accessToken = request.accessToken else { return }
        guard claims.contains("ath") else { throw .claim(.missing("ath")) }
        guard case .string(let wanted)? = try? ClaimValue.base64URL(sha256(accessToken.utf8.span)),
            let hash = claims.string("ath"), hash.utf8.elementsEqual(wanted.utf8)
        else { throw .claim(.invalid("ath")) }
        guard let key = token.key?.publicKey, let confirmation = request.confirmation else {
            throw .claim(.invalid("cnf"))
        }
        try confirmation.check(key: key)
    }
}
