internal import JOSESupport

/// A verifier of compact JWS with a set of keys and a policy (RFC 7515, 5.2).
///
/// Create one instance and share it between tasks.
public struct JWSVerifier: Sendable {
    /// The object that all copies of the verifier share. What each token needs is read here: `policy` copies several
    /// hundred bytes.
    package let shared: Shared

    package final class Shared: Sendable {
        package let policy: SignaturePolicy
        let keys: ReadyKeys<VerificationKey>
        /// Whether the payload must be encoded, as in a JWT (RFC 7797, 7).
        let isForTokens: Bool
        let certified: CertifiedKeys?

        init(
            _ policy: SignaturePolicy, _ keys: ReadyKeys<VerificationKey>, isForTokens: Bool,
            certified: CertifiedKeys? = nil
        ) {
            self.policy = policy
            self.keys = keys
            self.isForTokens = isForTokens
            self.certified = certified
        }
    }

    /// The policy that was passed to the initializer.
    package var policy: SignaturePolicy { shared.policy }
    var keys: ReadyKeys<VerificationKey> { shared.keys }
    var certified: CertifiedKeys? { shared.certified }
    /// The source of the keys, where they may change.
    package var source: (any KeySource)? { shared.keys.source }
    /// The keys at this moment; nil where the source has none.
    package var keySet: KeySet? { shared.keys.currentSet }
    /// Whether a token's own certificate may provide the key.
    package var hasTrust: Bool { shared.certified != nil }

    /// Creates a verifier.
    ///
    /// Signatures are verified with public keys, including those of private keys, and MACs with symmetric keys. Keys
    /// that fit none of the policy's algorithms may be among them: a token that names one is rejected with the reason.
    /// At least one must fit, unless there is `trust`, or a source whose keys may change: each token is verified with
    /// those that are current at that moment.
    ///
    /// - Parameters:
    ///   - keys: The keys, or a key source.
    ///   - policy: The allowed algorithms, types and limits.
    ///   - trust: The rules for certificates in tokens. With them, a token that has `x5c` is verified only with the key
    ///     of its first certificate, whose path to a trusted root must be valid, and any other token with `keys`. If
    ///     the parameter is nil, `x5c` is ignored (RFC 7515, 4.1.6).
    /// - Throws: `configurationInvalid` if the policy and the keys could accept no token.
    public init(keys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) throws(JOSEError) {
        self.init(keys, policy, trust, isForTokens: false)
        try checkConfiguration()
    }

    /// Creates a verifier of payloads of any kind whose keys are not examined.
    package init(unexaminedKeys: any KeySource, policy: SignaturePolicy) {
        self.init(unexaminedKeys, policy, nil, isForTokens: false)
    }

    /// Creates a verifier of JWTs whose keys are not examined.
    package init(tokenKeys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(tokenKeys, policy, trust, isForTokens: true)
    }

    /// Creates a verifier of JWTs of which each comes with its key, for `verify(_:key:)`. No key is prepared, so that a
    /// verifier may be created for one JWT.
    package init(tokensWithKeys policy: SignaturePolicy) {
        shared = Shared(policy, Self.noKeys, isForTokens: true)
    }

    private static let noKeys = ReadyKeys(KeySet.empty, limit: 0) { VerificationKey($0, for: []) }

    private init(
        _ source: any KeySource, _ policy: SignaturePolicy, _ trust: CertificateTrust?, isForTokens: Bool
    ) {
        let algorithms = policy.algorithms
        let keys = ReadyKeys(source, limit: policy.limits.candidateKeys) { VerificationKey($0, for: algorithms) }
        shared = Shared(
            policy, keys, isForTokens: isForTokens, certified: trust.map { CertifiedKeys($0, for: algorithms) })
    }

    /// Verifies a compact JWS and returns its payload and header (RFC 7515, 5.2).
    ///
    /// The checks are made in this order: size, structure, header, allowed algorithms, key, signature. The payload is
    /// not released before all of them have passed.
    ///
    /// - Throws: `JOSEError`.
    @inlinable public func verify(_ jws: borrowing some BorrowedBytes) throws(JOSEError) -> VerifiedJWS {
        try jws.withBytes { jws throws(JOSEError) in try verify(jws) }
    }

