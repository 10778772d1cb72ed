internal import JOSEBytes

/// A verifier of compact JWS with a set of keys and a policy (RFC 7515, 5.2).
///
/// Create one instance and share it between tasks.
public struct JWSVerifier: Sendable {
    /// The policy that was passed to the initializer.
    public let policy: SignaturePolicy
    let keys: ReadyKeys<VerificationKey>
    /// The source of the keys, where they may change.
    package var source: (any KeySource)? { keys.source }
    /// The generation of the current keys; nil where the source has none.
    package var generation: KeyGeneration? { keys.generation() }
    /// Whether a token's own certificate may provide the key.
    package var hasTrust: Bool { certified != nil }
    /// Whether the payload must be encoded, as in a JWT (RFC 7797, 7).
    private let isForTokens: Bool
    let certified: CertifiedKeys?

    /// Creates a verifier.
    ///
    /// Signatures are verified with public keys, including those of private keys, and MACs with symmetric keys. Keys
    /// that fit none of the policy's algorithms may be among them: a token that names one is rejected with the reason.
    /// If the source's keys change, each token is verified with those that are current at that moment.
    ///
    /// - Parameters:
    ///   - keys: The keys, or a key source.
    ///   - policy: The allowed algorithms, types and limits.
    ///   - trust: The rules for certificates in tokens. With them, a token that has `x5c` is verified only with the key
    ///     of its first certificate, whose path to a trusted root must be valid, and any other token with `keys`. If
    ///     the parameter is nil, `x5c` is ignored (RFC 7515, 4.1.6).
    public init(keys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(keys, policy, trust, isForTokens: false)
    }

    package init(tokenKeys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(tokenKeys, policy, trust, isForTokens: true)
    }

    private init(
        _ source: any KeySource, _ policy: SignaturePolicy, _ trust: CertificateTrust?, isForTokens: Bool
    ) {
        certified = trust.map { CertifiedKeys($0, for: policy.algorithms) }
        self.policy = policy
        self.isForTokens = isForTokens
        let algorithms = policy.algorithms
        keys = ReadyKeys(source) { VerificationKey($0, for: algorithms, isLasting: $1) }
    }

    /// Verifies a compact JWS, given as ASCII bytes, and returns its payload and header (RFC 7515, 5.2).
    ///
    /// The checks are made in this order: size, structure, header, allowed algorithms, key, signature. The payload is
    /// not released before all of them have passed.
    ///
    /// - Throws: `JOSEError`.
    public func verify(_ jws: Span<UInt8>) throws(JOSEError) -> VerifiedJWS {
        let (signed, payload) = try open(jws)
        return VerifiedJWS(header: signed.header, payload: payload, algorithm: signed.algorithm, key: signed.key)
    }

    /// Verifies a compact JWS and returns its parts, which a token takes over without further reference counting.
    package func open(
        _ jws: Span<UInt8>
    ) throws(JOSEError) -> OpenedJWS {
        let parts = try CompactParts(jws, count: 3, limits: policy.limits)
        let payloadText = jws.extracting(parts.range(1))
        let signatureText = jws.extracting(parts.range(2))
        guard Base64URL.decodedCount(payloadText.count) ?? 0 <= policy.limits.plaintextBytes else {
            throw .limitExceeded(.plaintextBytes)
        }
        // Payload and signature share one allocation. The signature is cut off before the payload is returned.
        guard let decoded = Base64URL.decode(payloadText, signatureText) else {
            return try verifyUndecoded(jws, parts).parts
        }
        var bytes = decoded.bytes
        let payloadCount = decoded.firstCount
        let segment = jws.extracting(parts.range(0))
        let input = jws.extracting(0..<parts.range(1).upperBound)
        guard
            let signed = try signedHeader(segment, input, signature: bytes.span.extracting(payloadCount..<bytes.count))
        else { return try verifyUnencoded(jws, parts, JOSEHeader(segment: segment, limits: policy.limits)).parts }
        bytes.removeLast(bytes.count - payloadCount)
        return (signed, bytes)
    }

