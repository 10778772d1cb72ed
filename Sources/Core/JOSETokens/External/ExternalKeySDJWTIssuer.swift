public import JOSE

/// Issues SD-JWTs as `SDJWTIssuer` does, signed by a key outside the process, such as one in an HSM or a KMS (RFC 9901,
/// 4). An issuer is created once and can be shared between tasks.
public struct ExternalKeySDJWTIssuer: Sendable {
    private let signer: ExternalKeySigner
    /// The hash algorithm of the digests, `_sd_alg`.
    public let hash: HashAlgorithm
    /// The number of decoy digests in each object and array with selectively disclosable members, at most 100 (RFC
    /// 9901, 4.2.5).
    public let decoys: Int

    /// Creates an issuer. The parameters and the errors are those of `SDJWTIssuer`, with an external key that signs.
    public init(
        signer: any ExternalSigner, algorithm: SignatureAlgorithm, type: String, hash: HashAlgorithm = .sha256,
        decoys: Int = 0
    ) throws(TokenError) {
        self.hash = hash
        self.decoys = UnsignedSDJWT.decoys(decoys)
        self.signer = try inLayer(
            .signature, ExternalKeySigner(signer, algorithm: algorithm, header: HeaderParameters(type: type)))
    }

    /// Issues an SD-JWT as `SDJWTIssuer` does. Claims and paths that are not valid are rejected before the external key
    /// is called.
    ///
    /// - Throws: The errors of `SDJWTIssuer`, and `cancelled` if the task was cancelled.
    public func issue(
        _ claims: ClaimsBuilder, hiding hidden: [DisclosurePath], holder: PublicKey? = nil
    ) async throws(TokenError) -> SDJWT {
        let unsigned = try UnsignedSDJWT(claims, hiding: hidden, holder: holder, hash: hash, decoys: decoys)
        return unsigned.signed(try await signer.token(unsigned.payload, layer: .signature))
    }
}
