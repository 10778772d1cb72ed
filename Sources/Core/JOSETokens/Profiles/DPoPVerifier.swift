public import JOSE
internal import JOSESupport

/// A verified DPoP proof.
public struct DPoPProof: Sendable {
    /// The client's public key. To bind a new token to it, set `cnf` to `ClaimValue.confirmation(thumbprintOf:)`.
    public let key: PublicKey
    /// The proof itself, with its header and claims.
    public let token: VerifiedToken
}

/// Verifies DPoP proofs with the keys that are in them (RFC 9449, 4.3). A verifier is created once and can be shared
/// between tasks.
public struct DPoPVerifier: Sendable {
    /// The requirements for proofs.
    package let profile: DPoPProfile
    /// The store of used proofs, which is called last, once every other check has passed.
    ///
    /// The store limits the number of proofs for each ``DPoPRequest/client``, and not for each key, because a sender
    /// can generate any number of keys. Proofs of unknown clients have one limit together: a flood of them causes other
    /// proofs of unknown clients to be rejected, but neither proofs of known clients nor tokens of other kinds. Use a
    /// separate store for proofs, and ``DPoPRequest/nonces`` if unknown clients may send them.
    package let replayStore: (any ReplayStore)?
    private let immediateStore: (any SynchronousReplayStore)?
    private let verifier: JWSVerifier
    private let checker: ClaimChecker
    private let reporter: VerificationReporter
    /// The number of seconds for which a proof is accepted after its `iat`, and one more, because a proof is accepted
    /// at the very end of that time.
    private let markSeconds: Double

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted signature algorithms. MAC algorithms among them are ignored (RFC 9449, 4.3, step
    ///     5).
    ///   - replayStore: The store of used proofs; nil if a proof may be used again for the same request until it is too
    ///     old (RFC 9449, 11.1).
    ///   - observer: The observer that is told of each proof; nil for none. A proof names no issuer.
    ///   - adjust: A function that changes the profile, such as its maximum age or its clock. It is called once.
    /// - Throws: `policyInvalid` if the profile contradicts itself or sets what the profile determines; `jose` with
    ///   `configurationInvalid` if no asymmetric algorithm is accepted.
    public init(
        algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?,
        observer: (any VerificationObserver)? = nil, adjusting adjust: (inout DPoPProfile) -> Void = { _ in }
    ) throws(TokenError) {
        var profile = DPoPProfile(algorithms: algorithms)
        adjust(&profile)
        if let fault = profile.fault { throw .policyInvalid(fault) }
        self.profile = profile
        self.replayStore = replayStore
        immediateStore = replayStore as? any SynchronousReplayStore
        guard !profile.requiredSignature.algorithms.isEmpty else {
            throw .jose(.configurationInvalid(.noAlgorithms), layer: .signature)
        }
        verifier = JWSVerifier(tokensWithKeys: profile.requiredSignature)
        let claims = profile.requiredClaims
        checker = try ClaimChecker(claims)
        reporter = VerificationReporter(observer, issuer: nil)
        markSeconds = profile.maximumAge.inSeconds + claims.leewaySeconds + 1
    }

    /// Verifies a proof for a request.
    ///
    /// - Parameters:
    ///   - proof: The value of the header field `DPoP`.
    ///   - request: The request.
    /// - Returns: The verified proof.
    /// - Throws: The errors of a `TokenVerifier`, `jose` errors if the key in the proof is absent, private or invalid,
    ///   and `awaitRequired` if the replay store answers asynchronously.
    public func verify(
        _ proof: borrowing some BorrowedBytes, for request: DPoPRequest
    ) throws(TokenError) -> DPoPProof {
        try proof.withBytes { proof throws(TokenError) in
            try reporter.observe(Self.algorithm) { _ throws(TokenError) in try verified(proof, for: request) }
        }
    }

    private static func algorithm(_ proof: DPoPProof) -> SignatureAlgorithm? { proof.token.algorithm }

    private func verified(_ proof: Span<UInt8>, for request: DPoPRequest) throws(TokenError) -> DPoPProof {
        if replayStore != nil, immediateStore == nil { throw .awaitRequired }
        let (verified, mark) = try unmarked(proof, for: request)
        try immediateStore?.use(mark, by: checker.policy.clock)
        return verified
    }

    /// Verifies a proof for a request, and awaits the replay store.
    ///
    /// - Parameters:
    ///   - proof: The value of the header field `DPoP`.
    ///   - request: The request.
    /// - Returns: The verified proof.
    /// - Throws: The errors of `verify(_:for:)` except `awaitRequired`.
    public func verifyAwaitingStore(
        _ proof: some ByteSource, for request: DPoPRequest
    ) async throws(TokenError) -> DPoPProof {
        let bytes = proof.array
        return try await reporter.observeAwaiting(Self.algorithm) { _ async throws(TokenError) in
            let (verified, mark) = try unmarked(bytes.span, for: request)
            try await replayStore?.use(mark, by: checker.policy.clock)
            return verified
        }
    }

    /// Makes every check before that of the replay store.
    private func unmarked(
        _ proof: Span<UInt8>, for request: DPoPRequest
    ) throws(TokenError) -> (DPoPProof, ReplayMark) {
        let limits = verifier.shared.policy.limits
        let jws: VerifiedJWS
        let key: PublicKey
        let thumbprint: [UInt8]
        do throws(JOSEError) {
            // Nobody vouches for the key. What does not need it is checked first, because that costs less.
            jws = try verifier.verify(proof) { header throws(JOSEError) in
                guard let jwk = header.json("jwk") else { throw .keyNotFound }
                var key = try PublicKey(jwk: jwk.span, limits: limits)
                if key.keyID != nil { key.keyID = nil }
                return key
            }
            guard case .publicKey(let used) = jws.key else { throw .keyNotFound }
            key = used
            thumbprint = try key.thumbprint()
        } catch {
            throw .jose(error, layer: .signature)
        }
        let claims = try Claims(payload: jws.payload, limits: limits, layer: .signature)
        try checker.check(claims, algorithm: jws.algorithm, outer: nil)
        try request.check(claims, key: key, thumbprint: thumbprint)
        let issued = claims.issuedAt?.secondsSince1970 ?? 0
        let mark = ReplayMark(
            issuer: HashAlgorithm.sha256.uri(thumbprint), tokenID: claims.tokenID ?? "",
            expiration: NumericDate(secondsSince1970: issued + markSeconds),
            share: request.client.map { "\u{0}DPoP:" + $0 } ?? "\u{0}DPoP")
        return (DPoPProof(key: key, token: VerifiedToken(claims: claims, jws.signed)), mark)
    }
}
