public import JOSE

/// Creates DPoP proofs with a client's key (RFC 9449, 4.2). A prover is created once and can be shared between tasks.
/// ``ExternalKeyDPoPProver`` does so with a key outside the process.
public struct DPoPProver: Sendable {
    private let signer: JWSSigner
    /// The public key, to which tokens for this client are bound.
    public let key: PublicKey
    /// The clock for `iat`.
    public let clock: WallClock

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

    /// Creates a proof for one request.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL of the request. Its query and fragment are left out of the proof.
    ///   - accessToken: The access token of the request, if it has one.
    ///   - nonce: The newest nonce that the server provided, or nil if it provided none (RFC 9449, 8).
    /// - Returns: The proof, for the header field `DPoP`.
    /// - Throws: `claim(.invalid)` for a method or a URL that is not valid in a proof, `policyInvalid(.clock)` for an
    ///   invalid time of the clock, and `jose` errors if signing fails.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: String? = nil
    ) throws(TokenError) -> String {
        let claims = try UnsignedDPoPProof.claims(
            method: method, url: url, accessToken: accessToken, nonce: nonce, clock: clock)
        return try inLayer(.signature, signer.sign(claims))
    }
}