    @usableFromInline package func verify(_ jws: Span<UInt8>) throws(JOSEError) -> VerifiedJWS {
        try verify(jws, with: nil)
    }

    /// Verifies a compact JWS at once. `taken` are the keys, if they were taken from their source already.
    package func verify(
        _ jws: Span<UInt8>, with taken: TakenVerificationKeys?
    ) throws(JOSEError) -> VerifiedJWS {
        var compact = try read(jws)
        let segment = jws.extracting(compact.header)
        let input = jws.extracting(compact.input)
        // Most tokens take this way.
        if let fixed = keys.fixed, let known = unsafe fixed.headers.entry(of: segment) {
            let signed = try unsafe known._withUnsafeGuaranteedRef {
                $0.allowed.verifyUnderFixedKeys(input, compact.bytes.span.extracting(compact.signature))
            }.get()
            compact.cutSignature()
            return VerifiedJWS(signed, compact.bytes)
        }
        let signed: SignedHeader
        switch try selectKeys(jws, &compact, taken) {
        case .known(let allowed, let snapshot):
            signed = try allowed.verify(
                input, signature: compact.bytes.span.extracting(compact.signature), of: snapshot)
        case .new(let header, let algorithm, let keys):
            let signature = compact.bytes.span.extracting(compact.signature)
            let index = try keys.first(for: header) { index throws(JOSEError) in
                try keys[index].verify(algorithm.core, input, signature: signature)
            }
            signed = SignedHeader(header, algorithm, keys[index].jwk)
            if !header.payloadIsUnencoded {
                keys.snapshot?.headers.keep(segment) { keys.allowed(segment, header, algorithm, shared.policy.limits) }
            }
        }
        compact.cutSignature()
        return VerifiedJWS(signed, compact.bytes)
    }

    /// Returns whether the key is the token's own. It is trusted for this token only.
    func isCertified(_ header: JOSEHeader) -> Bool { certified != nil && header.value(.x5c) != nil }
}

/// The steps of a verification, each of which is written once: `read` and `selectKeys`, then the signature. `verify`
/// verifies it at once; `begin` leaves it to a batch, which verifies those of many tokens together.
extension JWSVerifier {
    /// Reads the parts of a compact JWS: the size, the structure and the lengths are checked, and the parts are
    /// decoded.
    @inline(__always)
    func read(_ jws: Span<UInt8>) throws(JOSEError) -> CompactJWS {
        try read(jws, try CompactParts(jws, count: 3, limits: shared.policy.limits))
    }

    @inline(__always)
    func read(_ jws: Span<UInt8>, _ parts: CompactParts) throws(JOSEError) -> CompactJWS {
        if let compact = try CompactJWS(jws, parts, shared.policy.limits) { return compact }
        return try readUndecoded(jws, parts)
    }

    /// Reads a compact JWS whose payload or signature is not base64url. The payload need not be, if the header has
    /// `b64: false` (RFC 7797, 5.2).
    @inline(never)  // Few tokens take this way.
    private func readUndecoded(_ jws: Span<UInt8>, _ parts: CompactParts) throws(JOSEError) -> CompactJWS {
        guard Base64URL.decode(jws.extracting(parts.range(1))) == nil else {
            throw .malformed(ParseFailure(.signature, .base64URL))
        }
        let header: JOSEHeader
        do throws(JOSEError) {
            header = try JOSEHeader(segment: jws.extracting(parts.range(0)), limits: shared.policy.limits)
        } catch {
            // An invalid `b64` is the fault to report; every other fault of a header comes after that of the payload.
            throw error == .headerInvalid(.b64) ? error : .malformed(ParseFailure(.payload, .base64URL))
        }
        guard header.payloadIsUnencoded else { throw .malformed(ParseFailure(.payload, .base64URL)) }
        return try CompactJWS(unencoded: jws, parts, shared.policy.limits)
    }

