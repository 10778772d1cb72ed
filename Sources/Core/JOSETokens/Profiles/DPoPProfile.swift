public import JOSE
internal import JOSEBytes

/// The HTTP request that a DPoP proof was sent with.
public struct DPoPRequest: Sendable {
    /// The method of the request line, which `htm` must equal. The comparison is case-sensitive.
    public let method: String
    /// The URL that the client called. `htu` must equal it after both are normalized, without query and fragment.
    public let url: String
    let accessToken: String?
    let confirmation: KeyConfirmation?
    /// The accepted values of `nonce`, if the server provides nonces: the newest and its recent predecessors (RFC 9449,
    /// 8 and 9). Answer a proof that is rejected for a `missing` or `invalid` nonce with the error `use_dpop_nonce`.
    public var nonces: [String]?
    /// The authenticated client to which the replay store attributes the proof, because the store limits the number of
    /// proofs for each client: the `client_id` of a client that has authenticated itself, or that of a verified access
    /// token. With nil, the default, the client is unknown; all unknown clients have one limit together.
    public var client: String?

    /// Creates a request without an access token, such as one to the token endpoint.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL that the client called.
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
    ///   - url: The URL that the client called.
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
/// A proof contains its own public key, so use a ``DPoPVerifier`` to verify it. It proves only that its sender has the
/// private key.
public struct DPoPProfile: TokenProfile {
    /// The request that the proof must be for.
    public let request: DPoPRequest
    /// The policy of the signature layer. MAC algorithms in it are ignored (RFC 9449, 4.3, step 5).
    public var signature: SignaturePolicy
    /// The policy for the claims, with clock and leeway. The profile adds the requirements of RFC 9449.
    public var claims: ClaimPolicy
    /// The longest accepted time since `iat`, 60 seconds by default (RFC 9449, 11.1).
    public var maximumAge: Duration {
        get { Duration(saturatingSeconds: maximumAgeSeconds) }
        set { maximumAgeSeconds = newValue.inSeconds }
    }
    /// The maximum age in seconds: a profile is made for each proof, and converting a `Duration` costs a 128-bit division.
    var maximumAgeSeconds = 60.0

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
        claims.leewaySeconds = 10
    }

    /// The policy: `typ` must be `dpop+jwt`, and `jti`, `htm`, `htu` and `iat` are required (RFC 9449, 4.2).
    public var policy: TokenPolicy {
        var signature = signature
        signature.algorithms = signature.algorithms.filter(SignatureAlgorithm.asymmetric.contains)
        var claims = claims.requiring("jti", "htm", "htu", "iat")
        claims.requiresExpiration = false
        claims.maximumAgeSeconds = maximumAgeSeconds
        return .profile(signature, within: nil, type: .exactly("dpop+jwt"), claims: claims)
    }

    /// Checks the proof against the request (RFC 9449, 4.3, steps 8 to 12). The URIs are compared after normalization, without
    /// query and fragment.
    public func check(_ token: VerifiedToken) throws(TokenError) {
        let claims = token.claims
        guard claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
        guard let method = claims.string("htm"), bytesEqual(method, request.method) else {
            throw .claim(.invalid("htm"))
        }
        guard let called = RequestURI(request.url), let proven = claims.string("htu").flatMap(RequestURI.init),
            called == proven
        else { throw .claim(.invalid("htu")) }
        if let nonces = request.nonces {
            guard claims.contains("nonce") else { throw .claim(.missing("nonce")) }
            guard let nonce = claims.string("nonce"),
                nonces.contains(where: { bytesEqual($0, nonce) })
            else { throw .claim(.invalid("nonce")) }
        }
        guard let accessToken = request.accessToken else { return }
        guard claims.contains("ath") else { throw .claim(.missing("ath")) }
        guard case .string(let wanted)? = try? ClaimValue.base64URL(sha256(accessToken.utf8.span)),
            let hash = claims.string("ath"), bytesEqual(hash, wanted)
        else { throw .claim(.invalid("ath")) }
        guard let key = token.key?.publicKey, let confirmation = request.confirmation else {
            throw .claim(.invalid("cnf"))
        }
        try confirmation.check(key: key)
    }
}
