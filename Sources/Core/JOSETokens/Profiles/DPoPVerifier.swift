public import JOSE
internal import JOSEBytes

/// A DPoP proof that held.
public struct DPoPProof: Sendable {
    /// The client's key: what a token that is issued now is bound to, with `ClaimValue.confirmation(thumbprintOf:)`.
    public let key: PublicKey
    /// The proof itself: its header and claims.
    public let token: VerifiedToken
    /// For a store that must be awaited: the verifier is then made without one, and the caller asks its own before it
    /// relies on the proof.
    public let replayMark: ReplayMark
}

/// Verifies DPoP proofs with the keys that they bring (RFC 9449, 4.3). Made once, shared freely.
public struct DPoPVerifier: Sendable {
    /// Those of them that are MACs are passed over (RFC 9449, 4.3, step 5).
    public let algorithms: [SignatureAlgorithm]
    /// The store of used proofs, asked last, once every other check has passed.
    ///
    /// The key of a proof is made by its sender, so that a share of the store for each key would bound nothing. A proof takes from
    /// the share of ``DPoPRequest/client`` instead, and proofs of no known client have one share together: a flood of them can keep
    /// other such proofs out, and no tokens of other kinds or of known clients. Give proofs a store of their own, and use
    /// ``DPoPRequest/nonces`` where strangers may send them.
    public let replayStore: (any ReplayStore)?
    private let adjust: @Sendable (inout DPoPProfile) -> Void

    /// Without a store a proof can be used again, for the same request, while it is young (RFC 9449, 11.1). `adjusting`
    /// sets the age, the clock and the rest of each request's profile.
    public init(
        algorithms: [SignatureAlgorithm], replayStore: (any ReplayStore)?,
        adjusting adjust: @escaping @Sendable (inout DPoPProfile) -> Void = { _ in }
    ) {
        self.algorithms = algorithms
        self.replayStore = replayStore
        self.adjust = adjust
    }

    /// Throws what a `ProfileVerifier` would, and `jose` errors for a key that is missing, private or none.
    public func verify(_ proof: Span<UInt8>, for request: DPoPRequest) throws(TokenError) -> DPoPProof {
        var profile = DPoPProfile(request, algorithms: algorithms)
        adjust(&profile)
        let policy = profile.policy
        let key = try Self.key(of: proof, profile.signature, allowed: policy.form)
        let token = try ProfileVerifier(profile, verificationKeys: KeySet(ofOneToken: key)).verify(proof)
        let mark = try Self.mark(token, key, profile, client: request.client)
        try replayStore?.use(mark, by: profile.claims.clock)
        return DPoPProof(key: key, token: token, replayMark: mark)
    }

    /// The same of a text.
    public func verify(_ proof: String, for request: DPoPRequest) throws(TokenError) -> DPoPProof {
        try verify(proof.utf8.span, for: request)
    }

    /// The key of the header, which nobody vouches for. Names and algorithms first: they cost less than a key.
    private static func key(
        of proof: Span<UInt8>, _ signature: SignaturePolicy, allowed form: TokenPolicy.Form
    ) throws(TokenError) -> PublicKey {
        do throws(JOSEError) {
            guard proof.count <= signature.limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
            var dots = InlineArray<5, Int>(repeating: 0)
            guard findDots(in: proof, &dots) == 2 else { throw .malformed(ParseFailure(.token, .parts)) }
            let header = try JOSEHeader(segment: proof.extracting(0..<dots[0]), limits: signature.limits)
            guard case .signed(let policy) = form, let name = header.algorithmName,
                policy.algorithms.contains(where: { $0.name.utf8.elementsEqual(name.utf8) })
            else { throw .algorithmNotAllowed(.signature) }
            guard let jwk = header.json("jwk") else { throw .keyNotFound }
            var key = try PublicKey(jwk: jwk.span, limits: signature.limits)
            key.keyID = nil
            return key
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    /// The client stands for the issuer. A second more than the age: at the very end of it a proof is still taken.
    private static func mark(
        _ token: VerifiedToken, _ key: PublicKey, _ profile: DPoPProfile, client name: String?
    ) throws(TokenError) -> ReplayMark {
        do throws(JOSEError) {
            let client = try key.thumbprintURI()
            let end = (token.claims.issuedAt ?? 0) + profile.maximumAge + profile.claims.leeway + 1
            return ReplayMark(
                issuer: client, tokenID: token.claims.tokenID ?? "", expiration: end,
                share: name.map { "\u{0}DPoP:" + $0 } ?? "\u{0}DPoP")
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
