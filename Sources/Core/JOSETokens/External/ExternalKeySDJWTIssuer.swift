public import JOSE

/// Issues SD-JWTs as `SDJWTIssuer` does, signed by a key outside the process, such as one in an HSM or a KMS (RFC 9901, 4).
/// An issuer is created once and can be shared between tasks.
public struct ExternalKeySDJWTIssuer: Sendable {
    private let signer: ExternalKeySigner
    /// The hash algorithm of the digests, `_sd_alg`.
    public let hash: DisclosureHash
    /// The number of decoy digests in each object and array with selectively disclosable members, at most 100 (RFC
    /// 9901, 4.2.5).
    public let decoys: Int

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - signer: The external key that signs.
    ///   - algorithm: The signature algorithm.
    ///   - type: The `typ` of the JWT, such as `dc+sd-jwt` (RFC 9901, 9.11).
    ///   - hash: The hash algorithm of the digests.
    ///   - decoys: The number of decoy digests in each object and array with selectively disclosable members, 0 to 100.
    /// - Throws: A `jose` error if the key does not fit the algorithm.
    public init(
        signer: any ExternalSigner, algorithm: SignatureAlgorithm, type: String, hash: DisclosureHash = .sha256,
        decoys: Int = 0
    ) throws(TokenError) {
        self.hash = hash
        self.decoys = UnsignedSDJWT.decoys(decoys)
        do throws(JOSEError) {
            self.signer = try ExternalKeySigner(signer, algorithm: algorithm, header: HeaderParameters(type: type))
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    /// Issues an SD-JWT. Claims and paths that are not valid are rejected before the external key is called.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - hidden: The paths of the claims that are selectively disclosable. If one path is inside another, each has a
    ///     disclosure of its own (RFC 9901, 6.3).
    ///   - holder: The holder's public key, which is written as `cnf`: only a holder with its private key can present the SD-JWT
    ///     with key binding.
    /// - Throws: `disclosure(.path)` for a path that matches no claim, or a claim that must stay visible because
    ///   verification needs it (RFC 9901, 9.7); `jose` errors for malformed claims, and if signing fails; `cancelled` if
    ///   the task was cancelled.
    public func issue(
        _ claims: ClaimsBuilder, hiding hidden: [DisclosurePath], holder: PublicKey? = nil
    ) async throws(TokenError) -> SDJWT {
        let unsigned = try UnsignedSDJWT(claims, hiding: hidden, holder: holder, hash: hash, decoys: decoys)
        return unsigned.signed(try await signer.token(unsigned.payload, layer: .signature))
    }
}
