public import JOSE

/// Creates DPoP proofs as `DPoPProver` does, signed by a key outside the process, such as one in an HSM or a secure
/// enclave. A prover is created once and can be shared between tasks.
public struct ExternalKeyDPoPProver: Sendable {
    private let signer: ExternalKeySigner
    /// The public key, to which tokens for this client are bound.
    public let key: PublicKey
    /// The clock for `iat`.
    public let clock: WallClock

    /// Creates a prover. Each proof contains the public key, without `kid` and other optional parameters. The
    /// parameters and the errors are those of `DPoPProver`, with an external key that signs.
    public init(
        signer: any ExternalSigner, algorithm: SignatureAlgorithm, clock: WallClock = .system
    ) throws(TokenError) {
        key = signer.publicKey.bare
        self.clock = clock
        self.signer = try ExternalKeySigner(
            unnamed: signer, algorithm: algorithm, header: UnsignedDPoPProof.header(key), layer: .signature)
    }

    /// Creates a proof for one request as `DPoPProver` does. An invalid method or URL is rejected before the external
    /// key is called.
    ///
    /// - Throws: The errors of `DPoPProver`, and `cancelled` if the task was cancelled.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: String? = nil
    ) async throws(TokenError) -> String {
        let claims = try UnsignedDPoPProof.claims(
            method: method, url: url, accessToken: accessToken, nonce: nonce, clock: clock)
        return String(decoding: try await signer.token(claims, layer: .signature), as: UTF8.self)
    }
}
