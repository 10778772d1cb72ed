public import JOSE
internal import JOSESupport

/// Issues tokens under a policy.
///
/// A verifier of the same policy accepts each issued token: claims that it would reject are rejected before anything is
/// signed. An issuer is created once and can be shared between tasks.
public struct TokenIssuer: Sendable {
    private let signer: JWSSigner?
    private let following: FollowingSigner?
    private let plan: IssuingPlan
    /// The signing key, with which a token of other header parameters is signed; nil where the key follows a source, or
    /// there is none.
    private let signingKey: IssuingKey?
    /// The time from issue to `exp`, for claims that have no `exp` of their own.
    public var lifetime: Duration { plan.lifetime }
    /// The policy that the issuer was created with.
    package var policy: TokenPolicy { plan.policy }

    /// Creates an issuer with fixed keys.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens.
    ///   - signingKey: The key to sign with, `.privateKey` or `.symmetricKey`; nil if the policy has no signature
    ///     layer.
    ///   - encryptionKey: The recipient's key, `.publicKey` or `.symmetricKey`; nil if the policy has no encryption
    ///     layer.
    ///   - algorithm: The signature algorithm; by default the first one of the policy that the key fits.
    ///   - keyManagement: The key management algorithm; by default the first one of the policy that the key fits.
    ///   - contentEncryption: The content encryption algorithm; by default the first one of the policy.
    ///   - lifetime: The time from issue to `exp`, for claims that have no `exp` of their own.
    ///   - signatureHeader: Header parameters of the signature layer. If `typ` or `cty` is absent, it is what the
    ///     policy requires; if the policy requires no `typ`, it is `JWT`.
    ///   - encryptionHeader: Header parameters of the encryption layer. If `typ` or `cty` is absent, it is what the
    ///     policy requires.
    /// - Throws: `policyInvalid`, and `jose` errors for a key or an algorithm that does not fit the policy.
    public init(
        _ policy: TokenPolicy, signingKey: JWK? = nil, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        try self.init(
            policy, signingKey.map { .local($0) }, encryptionKey, algorithm, keyManagement, contentEncryption,
            lifetime, signatureHeader, encryptionHeader)
    }

    private init(
        _ policy: TokenPolicy, _ key: IssuingKey?, _ encryptionKey: JWK?, _ algorithm: SignatureAlgorithm?,
        _ keyManagement: KeyManagementAlgorithm?, _ contentEncryption: ContentEncryption?, _ lifetime: Duration,
        _ signatureHeader: HeaderParameters, _ encryptionHeader: HeaderParameters
    ) throws(TokenError) {
        signer = try key.map { key throws(TokenError) in
            try JWSSigner(IssuingPlan.signature(of: policy), key, algorithm, signatureHeader)
        }
        plan = try IssuingPlan(
            policy, signedWith: signer?.algorithm, encryptionKey: encryptionKey, keyManagement, contentEncryption,
            encryptionHeader, lifetime: lifetime)
        following = nil
        signingKey = key
    }

    /// Creates an issuer as the initializer that takes `JWK`s does. The types of the keys name their kinds: a
    /// `PrivateKey` or a `SecretKey` signs, and the token is encrypted to a `PublicKey` or a `SecretKey`.
    @_disfavoredOverload
    public init(
        _ policy: TokenPolicy, signingKey: (any SigningKey)? = nil, encryptionKey: (any JWKConvertible)? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        let (signing, encryption): (JWK?, JWK?) = (signingKey?.asJWK, encryptionKey?.asJWK)
        try self.init(
            policy, signingKey: signing, encryptionKey: encryption, algorithm: algorithm, keyManagement: keyManagement,
            contentEncryption: contentEncryption, lifetime: lifetime, signatureHeader: signatureHeader,
            encryptionHeader: encryptionHeader)
    }

    /// Creates no issuer: a public key cannot sign, and this unavailable initializer lets the compiler say so.
    @available(
        *, unavailable,
        message: "a public key cannot sign: pass the private key, and give verifiers its publicKey"
    )
    @_disfavoredOverload
    public init(
        _ policy: TokenPolicy, signingKey: PublicKey?, encryptionKey: (any JWKConvertible)? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        throw .jose(.keyUnsuitable(.publicKey), layer: .signature)
    }

