internal import JOSECrypto
internal import JOSESupport

/// A JWS that the policy allows, on its way to the verification of its signature together with others. The payload is
/// not accessible before the signature is verified.
package struct SignatureJob: Sendable {
    let allowed: AllowedHeader
    /// The snapshot that the keys are from; nil for a key that is the token's own.
    private let snapshot: KeySnapshot<VerificationKey>?
    /// Whether the header is to be added to the cache of the snapshot.
    private let isNew: Bool
    /// The payload, followed by the signature.
    private var bytes: [UInt8]
    private let payloadCount: Int
    private let hash: InlineArray<64, UInt8>
    /// The signing input of an Ed25519 signature; empty for others, of which the hash is enough.
    private let text: [UInt8]
    /// The index of the key to try.
    private var keyIndex = 0
    /// The error of the key before.
    private var failure = JOSEError.signatureInvalid
    /// Whether that key has verified the signature.
    private var isValid = false

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
    var key: VerificationKey? { keyIndex < allowed.keys.count ? allowed.keys[keyIndex] : nil }

    /// Whether waiting for others makes the verification by the next key cheaper. The table of a P-256 key is as fast
    /// for one signature.
    package var gains: Bool {
        guard let batchKey = key?.batchKey, batchKey.gainsFromOthers else { return false }
        // A use of an Ed25519 key is counted when the signature is verified.
        if case .ed25519 = batchKey.form { return true }
        return batchKey.forBatch() != nil
    }

    /// Records that the key to try has verified the signature.
    mutating func succeed() { isValid = true }

    /// Records the error of the key to try. The next one is to be tried.
    mutating func fail(_ error: JOSEError) {
        failure = error
        keyIndex += 1
    }

    /// Returns the value and leaves one without bytes.
    mutating func take() -> SignatureJob {
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

    /// Returns the JWS once its signature was verified, and leaves a value without payload. Throws where no key has
    /// verified it.
    package mutating func finish() throws(JOSEError) -> VerifiedJWS {
        guard isValid else { throw snapshot?.missed(allowed.signed[0].header, failure) ?? failure }
        let signed = allowed.signed[keyIndex]
        snapshot?.reportUse(of: signed.key)
        if isNew { snapshot?.headers.keep(allowed) }
        allowed.certified?.confirm(allowed)
        var payload: [UInt8] = []
        swap(&payload, &bytes)
        payload.removeLast(payload.count - payloadCount)
        return VerifiedJWS(signed, payload)
    }

    /// The limits of the policy.
    package var limits: ParsingLimits { allowed.limits }
}

extension JWSVerifier {
    /// Takes the steps of a verification of a token up to the signature, which then waits for those of other tokens.
    ///
    /// - Parameters:
    ///   - taken: The keys, if they were taken from their source already.
    ///   - job: Receives a signature that waits.
    /// - Returns: The JWS, if waiting gains nothing, so that its signature was verified at once; nil if it waits.
    package func begin(
        _ jws: Span<UInt8>, with taken: TakenVerificationKeys? = nil, _ job: inout SignatureJob?
    ) throws(JOSEError) -> VerifiedJWS? {
        var compact = try read(jws)
        let input = jws.extracting(compact.input)
        let allowed: AllowedHeader
        let snapshot: KeySnapshot<VerificationKey>?
        let isNew: Bool
        switch try selectKeys(jws, &compact, taken) {
        case .known(let known, let ofKnown): (allowed, snapshot, isNew) = (known, ofKnown, false)
        case .new(let header, let algorithm, let keys):
            // The payload of a token is encoded, so that the header may be cached.
            allowed = keys.allowed(jws.extracting(compact.header), header, algorithm, shared.policy.limits)
            (snapshot, isNew) = (keys.snapshot, true)
        }
        var hash = InlineArray<64, UInt8>(repeating: 0)
        var text: [UInt8] = []
        switch allowed.scheme {
        case .digest:
            var output = hash.mutableSpan
            do throws(CryptoError) { try allowed.hash.digest(input, into: &output) } catch { throw .backend }
        case .ed25519: text = input.copy()
        case nil:
            let signed = try allowed.verify(
                input, signature: compact.bytes.span.extracting(compact.signature), of: snapshot)
            if isNew { snapshot?.headers.keep(allowed) }
            compact.cutSignature()
            return VerifiedJWS(signed, compact.bytes)
        }
        job = SignatureJob(allowed, snapshot, isNew: isNew, compact, hash: hash, text: text)
        return nil
    }
}
