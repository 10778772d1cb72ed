public import JOSE
internal import JOSEBytes

/// Issues tokens under one policy: the mirror of `TokenVerifier`. What it makes passes the verifier of the same policy, for
/// claims that would not are refused before anything is signed.
public struct TokenIssuer: Sendable {
    private let signer: JWSSigner?
    private let following: FollowingSigner?
    private let plan: IssuingPlan
    /// Seconds from issue to `exp`, for claims that have none of their own.
    public var lifetime: Double { plan.lifetime }
    /// As it was given when this was made.
    public var policy: TokenPolicy { plan.policy }

    /// Keys: `.privateKey` or `.symmetricKey` to sign with, `.publicKey` or `.symmetricKey` to encrypt to; just those that
    /// the policy's form needs. Algorithms left out are the first of the policy that the key fits. `typ` and `cty` left out
    /// are what the policy asks for; where it does not ask, `typ` is `JWT`.
    public init(
        _ policy: TokenPolicy, signingKey: JWK? = nil, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Double = 300,
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        signer = try signingKey.map { key throws(TokenError) in
            try JWSSigner(IssuingPlan.signature(of: policy), key, algorithm, signatureHeader)
        }
        plan = try IssuingPlan(
            policy, signedWith: signer?.algorithm, encryptionKey: encryptionKey, keyManagement, contentEncryption,
            encryptionHeader, lifetime: lifetime)
        following = nil
    }

    /// The same with keys that come and go: each token is signed by the one that signs at that moment, by the `algorithm` given or
    /// the policy's first that this key fits. Throws `keysUnavailable` where none signs, now or at the time of issue, and
    /// `policyInvalid(.lifetime)` for a token that would live longer than the source promises.
    public init(
        _ policy: TokenPolicy, signingKeys: any SigningKeySource, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Double = 300,
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        let following = try FollowingSigner(
            signingKeys, IssuingPlan.signature(of: policy), algorithm, signatureHeader)
        plan = try IssuingPlan(
            policy, signedWith: following.first.algorithm, encryptionKey: encryptionKey, keyManagement,
            contentEncryption, encryptionHeader, lifetime: lifetime)
        if let longest = signingKeys.longestTokenLifetime, lifetime > longest { throw .policyInvalid(.lifetime) }
        signer = nil
        self.following = following
    }

    /// Adds, where the claims lack them, `iss`, `aud`, `sub`, `nonce`, `azp`, `at_hash` and `c_hash` as far as the policy
    /// names one value, `iat` (now) and `exp` (now and the lifetime). Throws what the policy's verifier would.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) throws(TokenError) -> String {
        String(decoding: try issueBytes(claims), as: UTF8.self)
    }

    private func issueBytes(_ claims: ClaimsBuilder) throws(TokenError) -> [UInt8] {
        if let following {
            let (plan, signer) = try ready(following)
            return try Self.token(plan.payload(claims), plan, signer)
        }
        return try Self.token(plan.payload(claims), plan, signer)
    }

    /// The same of a JSON object, as text; its own members are kept byte for byte.
    public func issue(json: [UInt8]) throws(TokenError) -> String {
        String(decoding: try issueBytes(json: json), as: UTF8.self)
    }

    /// The compact serialization as ASCII bytes.
    public func issueBytes(json: [UInt8]) throws(TokenError) -> [UInt8] {
        if let following {
            let (plan, signer) = try ready(following)
            return try Self.token(plan.payload(json), plan, signer)
        }
        return try Self.token(plan.payload(json), plan, signer)
    }

    private func ready(_ following: FollowingSigner) throws(TokenError) -> (IssuingPlan, JWSSigner) {
        let signer = try following.ready().signer
        return (plan.signed(with: signer.algorithm, longestLifetime: following.longestLifetime), signer)
    }

    private static func token(_ payload: [UInt8], _ plan: IssuingPlan, _ signer: JWSSigner?) throws(TokenError) -> [UInt8]
    {
        guard let signer else { return try plan.token(payload) }
        let signed: [UInt8]
        do throws(JOSEError) { signed = try signer.signBytes(payload.span) } catch {
            throw .jose(error, layer: .signature)
        }
        return try plan.token(signed)
    }
}

extension JWSSigner {
    init(
        _ policy: SignaturePolicy, _ key: JWK, _ algorithm: SignatureAlgorithm?, _ header: HeaderParameters
    ) throws(TokenError) {
        do throws(JOSEError) {
            let algorithm = try policy.algorithm(algorithm) {
                KeySelection.unsuitability(of: key, for: $0, .sign) == nil
            }
            let header = policy.header(header)
            switch key {
            case .privateKey(let key): try self.init(key: key, algorithm: algorithm, header: header)
            case .symmetricKey(let key): try self.init(key: key, algorithm: algorithm, header: header)
            case .publicKey: throw .keyInvalid(.wrongHalf)
            }
            // RFC 7797, 7: a JWT has its payload encoded.
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}

extension SignaturePolicy {
    /// The one that is wanted, else the first that fits.
    func algorithm(
        _ wanted: SignatureAlgorithm?, fits: (SignatureAlgorithm) -> Bool
    ) throws(JOSEError) -> SignatureAlgorithm {
        if let wanted {
            guard algorithms.contains(wanted) else { throw .algorithmNotAllowed(.signature) }
            return wanted
        }
        guard let first = algorithms.first else { throw .algorithmNotAllowed(.signature) }
        return algorithms.first(where: fits) ?? first
    }

    /// With the types that this policy asks for.
    func header(_ header: HeaderParameters) -> HeaderParameters {
        var header = header
        header.type = header.type ?? type.value(otherwise: "JWT")
        header.contentType = header.contentType ?? contentType.value(otherwise: nil)
        return header
    }
}

extension TypeRule {
    /// What a header that is to pass says.
    func value(otherwise fallback: String?) -> String? {
        switch self {
        case .any: fallback
        case .absent: nil
        case .exactly(let type), .absentOr(let type): type
        }
    }
}
