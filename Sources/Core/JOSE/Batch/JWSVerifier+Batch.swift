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
    /// The snapshot that the keys are from; nil for a key that is the token's own.
    private let snapshot: KeySnapshot<VerificationKey>?
    /// Whether the header is not in the cache of the snapshot.
    private let isNew: Bool
    /// The payload, followed by the signature.
    private var bytes: [UInt8]
    private let payloadCount: Int
    private let hash: InlineArray<64, UInt8>
    /// The signing input of an Ed25519 signature; empty for others, of which the hash is enough.
    private let text: [UInt8]
    private var attempts = VerificationAttempts()

    fileprivate init(
        _ allowed: AllowedHeader, _ snapshot: KeySnapshot<VerificationKey>?, isNew: Bool,
        _ compact: consuming CompactJWS, hash: InlineArray<64, UInt8>, text: [UInt8]
    ) {
        self.allowed = allowed
        self.snapshot = snapshot
        self.isNew = isNew
        self.hash = hash
        self.text = text
        payloadCount = compact.payloadCount
        bytes = compact.bytes
    }

    /// The key to try, or nil when none is left.
    var key: VerificationKey? { attempts.place < allowed.keys.count ? allowed.keys[attempts.place] : nil }

    /// Whether waiting for others makes the verification by the next key cheaper. The table of a P-256 key is as fast
    /// for one signature.
    package var gains: Bool {
        guard let batchKey = key?.batchKey, batchKey.gainsFromOthers else { return false }
        // A use of an Ed25519 key is counted when the signature is verified.
        if case .ed25519 = batchKey.form { return true }
        return batchKey.forBatch() != nil
    }

    mutating func fail(_ error: JOSEError) { attempts.fail(error) }

    /// Returns the value and leaves one without bytes.
    mutating func take() -> PendingJWS {
        let taken = self
        bytes = []
        return taken
    }

    var signatureCount: Int { bytes.count - payloadCount }

    func append(digest digests: inout [UInt8], signature signatures: inout [UInt8]) {
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        unsafe digest.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
        signatures.append(contentsOf: bytes[payloadCount...])
    }

    func append(text texts: inout [UInt8], signature signatures: inout [UInt8]) {
        texts.append(contentsOf: text)
        signatures.append(contentsOf: bytes[payloadCount...])
    }

    /// Verifies the signature by itself.
    func verifyAlone(_ key: VerificationKey) throws(JOSEError) {
        let signature = bytes.span.extracting(payloadCount..<bytes.count)
        guard case .digest(let scheme) = allowed.scheme else {
            return try key.verify(allowed.algorithm.core, text.span, signature: signature)
        }
        guard let key = key.asymmetric else { throw .keyUnsuitable(.kind) }
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        do throws(CryptoError) { try key.verify(scheme, digest: digest, signature: signature) } catch {
            throw JOSEError(verifying: error)
        }
    }

    /// Returns the parts once the signature was verified, and leaves a value without payload. Throws where no key
    /// verified it.
    package mutating func open(holds: Bool) throws(JOSEError) -> OpenedJWS {
        guard holds else {
            throw snapshot?.missed(allowed.signed[0].header, attempts.failure) ?? attempts.failure
        }
        var payload: [UInt8] = []
        swap(&payload, &bytes)
        payload.removeLast(payload.count - payloadCount)
        let signed = allowed.signed[attempts.place]
        snapshot?.reportUse(of: signed.key)
        if isNew { snapshot?.headers.keep(allowed) }
        allowed.certified?.confirm(allowed)
        return (signed, payload)
    }

    /// The limits of the policy.
    package var limits: ParsingLimits { allowed.limits }
}

extension JWSVerifier {
    /// Takes the steps of `open` in the same order up to the signature, and verifies that too where it cannot be
    /// verified together with others.
    package func read(_ jws: Span<UInt8>, with taken: TakenVerificationKeys? = nil) throws(JOSEError) -> ReadJWS {
        let parts = try CompactParts(jws, count: 3, limits: policy.limits)
        guard var compact = try CompactJWS(jws, parts, policy.limits) else {
            return .opened(try verifyUndecoded(jws, parts).parts)
        }
        let segment = jws.extracting(compact.header)
        let input = jws.extracting(compact.input)
        let allowed: AllowedHeader
        let snapshot: KeySnapshot<VerificationKey>?
        var isNew = false
        switch try selectHeader(segment, taken) {
        case .known(let known, let ofKnown): (allowed, snapshot) = (known, ofKnown)
        case .new(let header, let algorithm, let keys):
            (allowed, snapshot) = (keys.allowed(segment, header, algorithm, policy.limits), keys.snapshot)
            isNew = true
        case .unencoded(let header): return .opened(try verifyUnencoded(jws, parts, header).parts)
        }
        guard let scheme = allowed.scheme else {
            let signed = try allowed.verify(
                input, signature: compact.bytes.span.extracting(compact.signature), of: snapshot)
            if isNew { snapshot?.headers.keep(allowed) }
            compact.cutSignature()
            return .opened((signed, compact.bytes))
        }
        var hash = InlineArray<64, UInt8>(repeating: 0)
        guard case .digest = scheme else {
            return .pending(PendingJWS(allowed, snapshot, isNew: isNew, compact, hash: hash, text: input.copy()))
        }
        var place = hash.mutableSpan
        do throws(CryptoError) { try allowed.hash.digest(input, into: &place) } catch { throw .backend }
        return .pending(PendingJWS(allowed, snapshot, isNew: isNew, compact, hash: hash, text: []))
    }
}