    /// Verifies the signature and returns the header, or nil for a header whose payload is not encoded.
    private func signedHeader(
        _ segment: Span<UInt8>, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> SignedHeader? {
        if let (known, held) = try keys.known(segment) {
            return try keys.verifyingHeader(known, held, input, signature: signature)
        }
        if let known = certified?.known(segment) { return try known.verifyingHeader(input, signature: signature) }
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        if header.payloadIsUnencoded { return nil }
        let algorithm = try allowed(header)
        if let own = try certified?.header(segment, header, algorithm, limits: policy.limits) {
            return try own.verifyingHeader(input, signature: signature)
        }
        let key = try verifyingKey(header, algorithm, input: input, signature: signature)
        let signed = SignedHeader(header, algorithm, key)
        keys.remember(segment, signed, policy.limits)
        return signed
    }

    /// Verifies a compact JWS, given as an array of ASCII bytes, and returns its payload and header (RFC 7515, 5.2).
    ///
    /// The checks are made in this order: size, structure, header, allowed algorithms, key, signature. The payload is
    /// not released before all of them have passed.
    ///
    /// - Throws: `JOSEError`.
    public func verify(_ jws: [UInt8]) throws(JOSEError) -> VerifiedJWS { try verify(jws.span) }
    /// Verifies a compact JWS and returns its payload and header (RFC 7515, 5.2).
    ///
    /// The checks are made in this order: size, structure, header, allowed algorithms, key, signature. The payload is
    /// not released before all of them have passed.
    ///
    /// - Throws: `JOSEError`.
    public func verify(_ jws: String) throws(JOSEError) -> VerifiedJWS { try verify(jws.utf8.span) }

    func allowed(_ header: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        try allowed(header, algorithmIn: header)
    }

    /// Checks the protected header against the policy, and returns the algorithm.
    func allowed(_ header: JOSEHeader, algorithmIn whole: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        guard let alg = whole.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        if isForTokens, header.payloadIsUnencoded { throw .headerInvalid(.b64) }
        try header.checkUnderstood(policy.understoodCritical, isSignature: true)
        try header.check(type: policy.type, contentType: policy.contentType)
        guard let algorithm = policy.algorithms.first(where: { alg.equals($0.core.traits.name, in: whole.bytes.span) })
        else { throw .algorithmNotAllowed(.signature) }
        return algorithm
    }

    /// Returns the verified path of the header's own `x5c`, if that is trusted.
    func certifiedPath(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> VerifiedPath? {
        guard let certified else { return nil }
        return try certified.path(header, algorithm, limits: policy.limits)
    }

    /// Returns whether the key is the token's own. It is trusted for this token only.
    func isCertified(_ header: JOSEHeader) -> Bool { certified != nil && header.value(.x5c) != nil }

    /// Returns the keys that the header's `kid` selects at this moment.
    func keysToTry(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> [VerificationKey] {
        if let path = try certifiedPath(header, algorithm) { return [path.key] }
        guard !keys.isFixed, let source = keys.source else { return try keys.fixed.all(header, algorithm) }
        let held = try keys.current(source)
        do throws(JOSEError) { return try held.keys.all(header, algorithm) } catch {
            throw keys.miss(source, header, held, error)
        }
    }

    /// Returns the key that verifies the signature, among those that the header's `kid` selects.
    @inline(never)  // Inlined into the rarer forms, it would copy the verifier there.
    func verifyingKey(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        if let path = try certifiedPath(header, algorithm) {
            try path.key.verify(algorithm.core, input, signature: signature)
            certified?.confirm(path)
            return path.key.jwk
        }
        if keys.isFixed { return try keys.fixed.verifyingKey(header, algorithm, input: input, signature: signature) }
        return try keys.verifyingKey(header, algorithm, input: input, signature: signature)
    }
}

extension ReadyKeys<VerificationKey> {
    typealias Known = (header: AllowedHeader, held: Held?)

    /// Returns the cached header with the same bytes. If the source has changed meanwhile, there is none.
    fileprivate func known(_ segment: Span<UInt8>) throws(JOSEError) -> Known? {
        if isFixed { return headers.find(segment).map { ($0, nil) } }
        guard let source, let latest, let known = latest.headers.find(segment) else { return nil }
        return latest.set.isSame(as: try source.current()) ? (known, latest) : nil
    }

    /// Verifies the signature by the keys of a cached header.
    fileprivate func verifyingHeader(
        _ known: AllowedHeader, _ held: Held?, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> SignedHeader {
        let place: Int
        do throws(JOSEError) { place = try known.verifyingPlace(input, signature: signature) } catch {
            guard let held, let source else { throw error }
            throw miss(source, known.signed[0].header, held, error)
        }
        if held != nil { source?.reportUse(of: known.signed[place].key) }
        return known.signed[place]
    }

    /// Caches the header of a verified token for later tokens.
    fileprivate func remember(_ segment: Span<UInt8>, _ signed: SignedHeader, _ limits: ParsingLimits) {
        if isFixed {
            guard headers.wants(segment), let found = try? fixed.all(signed.header, signed.algorithm) else { return }
            headers.keep(AllowedHeader(segment, signed.header, signed.algorithm, found, limits))
        } else if let latest, latest.headers.wants(segment),
            let found = try? latest.keys.all(signed.header, signed.algorithm)
        {
            latest.headers.keep(AllowedHeader(segment, signed.header, signed.algorithm, found, limits))
        }
    }

    /// Verifies the signature by the keys that the source has now.
    fileprivate func verifyingKey(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        guard let source else { throw .keyNotFound }
        let held = try current(source)
        let key: JWK
        do throws(JOSEError) {
            key = try held.keys.verifyingKey(header, algorithm, input: input, signature: signature)
        } catch {
            throw miss(source, header, held, error)
        }
        source.reportUse(of: key)
        return key
    }
}

extension CandidateKeys<VerificationKey> {
    private func candidates(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> Found {
        let bit: UInt32 = 1 << UInt32(algorithm.core.rawValue)
        return try candidates(for: header, fit: bit) {
            KeySelection.unsuitability(of: $0.jwk, for: algorithm, .verify) ?? .kind
        }
    }

    func all(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> [VerificationKey] {
        let found = try candidates(header, algorithm)
        return (0..<found.count).map { self[found.places[$0]] }
    }

    fileprivate func verifyingKey(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        let found = try candidates(header, algorithm)
        var failure = JOSEError.signatureInvalid
        for place in 0..<found.count {
            let key = self[found.places[place]]
            do throws(JOSEError) {
                try key.verify(algorithm.core, input, signature: signature)
                return key.jwk
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

/// A verified JWS: its payload, its header and the key. Only a ``JWSVerifier`` creates one.
public struct VerifiedJWS: Sendable {
    /// The protected header, which the signature covers.
    public let header: JOSEHeader
    /// The payload, decoded from base64url.
    public let payload: [UInt8]
    /// The algorithm that the header names and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified the signature.
    public let key: JWK

    var parts: OpenedJWS { (SignedHeader(header, algorithm, key), payload) }
}
