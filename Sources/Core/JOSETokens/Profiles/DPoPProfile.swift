public import JOSE

/// The request that a DPoP proof came with.
public struct DPoPRequest: Sendable {
    /// As in the request line; what `htm` must be, in the same case.
    public let method: String
    /// As the client called it; what `htu` must be in its normal form, query and fragment aside.
    public let url: String
    let accessToken: String?
    let confirmation: KeyConfirmation?
    /// One of these must be the proof's `nonce`, where the server gives any: the newest and those just before it
    /// (RFC 9449, 8 and 9). A `missing` or `invalid` nonce is what `use_dpop_nonce` answers.
    public var nonces: [String]?
    /// The authenticated client whose share of the replay store the proof takes: the `client_id` of a client that has authenticated
    /// itself, or that of the access token, once it is verified. Nil, the default, counts the proof among those of no known client,
    /// which have one share together.
    public var client: String?

    /// One without an access token, as at the token endpoint. `url` as the client called it.
    public init(method: String, url: String) {
        self.method = method
        self.url = url
        accessToken = nil
        confirmation = nil
    }

    /// One with an access token, whose `cnf` must name the proof's key (RFC 9449, 7.1).
    public init(method: String, url: String, accessToken: String, confirmation: KeyConfirmation) {
        self.method = method
        self.url = url
        self.accessToken = accessToken
        self.confirmation = confirmation
    }
}

/// A DPoP proof as the server of a request takes it (RFC 9449, 4.3). The key comes with the proof, so that it is
/// verified with a `DPoPVerifier`, and proves nothing but that its sender has that key.
public struct DPoPProfile: TokenProfile {
    /// What the proof must be of.
    public let request: DPoPRequest
    /// MAC algorithms in it are passed over (RFC 9449, 4.3, step 5).
    public var signature: SignaturePolicy
    /// Clock and leeway; what the RFC requires is added to it.
    public var claims: ClaimPolicy
    /// Most seconds since `iat` (RFC 9449, 11.1).
    public var maximumAge: Double = 60

    /// A leeway of 10 seconds and proofs of at most 16 kB, until they are set otherwise.
    public init(_ request: DPoPRequest, algorithms: [SignatureAlgorithm]) {
        self.request = request
        signature = SignaturePolicy(algorithms: algorithms)
        signature.limits.tokenBytes = 16 * 1024
        claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.leeway = 10
    }

    public var policy: TokenPolicy {
        var signature = signature
        signature.algorithms = signature.algorithms.filter(SignatureAlgorithm.asymmetric.contains)
        var claims = claims.requiring("jti", "htm", "htu", "iat")
        claims.requiresExpiration = false
        claims.maximumAge = maximumAge
        return .profile(signature, within: nil, type: .exactly("dpop+jwt"), claims: claims)
    }

    /// RFC 9449, 4.3, steps 8 to 12. The URIs are compared in their normal form, without query and fragment.
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
