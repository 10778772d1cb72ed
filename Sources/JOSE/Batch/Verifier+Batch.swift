internal import JOSEBytes
internal import JOSECrypto

/// A JWS that held, in its parts.
package typealias OpenedJWS = (header: Header, payload: [UInt8], algorithm: SignatureAlgorithm, key: JWK)

/// How far a JWS has come once it was read.
package enum ReadJWS: Sendable {
    /// Its signature holds.
    case opened(OpenedJWS)
    /// All but its signature holds, and that may be verified together with others.
    case pending(PendingJWS)
}

/// A JWS that the policy allows, and whose signature is still to be verified. What is in it nobody gets to see before it is.
package struct PendingJWS: Sendable {
    let allowed: AllowedHeader
    /// Payload and signature.
    private var bytes: [UInt8]
    private let payloadCount: Int
    private let hash: InlineArray<64, UInt8>
    /// Which of the keys is next, and what became of the one before.
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

    /// Whether waiting for others makes the next key's answer come cheaper. A P-256 key's table does as well for one.
    package var gains: Bool {
        guard let lanes = key?.lanes, case .rsa = lanes.form else { return false }
        return lanes.forBatch() != nil
    }

    /// It as it is; what stays has no bytes any more.
    mutating func take() -> PendingJWS {
        var taken = PendingJWS(allowed, [], payloadCount: payloadCount, hash: hash)
        taken.place = place
        taken.failure = failure
        swap(&taken.bytes, &bytes)
        return taken
    }

    mutating func fail(_ error: JOSEError) {
        failure = error
        place += 1
    }

    var signatureCount: Int { bytes.count - payloadCount }

    func append(digest digests: inout [UInt8], signature signatures: inout [UInt8]) {
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        unsafe digest.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
        signatures.append(contentsOf: bytes[payloadCount...])
    }

    /// By libcrypto.
    func verifyAlone(_ key: VerificationKey) throws(JOSEError) {
        guard case .asymmetric(let key) = key.engine, let scheme = allowed.scheme else { throw .keyUnsuitable(.kind) }
        let digest = hash.span.extracting(0..<allowed.hash.byteCount)
        let signature = bytes.span.extracting(payloadCount..<bytes.count)
        do throws(CryptoError) { try key.verify(scheme, digest: digest, signature: signature) } catch {
            throw JOSEError(verifying: error)
        }
    }

    /// For the one that has seen the signature hold by the key that was next.
    consuming func opened() -> OpenedJWS {
        let key = allowed.keys[place].jwk
        bytes.removeLast(bytes.count - payloadCount)
        return (allowed.header, bytes, allowed.algorithm, key)
    }

    /// What is thrown when no key is left.
    var refusal: JOSEError { failure }
}

extension Verifier {
    /// The steps of `open` in the same order up to the signature, and with it where that goes with no others. `owner`: whose
    /// headers these are among `recent`.
    package func read(
        _ jws: Span<UInt8>, _ recent: inout RecentHeaders, owner: Int
    ) throws(JOSEError) -> ReadJWS {
        let parts = try CompactParts(jws, count: 3, limits: policy.limits)
        let payloadText = jws.extracting(parts.range(1))
        guard Base64URL.decodedCount(payloadText.count) ?? 0 <= policy.limits.plaintextBytes else {
            throw .limitExceeded(.plaintextBytes)
        }
        guard let (bytes, payloadCount) = Base64URL.decode(payloadText, jws.extracting(parts.range(2))) else {
            return .opened(try verifyUndecoded(jws, parts).parts)
        }
        let segment = jws.extracting(parts.range(0))
        let allowed: AllowedHeader
        if let known = recent.find(segment, owner: owner), try isCurrent(known) {
            allowed = known
        } else {
            let header = try Header(segment: segment, limits: policy.limits)
            if header.payloadIsUnencoded { return .opened(try verifyUnencoded(jws, parts, header).parts) }
            allowed = try keysFound(header, try self.allowed(header))
            if !isCertified(header) { recent.keep(allowed, of: segment, owner: owner) }
        }
        let input = jws.extracting(0..<parts.range(1).upperBound)
        if allowed.scheme == nil { return .opened(try open(allowed, input, bytes, payloadCount)) }
        var hash = InlineArray<64, UInt8>(repeating: 0)
        var place = hash.mutableSpan
        do throws(CryptoError) { try allowed.hash.digest(input, into: &place) } catch { throw .backend }
        return .pending(PendingJWS(allowed, bytes, payloadCount: payloadCount, hash: hash))
    }

    /// One by one, with what is common to the header's tokens already found.
    private func open(
        _ allowed: AllowedHeader, _ input: Span<UInt8>, _ bytes: [UInt8], _ payloadCount: Int
    ) throws(JOSEError) -> OpenedJWS {
        let signature = bytes.span.extracting(payloadCount..<bytes.count)
        var failure = JOSEError.signatureInvalid
        for key in allowed.keys {
            do throws(JOSEError) {
                try key.verify(allowed.algorithm.core, input, signature: signature)
            } catch {
                failure = error
                continue
            }
            report(key.jwk, allowed)
            return (allowed.header, Array(bytes[..<payloadCount]), allowed.algorithm, key.jwk)
        }
        throw missed(allowed, failure)
    }

    private func keysFound(
        _ header: Header, _ algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> AllowedHeader {
        if let key = try certifiedKey(header, algorithm) { return AllowedHeader(header, algorithm, [key], nil) }
        guard !keys.isFixed, let source = keys.source else {
            return AllowedHeader(header, algorithm, try keys.fixed.all(header, algorithm), nil)
        }
        let held = try keys.current(source)
        let found: [VerificationKey]
        do throws(JOSEError) { found = try held.keys.all(header, algorithm) } catch {
            throw keys.miss(source, header, held, error)
        }
        return AllowedHeader(header, algorithm, found, held)
    }

    /// Whether the keys that were found are still those of the source.
    private func isCurrent(_ allowed: AllowedHeader) throws(JOSEError) -> Bool {
        guard let held = allowed.held, let source = keys.source else { return true }
        return try keys.current(source) === held
    }

    /// Its key is the token's own, and trusted for no longer than a moment.
    private func isCertified(_ header: Header) -> Bool { certified != nil && header.value(.x5c) != nil }

    private func report(_ key: JWK, _ allowed: AllowedHeader) {
        if allowed.held != nil { keys.source?.reportUse(of: key) }
    }

    private func missed(_ allowed: AllowedHeader, _ failure: JOSEError) -> JOSEError {
        guard let held = allowed.held, let source = keys.source else { return failure }
        return keys.miss(source, allowed.header, held, failure)
    }

    /// What is left to do with a token of `read` when its signature was looked at; `refusal` where no key verified it.
    package func settled(_ pending: consuming PendingJWS, holds: Bool) throws(JOSEError) -> OpenedJWS {
        guard holds else { throw missed(pending.allowed, pending.refusal) }
        let allowed = pending.allowed
        let opened = pending.opened()
        report(opened.key, allowed)
        return opened
    }
}