    /// Creates an issuer whose tokens are signed by a key outside the process, such as one in an HSM or a KMS. The policy
    /// must have a signature layer. The other parameters and the errors are those of the initializer for fixed keys.
    ///
    /// Issue with the methods with a `timeout`; the others throw `awaitRequired`, and so does a ``BatchIssuer``.
    public init(
        _ policy: TokenPolicy, externalKey: any ExternalSigner, encryptionKey: (any JWKConvertible)? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        try self.init(
            policy, .external(externalKey), encryptionKey?.asJWK, algorithm, keyManagement, contentEncryption,
            lifetime, signatureHeader, encryptionHeader)
    }

    /// Creates an issuer that signs each token with the current key of `signingKeys`, a source that rotates its keys. If
    /// `algorithm` is nil, the algorithm of a token is the first one of the policy that the current key fits. The other
    /// parameters are those of the initializer for fixed keys.
    ///
    /// - Throws: The errors of the initializer for fixed keys, `policyInvalid` if the lifetime exceeds the
    ///   longest one that the source allows, and `keysUnavailable` if the source has no current key.
    public init(
        _ policy: TokenPolicy, signingKeys: any SigningKeySource, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        let following = try FollowingSigner(
            signingKeys, IssuingPlan.signature(of: policy), algorithm, signatureHeader)
        plan = try IssuingPlan(
            policy, signedWith: following.first.algorithm, encryptionKey: encryptionKey, keyManagement,
            contentEncryption, encryptionHeader, lifetime: lifetime)
        if let longest = signingKeys.longestTokenLifetime, lifetime > longest { throw .policyInvalid(.lifetime) }
        signer = nil
        signingKey = nil
        self.following = following
    }

