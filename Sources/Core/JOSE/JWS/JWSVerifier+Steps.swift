internal import JOSEBytes

/// A compact JWS whose payload and signature are base64url.
struct CompactJWS {
    let parts: CompactParts
    /// The payload, followed by the signature: both share one allocation.
    private(set) var bytes: [UInt8]
    let payloadCount: Int

    /// Returns nil where the payload or the signature is not base64url.
    @inline(__always)
    init?(_ jws: Span<UInt8>, _ parts: CompactParts, _ limits: ParsingLimits) throws(JOSEError) {
        self.parts = parts
        let payload = jws.extracting(parts.range(1))
        let signature = jws.extracting(parts.range(2))
        try limits.check(encodedPayload: payload.count)
        try limits.check(encodedSignature: signature.count)
        guard let decoded = Base64URL.decode(payload, signature) else { return nil }
        bytes = decoded.bytes
        payloadCount = decoded.firstCount
    }

    /// The range of the encoded header in the token.
    var header: Range<Int> { parts.range(0) }
    /// The range of the signed bytes in the token.
    var input: Range<Int> { 0..<parts.range(1).upperBound }
    /// The range of the signature in `bytes`.
    var signature: Range<Int> { payloadCount..<bytes.count }

    /// Cuts the signature off, once it was verified, so that `bytes` is the payload.
    @inline(__always)
    mutating func cutSignature() { bytes.removeLast(bytes.count - payloadCount) }
}

/// A header of a compact JWS that the policy allows, with the keys that it selects.
enum SelectedHeader {
    /// A header from the cache of the snapshot. The snapshot is nil where nothing is to be reported: for a set that never
    /// changes, and for a header with a verified `x5c` of its own.
    case known(AllowedHeader, KeySnapshot<VerificationKey>?)
    case new(JOSEHeader, SignatureAlgorithm, SelectedKeys)
    /// A header with `b64: false`, which was only parsed (RFC 7797, 3).
    case unencoded(JOSEHeader)
}

/// The steps that all serializations have in common: `allowed`, `selectKeys`, and `verify` of the selected keys. A batch
/// verifies the signatures of many tokens together in place of the last.
extension JWSVerifier {
    /// Reads the header of a compact JWS, checks it against the policy and selects the keys.
    @inline(__always)
    func selectHeader(
        _ segment: Span<UInt8>, _ taken: TakenVerificationKeys?
    ) throws(JOSEError) -> SelectedHeader {
        // Most tokens take this way, which counts no reference to the keys.
        if let known = keys.fixed?.headers.find(segment) { return .known(known, nil) }
        var token = taken?.token ?? TokenKeys(keys)
        if let (known, snapshot) = try token.known(segment, from: keys) { return .known(known, snapshot) }
        if let certified, let known = certified.known(segment) { return .known(known, nil) }
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        if header.payloadIsUnencoded { return .unencoded(header) }
        let algorithm = try allowed(header)
        if let certified, let own = try certified.header(segment, header, algorithm, limits: policy.limits) {
            return .known(own, nil)
        }
        return .new(header, algorithm, try selectKeys(header, algorithm, &token))
    }

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

    /// Returns the keys that an allowed header selects: the key of its own `x5c` if certificates are trusted, and
    /// otherwise those of the snapshot.
    func selectKeys(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ token: inout TokenKeys<VerificationKey>
    ) throws(JOSEError) -> SelectedKeys {
        if let certified, let path = try certified.path(header, algorithm, limits: policy.limits) {
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
        try selectKeys(header, algorithm, &token).verify(header, algorithm, input, signature: signature)
    }
}
