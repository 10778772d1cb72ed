public import JOSE

/// Issues tokens as `TokenIssuer` does, signed by a key outside the process: the claims are checked, then signed, the signature
/// is checked, and all of it encrypted where the policy says so, in one call.
///
/// Its calls throw `TokenError`, and `CancellationError` where the task was cancelled.
public struct ExternalKeyTokenIssuer: Sendable {
    private let signer: ExternalKeySigner
    private let plan: IssuingPlan
    /// Seconds from issue to `exp`, for claims that have none of their own.
    public var lifetime: Double { plan.lifetime }
    /// As it was given when this was made.
    public var policy: TokenPolicy { plan.policy }

    /// As `TokenIssuer`, with the signer in the place of the signing key. A policy without a signature is refused.
    public init(
        _ policy: TokenPolicy, signer: any ExternalSigner, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Double = 300,
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        self.signer = try ExternalKeySigner(IssuingPlan.signature(of: policy), signer, algorithm, signatureHeader)
        plan = try IssuingPlan(
            policy, signedWith: self.signer.algorithm, encryptionKey: encryptionKey, keyManagement, contentEncryption,
            encryptionHeader, lifetime: lifetime)
    }

    /// Adds what `TokenIssuer.issue` adds. Claims that the policy's verifier would refuse never reach the signer.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) async throws -> String {
        try await issue(json: claims.json())
    }

    /// The same of a JSON object, as text; its own members are kept byte for byte.
    public func issue(json: [UInt8]) async throws -> String {
        String(decoding: try await issueBytes(json: json), as: UTF8.self)
    }

    /// The compact serialization as ASCII bytes.
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
            // RFC 7797, 7: a JWT has its payload encoded.
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