    /// Issues a token.
    ///
    /// Absent claims are added: `iss`, `aud`, `sub`, `nonce`, `azp`, `at_hash` and `c_hash` if the policy determines a
    /// single value, `iat` with the current time, and `exp` with the current time plus ``lifetime``.
    ///
    /// - Parameters:
    ///   - claims: The claims to issue; by default only those that are added.
    ///   - options: What differs for this token, such as header parameters or an `nbf` in the future.
    /// - Returns: The compact serialization.
    /// - Throws: The error with which a verifier of the policy would reject these claims, and `keysUnavailable` if a
    ///   source has no current key.
    public func issue(
        _ claims: ClaimsBuilder = ClaimsBuilder(), options: TokenOptions = TokenOptions()
    ) throws(TokenError) -> String {
        if usesOwnPlan(options) {
            return String(decoding: try Self.token(plan.payload(claims), plan, signer), as: UTF8.self)
        }
        let (plan, signer) = try ready(options)
        return String(decoding: try Self.token(plan.payload(claims), plan, signer), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, which are kept byte for byte; absent claims such as
    /// `iat` and `exp` are added.
    ///
    /// - Parameters:
    ///   - json: The JSON text of the object.
    ///   - options: What differs for this token, such as header parameters or an `nbf` in the future.
    /// - Returns: The compact serialization.
    /// - Throws: The error with which a verifier of the policy would reject these claims, and `keysUnavailable` if a
    ///   source has no current key.
    @inlinable public func issue(
        json: some ByteSource, options: TokenOptions = TokenOptions()
    ) throws(TokenError) -> String {
        String(decoding: try issueBytes(json: json, options: options), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, as `issue(json:options:)` does, and returns it as
    /// ASCII bytes.
    @inlinable public func issueBytes(
        json: some ByteSource, options: TokenOptions = TokenOptions()
    ) throws(TokenError) -> [UInt8] { try issueBytes(json: json.array, options: options) }

    @usableFromInline func issueBytes(json: [UInt8], options: TokenOptions) throws(TokenError) -> [UInt8] {
        if usesOwnPlan(options) { return try Self.token(plan.payload(json), plan, signer) }
        let (plan, signer) = try ready(options)
        return try Self.token(plan.payload(json), plan, signer)
    }

    /// Whether the token is issued with the stored plan and signer, which are not copied then.
    private func usesOwnPlan(_ options: TokenOptions) -> Bool { following == nil && !options.differ }

    /// Returns the steps and the signer of one token.
    func ready(_ options: TokenOptions) throws(TokenError) -> (IssuingPlan, JWSSigner?) {
        guard let following else {
            guard options.differ else { return (plan, signer) }
            return (try plan.applying(options), try signing(signer, with: signingKey, options))
        }
        let ready = try following.ready()
        let plan = plan.signed(with: ready.signer.algorithm, longestLifetime: following.longestLifetime)
        guard options.differ else { return (plan, ready.signer) }
        return (try plan.applying(options), try signing(ready.signer, with: .local(.privateKey(ready.key)), options))
    }

    private func signing(
        _ signer: JWSSigner?, with key: IssuingKey?, _ options: TokenOptions
    ) throws(TokenError) -> JWSSigner? {
        guard let header = options.signatureHeader else { return signer }
        guard let signer, let key else { throw .policyInvalid(.key) }
        return try JWSSigner(IssuingPlan.signature(of: policy), key, signer.algorithm, header)
    }

    private static func token(_ payload: [UInt8], _ plan: IssuingPlan, _ signer: JWSSigner?) throws(TokenError)
        -> [UInt8]
    {
        guard let signer else { return try plan.token(payload) }
        let signed = try inLayer(.signature, signer.signBytes(payload.span))
        return try plan.token(signed)
    }
}

/// The signing key of an issuer.
enum IssuingKey: Sendable {
    case local(JWK)
    case external(any ExternalSigner)

    /// Returns whether the key fits an algorithm.
    fileprivate func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch self {
        case .local(let key): KeySelection.unsuitability(of: key, for: algorithm, .sign) == nil
        case .external(let key):
            KeySelection.unsuitability(of: .publicKey(key.publicKey), for: algorithm, .verify) == nil
        }
    }
}

extension JWSSigner {
    init(
        _ policy: SignaturePolicy, _ key: IssuingKey, _ algorithm: SignatureAlgorithm?, _ header: HeaderParameters
    ) throws(TokenError) {
        do throws(JOSEError) {
            let algorithm = try policy.algorithm(algorithm, fits: key.fits)
            let header = try policy.header(header)
            switch key {
            case .local(let key): try self.init(key: key, algorithm: algorithm, header: header)
            case .external(let key): try self.init(externalKey: key, algorithm: algorithm, header: header)
            }
            // The payload of a JWT is always encoded (RFC 7797, 7).
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}

extension SignaturePolicy {
    /// Returns the wanted algorithm if the policy allows it; without one, the first that fits, or else the first.
    func algorithm(
        _ wanted: SignatureAlgorithm?, fits: (SignatureAlgorithm) -> Bool
    ) throws(JOSEError) -> SignatureAlgorithm {
        if let wanted {
            guard algorithms.contains(wanted) else { throw .algorithmNotAllowed(.signature) }
            return wanted
        }
        guard let first = algorithms.first else { throw .configurationInvalid(.noAlgorithms) }
        return algorithms.first(where: fits) ?? first
    }

    /// Returns the header with the types that the policy requires. Throws the error with which a verifier of the policy
    /// would reject it.
    func header(_ header: HeaderParameters) throws(JOSEError) -> HeaderParameters {
        try header.completed(type, contentType, otherwise: "JWT")
    }
}

extension HeaderParameters {
    /// Returns the header with the types that the rules require, or the fallback where there is no rule for `typ`.
    func completed(
        _ typeRule: TypeRule, _ contentTypeRule: TypeRule, otherwise fallback: String?
    ) throws(JOSEError) -> HeaderParameters {
        var header = self
        header.type = type ?? typeRule.value(otherwise: fallback)
        header.contentType = contentType ?? contentTypeRule.value(otherwise: nil)
        guard typeRule.accepts(header.type) else { throw .headerInvalid(.type) }
        guard contentTypeRule.accepts(header.contentType) else { throw .headerInvalid(.contentType) }
        return header
    }
}

extension TypeRule {
    /// Returns the value with which a header meets the rule.
    package func value(otherwise fallback: String?) -> String? {
        switch self {
        case .any, .otherThan: fallback
        case .absent: nil
        case .exactly(let type), .absentOr(let type): type
        }
    }
}
