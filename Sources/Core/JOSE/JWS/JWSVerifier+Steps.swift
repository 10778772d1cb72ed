internal import JOSEBytes

/// A header of a compact JWS that the policy allows, with the keys that it selects.
enum SelectedHeader {
    /// A header from the cache of the snapshot. The snapshot is nil where nothing is to be reported: for a set that never
    /// changes, and for a header with a verified `x5c` of its own.
    case known(AllowedHeader, KeySnapshot<VerificationKey>?)
    case new(JOSEHeader, SignatureAlgorithm, SelectedKeys)
}

/// The steps of a verification, each of which is written once: `read` and `select`, then the signature. `verify` verifies it at
/// once; `job` leaves it to a batch, which verifies those of many tokens together.
extension JWSVerifier {
    /// Reads the parts of a compact JWS: the size, the structure and the lengths are checked, and the parts are decoded.
    @inline(__always)
    func read(_ jws: Span<UInt8>) throws(JOSEError) -> CompactJWS {
        try read(jws, try CompactParts(jws, count: 3, limits: policy.limits))
    }

    @inline(__always)
    func read(_ jws: Span<UInt8>, _ parts: CompactParts) throws(JOSEError) -> CompactJWS {
        if let compact = try CompactJWS(jws, parts, policy.limits) { return compact }
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
            header = try JOSEHeader(segment: jws.extracting(parts.range(0)), limits: policy.limits)
        } catch {
            // An invalid `b64` is the fault to report; every other fault of a header comes after that of the payload.
            throw error == .headerInvalid(.b64) ? error : .malformed(ParseFailure(.payload, .base64URL))
        }
        guard header.payloadIsUnencoded else { throw .malformed(ParseFailure(.payload, .base64URL)) }
        return try CompactJWS(unencoded: jws, parts, policy.limits)
    }

    /// Reads the header of a compact JWS, checks it against the policy and selects the keys. The payload of a JWS with
    /// `b64: false` is read once more, as it is in the token.
    ///
    /// - Parameter taken: The keys, if they were taken from their source already.
    @inline(__always)
    func select(
        _ jws: Span<UInt8>, _ compact: inout CompactJWS, _ taken: TakenVerificationKeys?
    ) throws(JOSEError) -> SelectedHeader {
        let segment = jws.extracting(compact.header)
        // Most tokens take this way, which counts no reference to the keys.
        if let known = keys.fixed?.headers.find(segment) { return .known(known, nil) }
        var token = taken?.token ?? TokenKeys(keys)
        if let (known, snapshot) = try token.known(segment, from: keys) { return .known(known, snapshot) }
        if let certified, let known = certified.known(segment) { return .known(known, nil) }
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        if header.payloadIsUnencoded { compact = try CompactJWS(unencoded: jws, compact.parts, policy.limits) }
        let algorithm = try allowed(header)
        if header.payloadIsUnencoded {
            try SigningInput.checkUnencoded(jws.extracting(compact.parts.range(1)))
        } else if let certified, let own = try certified.header(segment, header, algorithm, limits: policy.limits) {
            return .known(own, nil)
        }
        return .new(header, algorithm, try selectKeys(header, algorithm, &token))
    }

    /// Reads an encoded header and checks it against the policy.
    func readHeader(_ segment: Span<UInt8>) throws(JOSEError) -> (JOSEHeader, SignatureAlgorithm) {
        let header = try JOSEHeader(segment: segment, limits: policy.limits)
        return (header, try allowed(header))
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
