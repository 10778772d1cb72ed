public import JOSE

/// Creates DPoP proofs with a client's key (RFC 9449, 4.2). A prover is created once and can be shared between tasks.
public struct DPoPProver: Sendable {
    private let signer: JWSSigner
    /// The public key, to which tokens for this client are bound.
    public let key: PublicKey
    /// The clock for `iat`.
    package let clock: WallClock

    /// Creates a prover. Each proof contains the public key, without `kid` and other optional parameters.
    ///
    /// - Parameters:
    ///   - key: The private key.
    ///   - algorithm: The signature algorithm.
    ///   - clock: The clock for `iat`.
    /// - Throws: A `jose` error if the key does not fit the algorithm.
    public init(key: PrivateKey, algorithm: SignatureAlgorithm, clock: WallClock = .system) throws(TokenError) {
        var key = key
        key.keyID = nil
        self.key = key.publicKey.bare
        self.clock = clock
        signer = try inLayer(
            .signature, JWSSigner(key: key, algorithm: algorithm, header: UnsignedDPoPProof.header(self.key)))
    }

    /// Creates a prover with a key outside the process, such as one in an HSM or a secure enclave. Each proof contains
    /// the public key, without `kid` and other optional parameters. Create proofs with the method with a `timeout`; the
    /// other throws `awaitRequired`.
    ///
    /// - Parameters:
    ///   - externalKey: The key outside the process.
    ///   - algorithm: The signature algorithm.
    ///   - clock: The clock for `iat`.
    /// - Throws: A `jose` error if the key does not fit the algorithm.
    public init(
        externalKey: any ExternalSigner, algorithm: SignatureAlgorithm, clock: WallClock = .system
    ) throws(TokenError) {
        key = externalKey.publicKey.bare
        self.clock = clock
        let header = UnsignedDPoPProof.header(key)
        signer = try inLayer(
            .signature, JWSSigner(externalKey: externalKey, algorithm: algorithm, header: header, keyID: nil))
    }

    /// Creates a proof for one request.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL of the request. Its query and fragment are left out of the proof.
    ///   - accessToken: The access token of the request, if it has one.
    ///   - nonce: The newest nonce that the server provided, or nil if it provided none (RFC 9449, 8).
    /// - Returns: The proof, for the header field `DPoP`.
    /// - Throws: `claim(.invalid)` for a method or a URL that is not valid in a proof, `policyInvalid` for an
    ///   invalid time of the clock, and `jose` errors if signing fails.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: String? = nil
    ) throws(TokenError) -> String {
        let claims = try UnsignedDPoPProof.claims(
            method: method, url: url, accessToken: accessToken, nonce: nonce, clock: clock)
        return try inLayer(.signature, signer.sign(claims))
    }

    /// Creates a proof for one request as `proof(method:url:accessToken:nonce:)` does. A key outside the process is
    /// awaited; a key in the process signs at once. An invalid method or URL is rejected before the key is called.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL of the request. Its query and fragment are left out of the proof.
    ///   - accessToken: The access token of the request, if it has one.
    ///   - nonce: The newest nonce that the server provided, or nil if it provided none (RFC 9449, 8).
    ///   - limit: The longest time to wait for the key.
    /// - Throws: The errors of that method; a `jose` error with `externalKey` if the key failed or did not answer in
    ///   time; `cancelled` if the task was cancelled.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: String? = nil, timeout limit: Duration
    ) async throws(TokenError) -> String {
        let end = ContinuousClock.now + limit
        let claims = try UnsignedDPoPProof.claims(
            method: method, url: url, accessToken: accessToken, nonce: nonce, clock: clock)
        return String(decoding: try await signer.token(claims, layer: .signature, until: end), as: UTF8.self)
    }
}
