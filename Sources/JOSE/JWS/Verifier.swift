internal import JOSEBytes

/// Verifies compact JWS (RFC 7515, 5.2) with one set of keys under one policy. Made once, shared freely.
public struct Verifier: Sendable {
    /// As it was given when this was made.
    public let policy: SignaturePolicy
    let keys: CandidateKeys<VerificationKey>
    /// A JWT may not leave its payload unencoded (RFC 7797, 7).
    private let isForTokens: Bool
    private let certified: CertifiedKeys?

    /// Of the set, public keys verify, private ones by their public half, symmetric ones check MACs. Keys that fit none
    /// of the policy's algorithms are kept, to say so when a token names one.
    ///
    /// With `trust`, a token that has `x5c` is verified by the key of its first certificate and by no other, once a path
    /// leads from that to a root of `trust` (RFC 7515, 4.1.6); tokens without are for `keys`. Without `trust`, `x5c` is
    /// never looked at.
    public init(keys: KeySet, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(keys, policy, trust, isForTokens: false)
    }

    package init(tokenKeys: KeySet, policy: SignaturePolicy, trust: CertificateTrust? = nil) {
        self.init(tokenKeys, policy, trust, isForTokens: true)
    }

    private init(_ keys: KeySet, _ policy: SignaturePolicy, _ trust: CertificateTrust?, isForTokens: Bool) {
        certified = trust.map { CertifiedKeys($0) }
        self.policy = policy
        self.isForTokens = isForTokens
        self.keys = CandidateKeys(keys) { VerificationKey($0, for: policy.algorithms) }
    }

    /// Checks in this order: size, shape, header, allow-list, key, signature. The payload is copied out only after all
    /// of them held.
    public func verify(_ jws: Span<UInt8>) throws(JOSEError) -> VerifiedJWS {
        let (header, payload, algorithm, key) = try open(jws)
        return VerifiedJWS(header: header, payload: payload, algorithm: algorithm, key: key)
    }

    /// The same in its parts, which a token takes over without counting each once more.
    package func open(
        _ jws: Span<UInt8>
    ) throws(JOSEError) -> (header: Header, payload: [UInt8], algorithm: SignatureAlgorithm, key: JWK) {
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
        let header = try Header(segment: jws.extracting(parts.range(0)), limits: policy.limits)
        if header.payloadIsUnencoded { return try verifyUnencoded(jws, parts, header).parts }
        let algorithm = try allowed(header)
        let key = try verifyingKey(
            header, algorithm, input: jws.extracting(0..<parts.range(1).upperBound),
            signature: bytes.span.extracting(payloadCount..<bytes.count))
        bytes.removeLast(bytes.count - payloadCount)
        return (header, bytes, algorithm, key)
    }

    /// The same of bytes in an array.
    public func verify(_ jws: [UInt8]) throws(JOSEError) -> VerifiedJWS { try verify(jws.span) }
    /// The same of a text.
    public func verify(_ jws: String) throws(JOSEError) -> VerifiedJWS { try verify(jws.utf8.span) }

    func allowed(_ header: Header) throws(JOSEError) -> SignatureAlgorithm {
        try allowed(header, algorithmIn: header)
    }

    /// What the protected header says against what the policy wants.
    func allowed(_ header: Header, algorithmIn whole: Header) throws(JOSEError) -> SignatureAlgorithm {
        guard let alg = whole.value(.alg) else { throw .headerInvalid(.algorithmMissing) }
        if isForTokens, header.payloadIsUnencoded { throw .headerInvalid(.b64) }
        try header.checkUnderstood(policy.understoodCritical, isSignature: true)
        try header.check(type: policy.type, contentType: policy.contentType)
        guard let algorithm = policy.algorithms.first(where: { alg.equals($0.core.traits.name, in: whole.bytes.span) })
        else { throw .algorithmNotAllowed(.signature) }
        return algorithm
    }

    /// The key of the header's own `x5c`, if those are trusted.
    func certifiedKey(_ header: Header, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> VerificationKey? {
        guard let certified else { return nil }
        return try certified.key(header, algorithm, limits: policy.limits)
    }

    func candidates(
        _ header: Header, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> CandidateKeys<VerificationKey>.Found {
        let bit: UInt32 = 1 << UInt32(algorithm.core.rawValue)
        return try keys.candidates(for: header, fit: bit) {
            KeySelection.unsuitability(of: $0.jwk, for: algorithm, .verify) ?? .kind
        }
    }

    /// The key by which the signature holds, out of those that the header's `kid` picks.
    func verifyingKey(
        _ header: Header, _ algorithm: SignatureAlgorithm, input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        if let key = try certifiedKey(header, algorithm) {
            try key.verify(algorithm.core, input, signature: signature)
            return key.jwk
        }
        let found = try candidates(header, algorithm)
        var failure = JOSEError.signatureInvalid
        for place in 0..<found.count {
            let key = keys[found.places[place]]
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

/// What a JWS held, and by which key. Only a `Verifier` makes one.
public struct VerifiedJWS: Sendable {
    /// What was signed with the payload.
    public let header: Header
    /// The bytes that were signed, decoded.
    public let payload: [UInt8]
    /// What the header names, and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified it.
    public let key: JWK

    fileprivate var parts: (header: Header, payload: [UInt8], algorithm: SignatureAlgorithm, key: JWK) {
        (header, payload, algorithm, key)
    }
}
