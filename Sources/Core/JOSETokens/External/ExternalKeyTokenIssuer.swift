public import JOSE

/// Issues tokens as `TokenIssuer` does, signed by a key outside the process, such as one in an HSM or a KMS.
///
/// Each call checks the claims, sends them to the external key to be signed, verifies the returned signature, and
/// encrypts the token if the policy requires it. Calls throw `TokenError`, where a failure of the external key is
/// `TokenError.jose` with `JOSEError.externalKey`, and `CancellationError` if the task was cancelled.
public struct ExternalKeyTokenIssuer: Sendable {
    private let signer: ExternalKeySigner
    private let plan: IssuingPlan
    /// The time from issue to `exp`, for claims that have no `exp` of their own.
    public var lifetime: Duration { plan.lifetime }
    /// The policy that the issuer was created with.
    public var policy: TokenPolicy { plan.policy }

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens, which must have a signature layer.
    ///   - signer: The external key that signs.
    ///   - encryptionKey: The recipient's key, `.publicKey` or `.symmetricKey`; nil if the policy has no encryption layer.
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
        _ policy: TokenPolicy, signer: any ExternalSigner, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Duration = .seconds(300),
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        self.signer = try ExternalKeySigner(IssuingPlan.signature(of: policy), signer, algorithm, signatureHeader)
        plan = try IssuingPlan(
            policy, signedWith: self.signer.algorithm, encryptionKey: encryptionKey, keyManagement, contentEncryption,
            encryptionHeader, lifetime: lifetime)
    }

    /// Issues a token, and adds absent claims such as `iss`, `aud`, `iat` and `exp` as `TokenIssuer` does. Claims that
    /// a verifier of the policy would reject are not sent to the external key.
    ///
    /// - Parameter claims: The claims to issue; by default only those that are added.
    /// - Returns: The compact serialization.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) async throws -> String {
        try await issue(json: claims.json())
    }

    /// Issues a token with the members of a JSON object as claims, which are kept byte for byte; absent claims such as
    /// `iat` and `exp` are added.
    ///
    /// - Parameter json: The JSON text of the object, in UTF-8.
    /// - Returns: The compact serialization.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func issue(json: [UInt8]) async throws -> String {
        String(decoding: try await issueBytes(json: json), as: UTF8.self)
    }

    /// Issues a token with the members of a JSON object as claims, and returns it as ASCII bytes; absent claims such as
    /// `iat` and `exp` are added.
    ///
    /// - Parameter json: The JSON text of the object, in UTF-8.
    /// - Returns: The compact serialization in ASCII.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func issueBytes(json: [UInt8]) async throws -> [UInt8] {
        let payload = try plan.payload(json)
        let signed: [UInt8]
        do {
            signed = try await signer.signBytes(payload)
        } catch let error as JOSEError {
            throw TokenError.jose(error, layer: .signature)
        }
        return try plan.token(signed)
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
            try self.init(signer, algorithm: algorithm, header: policy.header(header))
            // The payload of a JWT is always encoded (RFC 7797, 7).
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