    /// Reads the header of a compact JWS, checks it against the policy and selects the keys. The payload of a JWS with
    /// `b64: false` is read once more, as it is in the token.
    ///
    /// - Parameter taken: The keys, if they were taken from their source already.
    @inline(__always)
    func selectKeys(
        _ jws: Span<UInt8>, _ compact: inout CompactJWS, _ taken: TakenVerificationKeys?
    ) throws(JOSEError) -> SelectedHeader {
        let segment = jws.extracting(compact.header)
        // Most tokens take this way, which counts no reference to the keys.
        if let known = keys.fixed?.headers.find(segment) { return .known(known, nil) }
        var token = taken?.token ?? TokenKeys(keys)
        if let (known, snapshot) = try token.known(segment, from: keys) { return .known(known, snapshot) }
        if let certified, let known = certified.known(segment) { return .known(known, nil) }
        let header = try JOSEHeader(segment: segment, limits: shared.policy.limits)
        if header.payloadIsUnencoded { compact = try CompactJWS(unencoded: jws, compact.parts, shared.policy.limits) }
        let algorithm = try allowed(header)
        if header.payloadIsUnencoded {
            try SigningInput.checkUnencoded(jws.extracting(compact.parts.range(1)))
        } else if let certified,
            let own = try certified.header(segment, header, algorithm, limits: shared.policy.limits)
        {
            return .known(own, nil)
        }
        return .new(header, algorithm, try selectKeys(header, algorithm, &token))
    }

    /// Reads an encoded header and checks it against the policy.
    func readHeader(_ segment: Span<UInt8>) throws(JOSEError) -> (JOSEHeader, SignatureAlgorithm) {
        let header = try JOSEHeader(segment: segment, limits: shared.policy.limits)
        return (header, try allowed(header))
    }

    func allowed(_ header: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        try allowed(header, algorithmIn: header)
    }

    /// Checks the protected header against the policy, and returns the algorithm.
    func allowed(_ header: JOSEHeader, algorithmIn whole: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        guard let alg = whole.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        if shared.isForTokens, header.payloadIsUnencoded { throw .headerInvalid(.b64) }
        try header.checkUnderstood(shared.policy.understoodCritical, isSignature: true)
        try header.check(type: shared.policy.type, contentType: shared.policy.contentType)
        guard
            let algorithm = shared.policy.algorithms.first(where: {
                alg.equals($0.core.traits.name, in: whole.bytes.span)
            })
        else { throw .algorithmNotAllowed(.signature) }
        return algorithm
    }

    /// Returns the keys that an allowed header selects: the key of its own `x5c` if certificates are trusted, and
    /// otherwise those of the snapshot.
    func selectKeys(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ token: inout TokenKeys<VerificationKey>
    ) throws(JOSEError) -> SelectedKeys {
        if let certified, let path = try certified.path(header, algorithm, limits: shared.policy.limits) {
            return .own(path, of: certified)
        }
        let snapshot = try token.take(from: keys)
        do throws(JOSEError) {
            return .found(try snapshot.keys.candidates(header, algorithm), of: snapshot)
        } catch {
            throw snapshot.missed(header, error)
        }
    }

    /// Returns the key that verifies the signature, among those that the header selects.
    @inline(never)  // Inlined into the rarer forms, it would copy the verifier there.
    func verifyingKey(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>,
        _ token: inout TokenKeys<VerificationKey>
    ) throws(JOSEError) -> JWK {
        let selected = try selectKeys(header, algorithm, &token)
        let index = try selected.first(for: header) { index throws(JOSEError) in
            try selected[index].verify(algorithm.core, input, signature: signature)
        }
        return selected[index].jwk
    }
}

/// A verified JWS: its payload, its header and the key. Only a ``JWSVerifier`` creates one.
public struct VerifiedJWS: Sendable {
    /// The header, the algorithm and the key, which a token takes over by counting one reference.
    package let signed: SignedHeader
    /// The payload, decoded from base64url.
    public let payload: [UInt8]

    init(_ signed: SignedHeader, _ payload: [UInt8]) {
        self.signed = signed
        self.payload = payload
    }

    /// The protected header, which the signature covers.
    public var header: JOSEHeader { signed.header }
    /// The algorithm that the header names and the policy allows.
    public var algorithm: SignatureAlgorithm { signed.algorithm }
    /// The key that verified the signature.
    public var key: JWK { signed.key }
}
