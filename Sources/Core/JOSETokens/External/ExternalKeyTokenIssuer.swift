public import JOSE
internal import JOSESupport

/// Issues tokens as `TokenIssuer` does, signed by a key outside the process, such as one in an HSM or a KMS.
///
/// Each call checks the claims, sends them to the external key to be signed, verifies the returned signature, and
/// encrypts the token if the policy requires it. A failure of the external key is `TokenError.jose` with
/// `JOSEError.externalKey`; a call throws `cancelled` if the task was cancelled.
public struct ExternalKeyTokenIssuer: Sendable {
    private let signer: ExternalKeySigner
    /// The external key, with which a token of other header parameters is signed.
    private let externalSigner: any ExternalSigner
    private let plan: IssuingPlan
    /// The time from issue to `exp`, for claims that have no `exp` of their own.
    public var lifetime: Duration { plan.lifetime }
    /// The policy that the issuer was created with.
    public var policy: TokenPolicy { plan.policy }

    /// Creates an issuer whose tokens are signed by `signer`, an external key. The policy must have a signature layer.
    /// The other parameters and the errors are those of `TokenIssuer`.
    public init(
        _ policy: TokenPolicy, signer: any ExternalSigner, encryptionKey: (any JWKConvertible)? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        externalSigner = signer
        self.signer = try ExternalKeySigner(IssuingPlan.signature(of: policy), signer, algorithm, signatureHeader)
        plan = try IssuingPlan(
            policy, signedWith: self.signer.algorithm, encryptionKey: encryptionKey?.asJWK, keyManagement,
            contentEncryption, encryptionHeader, lifetime: lifetime)
    }

    /// Issues a token, and adds absent claims such as `iss`, `aud`, `iat` and `exp`, as `TokenIssuer` does. Claims that
    /// a verifier of the policy would reject are not sent to the external key.
    ///
    /// - Throws: `TokenError`, where `cancelled` means that the task was cancelled.
    public func issue(
        _ claims: ClaimsBuilder = ClaimsBuilder(), options: TokenOptions = TokenOptions()
    ) async throws(TokenError) -> String {
        let plan = options.differ ? try plan.applying(options) : plan
        return String(decoding: try await token(plan.payload(claims), plan, options), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, as `TokenIssuer` does.
    ///
    /// - Throws: `TokenError`, where `cancelled` means that the task was cancelled.
    public func issue(json: [UInt8], options: TokenOptions = TokenOptions()) async throws(TokenError) -> String {
        String(decoding: try await issueBytes(json: json, options: options), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, as `issue(json:options:)` does, and returns it as
    /// ASCII bytes.
    public func issueBytes(json: [UInt8], options: TokenOptions = TokenOptions()) async throws(TokenError) -> [UInt8] {
        let plan = options.differ ? try plan.applying(options) : plan
        return try await token(plan.payload(json), plan, options)
    }

    private func token(
        _ payload: [UInt8], _ plan: IssuingPlan, _ options: TokenOptions
    ) async throws(TokenError) -> [UInt8] {
        // A payload that fits in no token is not sent to the external key. The length of the signature is known only
        // afterwards.
        guard Base64URL.encodedCount(payload.count) <= plan.limits.tokenBytes else {
            throw .jose(.limitExceeded(.tokenBytes), layer: .signature)
        }
        return try plan.token(await signer(options).token(payload, layer: .signature))
    }

    private func signer(_ options: TokenOptions) throws(TokenError) -> ExternalKeySigner {
        guard let header = options.signatureHeader else { return signer }
        return try ExternalKeySigner(IssuingPlan.signature(of: policy), externalSigner, signer.algorithm, header)
    }
}

extension ExternalKeySigner {
    fileprivate init(
        _ policy: SignaturePolicy, _ signer: any ExternalSigner, _ algorithm: SignatureAlgorithm?,
        _ header: HeaderParameters
    ) throws(TokenError) {
        do throws(JOSEError) {
            let key = JWK.publicKey(signer.publicKey)
            let algorithm = try policy.algorithm(algorithm) {
                KeySelection.unsuitability(of: key, for: $0, .verify) == nil
            }
            try self.init(signer, algorithm: algorithm, header: try policy.header(header))
            // The payload of a JWT is always encoded (RFC 7797, 7).
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
