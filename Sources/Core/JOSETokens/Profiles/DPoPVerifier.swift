public import JOSE
internal import JOSEBytes

/// A verified DPoP proof.
public struct DPoPProof: Sendable {
    /// The client's public key. To bind a new token to it, set `cnf` to `ClaimValue.confirmation(thumbprintOf:)`.
    public let key: PublicKey
    /// The proof itself, with its header and claims.
    public let token: VerifiedToken
}

/// Verifies DPoP proofs with the keys that are in them (RFC 9449, 4.3). A verifier is created once and can be shared between
/// tasks.
public struct DPoPVerifier: Sendable {
    /// The accepted signature algorithms. MAC algorithms among them are ignored (RFC 9449, 4.3, step 5).
    public let algorithms: [SignatureAlgorithm]
    /// The store of used proofs, which is called last, once every other check has passed.
    ///
    /// The store limits the number of proofs for each ``DPoPRequest/client``, and not for each key, because a sender
    /// can generate any number of keys. Proofs of unknown clients have one limit together: a flood of them causes other
    /// proofs of unknown clients to be rejected, but neither proofs of known clients nor tokens of other kinds. Use a
    /// separate store for proofs, and ``DPoPRequest/nonces`` if unknown clients may send them.
    public let replayStore: (any ReplayStore)?
    private let immediateStore: (any SynchronousReplayStore)?
    private let adjust: @Sendable (inout DPoPProfile) -> Void

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted signature algorithms.
    ///   - replayStore: The store of used proofs; nil if a proof may be used again for the same request until it is too
    ///     old (RFC 9449, 11.1).
    ///   - adjust: A function that changes the profile of each request, such as its maximum age or its clock.
    public init(
        algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?,
        adjusting adjust: @escaping @Sendable (inout DPoPProfile) -> Void = { _ in }
    ) {
        self.algorithms = algorithms
        self.replayStore = replayStore
        immediateStore = replayStore as? any SynchronousReplayStore
        self.adjust = adjust
    }

    /// Verifies a proof, given as a span of ASCII bytes, for a request.
    ///
    /// - Parameters:
    ///   - proof: The value of the header field `DPoP`, in ASCII.
    ///   - request: The request.
    /// - Returns: The verified proof.
    /// - Throws: The errors of a `TokenVerifier`, `jose` errors if the key in the proof is absent, private or invalid,
    ///   and `awaitRequired` if the replay store answers asynchronously.
    public func verify(_ proof: Span<UInt8>, for request: DPoPRequest) throws(TokenError) -> DPoPProof {
        if replayStore != nil, immediateStore == nil { throw .awaitRequired }
        let (verified, mark, clock) = try unmarked(proof, for: request)
        try immediateStore?.use(mark, by: clock)
        return verified
    }

    /// Verifies a proof for a request.
    ///
    /// - Parameters:
    ///   - proof: The value of the header field `DPoP`.
    ///   - request: The request.
    /// - Returns: The verified proof.
    /// - Throws: The errors of a `TokenVerifier`, `jose` errors if the key in the proof is absent, private or invalid,
    ///   and `awaitRequired` if the replay store answers asynchronously.
    public func verify(_ proof: String, for request: DPoPRequest) throws(TokenError) -> DPoPProof {
        try verify(proof.utf8.span, for: request)
    }

    /// Verifies a proof for a request, and awaits the replay store.
    ///
    /// - Parameters:
    ///   - proof: The value of the header field `DPoP`.
    ///   - request: The request.
    /// - Returns: The verified proof.
    /// - Throws: The errors of `verify(_:for:)` except `awaitRequired`.
    public func verifyAwaitingStore(
        _ proof: String, for request: DPoPRequest
    ) async throws(TokenError) -> DPoPProof {
        let (verified, mark, clock) = try unmarked(proof.utf8.span, for: request)
        try await replayStore?.use(mark, by: clock)
        return verified
    }

    /// Makes every check before that of the replay store.
    private func unmarked(
        _ proof: Span<UInt8>, for request: DPoPRequest
    ) throws(TokenError) -> (DPoPProof, ReplayMark, WallClock) {
        var profile = DPoPProfile(request, algorithms: algorithms)
        adjust(&profile)
        let policy = profile.policy
        let key = try Self.key(of: proof, profile.signature, allowed: policy.form)
        let token = try TokenVerifier(profile, verificationKeys: KeySet(ofOneToken: key)).verify(proof)
        let mark = try Self.mark(token, key, profile, client: request.client)
        return (DPoPProof(key: key, token: token), mark, profile.claims.clock)
    }

    /// Returns the key in the header, for which nobody vouches. Names and algorithms are checked first, because that costs less
    /// than parsing a key.
    private static func key(
        of proof: Span<UInt8>, _ signature: SignaturePolicy, allowed form: TokenPolicy.Form
    ) throws(TokenError) -> PublicKey {
        do throws(JOSEError) {
            guard proof.count <= signature.limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
            var dots = InlineArray<5, Int>(repeating: 0)
            guard findDots(in: proof, &dots) == 2 else { throw .malformed(ParseFailure(.token, .parts)) }
            let header = try JOSEHeader(segment: proof.extracting(0..<dots[0]), limits: signature.limits)
            guard case .signed(let policy) = form, let name = header.algorithmName,
                policy.algorithms.contains(where: { bytesEqual($0.name, name) })
            else { throw .algorithmNotAllowed(.signature) }
            guard let jwk = header.json("jwk") else { throw .keyNotFound }
            var key = try PublicKey(jwk: jwk.span, limits: signature.limits)
            key.keyID = nil
            return key
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    /// Returns the mark of the proof, with the thumbprint of its key as issuer. It lasts one second longer than the maximum age,
    /// because a proof is accepted at the very end of that.
    private static func mark(
        _ token: VerifiedToken, _ key: PublicKey, _ profile: DPoPProfile, client name: String?
    ) throws(TokenError) -> ReplayMark {
        do throws(JOSEError) {
            let client = try key.thumbprintURI()
            let issued = token.claims.issuedAt?.secondsSince1970 ?? 0
            let end = issued + profile.maximumAgeSeconds + profile.claims.leewaySeconds + 1
            return ReplayMark(
                issuer: client, tokenID: token.claims.tokenID ?? "", expiration: NumericDate(secondsSince1970: end),
                share: name.map { "\u{0}DPoP:" + $0 } ?? "\u{0}DPoP")
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
