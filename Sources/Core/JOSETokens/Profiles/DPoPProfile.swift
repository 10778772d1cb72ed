public import JOSE
internal import JOSESupport

/// The HTTP request that a DPoP proof was sent with.
public struct DPoPRequest: Sendable {
    /// The method of the request line, which `htm` must equal. The comparison is case-sensitive.
    package let method: String
    /// The URL that the client called. `htu` must equal it after both are normalized, without query and fragment.
    package let url: String
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

/// The requirements for DPoP proofs, other than those of the request that a proof is sent with (RFC 9449, 4.3).
///
/// A proof contains its own public key, so a ``DPoPVerifier`` verifies it, and not a `TokenVerifier`.
public struct DPoPProfile: Sendable {
    /// The policy of the signature layer. MAC algorithms in it are ignored (RFC 9449, 4.3, step 5). The profile sets
    /// its `type`: with any other, no verifier can be created.
    public var signature: SignaturePolicy
    /// The policy for the claims, with clock, leeway, and `requiresExpiration`, which is false by default. The profile
    /// adds the requirements of RFC 9449, and sets `maximumAge`: with any other value there, no verifier can be
    /// created. Set ``maximumAge`` of the profile instead.
    public var claims: ClaimPolicy
    /// The longest accepted time since `iat`, 60 seconds by default (RFC 9449, 11.1).
    public var maximumAge: Duration = .seconds(60)

    /// Creates a profile with a leeway of 10 seconds and a limit of 16 KiB for a proof.
    ///
    /// - Parameter algorithms: The accepted signature algorithms.
    public init(algorithms: [SignatureAlgorithm]) {
        signature = SignaturePolicy(algorithms: algorithms)
        signature.limits.tokenBytes = 16 * 1024
        claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.leewaySeconds = 10
        claims.requiresExpiration = false
    }

    /// The setting that was given a value which the profile does not use; nil if there is none.
    var fault: PolicyFault? {
        PolicyFault.unused(
            ("signature.type", signature.has(Self.type)),
            ("claims.maximumAge", [nil, maximumAge].contains(claims.maximumAge)))
    }

    private static let type = TypeRule.exactly(TokenKind.dpopProof.rawValue)

    /// The signature policy with the requirements of RFC 9449, 4.2 and 4.3.
    var requiredSignature: SignaturePolicy {
        var policy = signature
        policy.algorithms = signature.algorithms.filter(SignatureAlgorithm.asymmetric.contains)
        policy.type = Self.type
        return policy
    }

    /// The claim policy with the requirements of RFC 9449, 4.2.
    var requiredClaims: ClaimPolicy {
        var policy = claims.requiring("jti", "htm", "htu", "iat")
        policy.maximumAge = maximumAge
        return policy
    }
}

extension DPoPRequest {
    /// Checks a proof against the request (RFC 9449, 4.3, steps 8 to 12). The URIs are compared after normalization,
    /// without query and fragment.
    ///
    /// - Parameters:
    ///   - claims: The claims of the proof.
    ///   - key: The key of the proof.
    ///   - thumbprint: The SHA-256 thumbprint of that key.
    func check(_ claims: Claims, key: PublicKey, thumbprint: [UInt8]) throws(TokenError) {
        guard claims.tokenID?.isEmpty == false else { throw .claim(.invalid("jti")) }
        guard let proven = claims.string("htm"), bytesEqual(proven, method) else { throw .claim(.invalid("htm")) }
        guard let proven = claims.string("htu"), RequestURI.areEqual(url, proven) else { throw .claim(.invalid("htu")) }
        if let nonces {
            guard claims.contains("nonce") else { throw .claim(.missing("nonce")) }
            guard let nonce = claims.string("nonce"), nonces.contains(where: { bytesEqual($0, nonce) }) else {
                throw .claim(.invalid("nonce"))
            }
        }
        guard let accessToken else { return }
        guard claims.contains("ath") else { throw .claim(.missing("ath")) }
        guard case .string(let wanted)? = try? ClaimValue.base64URL(sha256(accessToken.utf8.span)),
            let hash = claims.string("ath"), bytesEqual(hash, wanted)
        else { throw .claim(.invalid("ath")) }
        guard let confirmation else { throw .claim(.invalid("cnf")) }
        try confirmation.check(key: key, thumbprint: thumbprint)
    }
}
