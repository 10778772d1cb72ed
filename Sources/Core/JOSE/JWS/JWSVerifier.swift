internal import JOSEBytes

/// Verifies compact JWS (RFC 7515, 5.2) with one set of keys under one policy. Made once, shared freely.
public struct JWSVerifier: Sendable {
    /// As it was given when this was made.
    public let policy: SignaturePolicy
    let keys: ReadyKeys<VerificationKey>
    /// Where the keys come from, when they may change.
    package var source: (any KeySource)? { keys.source }
    /// Which keys it has now; nil where its source has none.
    package var generation: KeyGeneration? { keys.generation() }
    /// Whether a token's own certificate may give the key.
    package var hasTrust: Bool { certified != nil }
    /// A JWT may not leave its payload unencoded (RFC 7797, 7).
    private let isForTokens: Bool
    let certified: CertifiedKeys?

    /// Of the keys, public ones verify, private ones by their public half, symmetric ones check MACs. Keys that fit none
    /// of the policy's algorithms are kept, to say so when a token names one. With a source that may change, each token is
    /// verified by the keys that it has at that moment.
    ///
    /// With `trust`, a token that has `x5c` is verified by the key of its first certificate and by no other, once a path
    /// leads from that to a root of `trust` (RFC 7515, 4.1.6); tokens without are for `keys`. Without `trust`, `x5c` is
    /// never looked at.
    public init(keys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(keys, policy, trust, isForTokens: false)
    }

    package init(tokenKeys: any KeySource, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(tokenKeys, policy, trust, isForTokens: true)
    }

    private init(
        _ source: any KeySource, _ policy: SignaturePolicy, _ trust: CertificateTrust?, isForTokens: Bool
    ) {
        certified = trust.map { CertifiedKeys($0) }
        self.policy = policy
        self.isForTokens = isForTokens
        let algorithms = policy.algorithms
        keys = ReadyKeys(source) { VerificationKey($0, for: algorithms, isLasting: $1) }
    }

    /// Checks in this order: size, shape, header, allow-list, key, signature. The payload is copied out only after all
    /// of them held.
    public func verify(_ jws: Span<UInt8>) throws(JOSEError) -> VerifiedJWS {
        let (signed, payload) = try open(jws)
        return VerifiedJWS(header: signed.header, payload: payload, algorithm: signed.algorithm, key: signed.key)
    }

    /// The same in its parts, which a token takes over without counting each once more.
    package func open(
        _ jws: Span<UInt8>
    ) throws(JOSEError) -> OpenedJWS {
        let parts = try CompactParts(jws, count: 3, limits: policy.limits)
        let payloadText = jws.extracting(parts.range(1))
        let signatureText = jws.extracting(parts.range(2))
        guard Base64URL.decodedCount(payloadText.count) ?? 0 <= policy.limits.plaintextBytes else {
            throw .limitExceeded(.plaintextBytes)
        }
        // Payload and signature share one allocation; the signature is cut off again before anyone sees it.
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

    /// Once the signature holds. Nil for a header of a payload that is not encoded.
    private func signedHeader(
        _ segment: Span<UInt8>, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> SignedHeader? {
        if let (known, held) = try keys.known(segment) {
            return try keys.verifyingHeader(known, held, input, signature: signature)
        }
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        if header.payloadIsUnencoded { return nil }
        let algorithm = try allowed(header)
        let key = try verifyingKey(header, algorithm, input: input, signature: signature)
        let signed = SignedHeader(header, algorithm, key)
        if !isCertified(header) { keys.remember(segment, signed, policy.limits) }
        return signed
    }

    /// The same of bytes in an array.
    public func verify(_ jws: [UInt8]) throws(JOSEError) -> VerifiedJWS { try verify(jws.span) }
    /// The same of a text.
    public func verify(_ jws: String) throws(JOSEError) -> VerifiedJWS { try verify(jws.utf8.span) }

    func allowed(_ header: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        try allowed(header, algorithmIn: header)
    }

    /// What the protected header says against what the policy wants.
    func allowed(_ header: JOSEHeader, algorithmIn whole: JOSEHeader) throws(JOSEError) -> SignatureAlgorithm {
        guard let alg = whole.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        if isForTokens, header.payloadIsUnencoded { throw .headerInvalid(.b64) }
        try header.checkUnderstood(policy.understoodCritical, isSignature: true)
        try header.check(type: policy.type, contentType: policy.contentType)
        guard let algorithm = policy.algorithms.first(where: { alg.equals($0.core.traits.name, in: whole.bytes.span) })
        else { throw .algorithmNotAllowed(.signature) }
        return algorithm
    }

    /// The key of the header's own `x5c`, if those are trusted.
    func certifiedKey(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> VerificationKey? {
        guard let certified else { return nil }
        return try certified.key(header, algorithm, limits: policy.limits)
    }

    /// Its key is the token's own, and trusted for no longer than a moment.
    func isCertified(_ header: JOSEHeader) -> Bool { certified != nil && header.value(.x5c) != nil }

    /// Those that the header's `kid` picks, at this moment.
    func keysToTry(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> [VerificationKey] {
        if let key = try certifiedKey(header, algorithm) { return [key] }
        guard !keys.isFixed, let source = keys.source else { return try keys.fixed.all(header, algorithm) }
        let held = try keys.current(source)
        do throws(JOSEError) { return try held.keys.all(header, algorithm) } catch {
            throw keys.miss(source, header, held, error)
        }
    }

    /// The key by which the signature holds, out of those that the header's `kid` picks.
    @inline(never)  // into the rarer forms it brings copies of the verifier
    func verifyingKey(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        if let key = try certifiedKey(header, algorithm) {
            try key.verify(algorithm.core, input, signature: signature)
            return key.jwk
        }
        if keys.isFixed { return try keys.fixed.verifyingKey(header, algorithm, input: input, signature: signature) }
        return try keys.verifyingKey(header, algorithm, input: input, signature: signature)
    }
}

extension ReadyKeys<VerificationKey> {
    typealias Known = (header: AllowedHeader, held: Held?)

    /// What is known of a header of the same bytes. A source that has changed meanwhile is asked for its keys anew.
    fileprivate func known(_ segment: Span<UInt8>) throws(JOSEError) -> Known? {
        if isFixed { return headers.find(segment).map { ($0, nil) } }
        guard let source, let latest, let known = latest.headers.find(segment) else { return nil }
        return latest.set.isSame(as: try source.current()) ? (known, latest) : nil
    }

    /// By the keys that are known to be the header's.
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

    /// For the tokens to come, after one that held.
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

    /// By the keys that the source has now.
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

/// What a JWS held, and by which key. Only a `JWSVerifier` makes one.
public struct VerifiedJWS: Sendable {
    /// What was signed with the payload.
    public let header: JOSEHeader
    /// The bytes that were signed, decoded.
    public let payload: [UInt8]
    /// What the header names, and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified it.
    public let key: JWK

    var parts: OpenedJWS { (SignedHeader(header, algorithm, key), payload) }
}
