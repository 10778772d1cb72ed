internal import JOSEBytes
internal import JOSECrypto

/// A verified JWS in its parts.
package typealias OpenedJWS = (signed: SignedHeader, payload: [UInt8])

/// The state of a JWS that was read.
package enum ReadJWS: Sendable {
    /// The signature is valid.
    case opened(OpenedJWS)
    /// Everything except the signature was checked; the signature may be verified together with others.
    case pending(PendingJWS)
}

/// A JWS that the policy allows and whose signature is still to be verified. Its payload is not accessible before.
package struct PendingJWS: Sendable {
    let allowed: AllowedHeader
    /// The payload, followed by the signature.
    private var bytes: [UInt8]
    private let payloadCount: Int
    private let hash: InlineArray<64, UInt8>
    /// The index of the next key, and the error of the one before.
    private var place = 0
    private var failure = JOSEError.signatureInvalid

    fileprivate init(_ allowed: AllowedHeader, _ bytes: [UInt8], payloadCount: Int, hash: InlineArray<64, UInt8>) {
        self.allowed = allowed
        self.bytes = bytes
        self.payloadCount = payloadCount
        self.hash = hash
    }

    /// The key to try, or nil when none is left.
    var key: VerificationKey? { place < allowed.keys.count ? allowed.keys[place] : nil }

    /// Whether waiting for others makes the verification by the next key cheaper. The table of a P-256 key is as fast
    /// for one signature.
    package var gains: Bool {
        guard let batchKey = key?.batchKey, case .rsa = batchKey.form else { return false }
        return batchKey.forBatch() != nil
    }

    mutating func fail(_ error: JOSEError) {
        failure = error
        place += 1
    }

    /// Returns the value and leaves one without bytes.
    mutating func take() -> PendingJWS {
        var taken = PendingJWS(allowed, [], payloadCount: payloadCount, hash: hash)
        taken.place = place
        taken.failure = failure
        swap(&taken.bytes, &bytes)
        return taken
    }

    var signatureCount: Int { bytes.count - payloadCount }

    func append(digest digests: inout [UInt8], signature signatures: inout [UInt8]) {
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        unsafe digest.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
        signatures.append(contentsOf: bytes[payloadCount...])
    }

    /// Verifies the signature by libcrypto.
    func verifyAlone(_ key: VerificationKey) throws(JOSEError) {
        guard case .asymmetric(let key) = key.engine, let scheme = allowed.scheme else { throw .keyUnsuitable(.kind) }
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        let signature = bytes.span.extracting(payloadCount..<bytes.count)
        do throws(CryptoError) { try key.verify(scheme, digest: digest, signature: signature) } catch {
            throw JOSEError(verifying: error)
        }
    }

    /// Returns the parts once the signature was verified, and leaves a value without payload. Throws where no key
    /// verified it.
    package mutating func open(holds: Bool) throws(JOSEError) -> OpenedJWS {
        guard holds else { throw allowed.origin?.missed(allowed.signed[0].header, failure) ?? failure }
        var payload: [UInt8] = []
        swap(&payload, &bytes)
        payload.removeLast(payload.count - payloadCount)
        let signed = allowed.signed[place]
        allowed.origin?.report(signed.key)
        allowed.certified?.confirm(allowed)
        return (signed, payload)
    }

    /// The limits of the policy.
    package var limits: ParsingLimits { allowed.limits }
}

extension JWSVerifier {
    /// Takes the steps of `open` in the same order up to the signature, and verifies that too where it cannot be
    /// verified together with others. `owner` is the number of this verifier in `recent`.
    package func read(
        _ jws: Span<UInt8>, _ recent: inout RecentHeaders, owner: Int
    ) throws(JOSEError) -> ReadJWS {
        let parts = try CompactParts(jws, count: 3, limits: policy.limits)
        let payloadText = jws.extracting(parts.range(1))
        guard Base64URL.decodedCount(payloadText.count) ?? 0 <= policy.limits.plaintextBytes else {
            throw .limitExceeded(.plaintextBytes)
        }
        guard let decoded = Base64URL.decode(payloadText, jws.extracting(parts.range(2))) else {
            return .opened(try verifyUndecoded(jws, parts).parts)
        }
        var bytes = decoded.bytes
        let payloadCount = decoded.firstCount
        let segment = jws.extracting(parts.range(0))
        let allowed: AllowedHeader
        if let known = recent.find(segment, owner: owner), try known.origin?.isCurrent() ?? true {
            allowed = known
        } else if let known = certified?.known(segment) {
            allowed = known
        } else {
            let header = try JOSEHeader(segment: segment, limits: policy.limits)
            if header.payloadIsUnencoded { return .opened(try verifyUnencoded(jws, parts, header).parts) }
            allowed = try keysFound(segment, header, try self.allowed(header))
            if !isCertified(header) { recent.keep(allowed, owner: owner) }
        }
        let input = jws.extracting(0..<parts.range(1).upperBound)
        if allowed.scheme == nil {
            let signed = try allowed.verifyingHeader(
                input, signature: bytes.span.extracting(payloadCount..<bytes.count))
            bytes.removeLast(bytes.count - payloadCount)
            return .opened((signed, bytes))
        }
        var hash = InlineArray<64, UInt8>(repeating: 0)
        var place = hash.mutableSpan
        do throws(CryptoError) { try allowed.hash.digest(input, into: &place) } catch { throw .backend }
        return .pending(PendingJWS(allowed, bytes, payloadCount: payloadCount, hash: hash))
    }

    private func keysFound(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> AllowedHeader {
        if let own = try certified?.header(segment, header, algorithm, limits: policy.limits) { return own }
        guard !keys.isFixed, let source = keys.source else {
            return AllowedHeader(segment, header, algorithm, try keys.fixed.all(header, algorithm), policy.limits)
        }
        let held = try keys.current(source)
        let found: [VerificationKey]
        do throws(JOSEError) { found = try held.keys.all(header, algorithm) } catch {
            throw keys.miss(source, header, held, error)
        }
        return AllowedHeader(
            segment, header, algorithm, found, policy.limits, KeyOrigin(keys: keys, held: held))
    }
}
