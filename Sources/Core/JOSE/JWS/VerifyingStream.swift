internal import JOSECrypto
internal import JOSESupport

/// A verifier of a detached payload of any size in constant memory. Call `update` for each piece of the payload, then
/// `finish`.
///
/// Do not trust the payload before `finish` has returned. It supports the HS, RS, PS and ES algorithms. Use it from one
/// task at a time.
public struct VerifyingStream: ~Copyable {
    /// The protected header. It meets the policy, but its signature has not been verified yet.
    public let header: JOSEHeader
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]
    private let keys: SelectedKeys
    /// The attempts, one for each of the keys.
    private let attempts: [DigestAttempt]
    private let digests: [DigestStream]
    private var feed: PayloadFeed

    fileprivate init(
        _ jws: DetachedJWS, _ algorithm: SignatureAlgorithm, _ keys: SelectedKeys, _ attempts: [DigestAttempt],
        _ digests: [DigestStream]
    ) {
        header = jws.header
        signature = jws.signature
        self.algorithm = algorithm
        self.keys = keys
        self.attempts = attempts
        self.digests = digests
        feed = PayloadFeed(isUnencoded: jws.header.payloadIsUnencoded)
    }

    /// Adds the next piece of the payload, of any length. `ParsingLimits.plaintextBytes` does not apply, because the
    /// payload is not kept in memory.
    public mutating func update(_ bytes: borrowing some BorrowedBytes) throws(JOSEError) {
        try calling(bytes.withBytes { bytes throws(CryptoError) in try feed.add(bytes, to: digests) })
    }

    /// Verifies the signature over all pieces in their order.
    ///
    /// - Throws: `signatureInvalid` if the signature is invalid; `keyNotFound` or `keysUnavailable` if the header names
    ///   a key that the key source lacks, and no other key verifies the signature.
    public consuming func finish() throws(JOSEError) -> VerifiedStream {
        var values: [[UInt8]] = []
        try calling(feed.finish(digests))
        for digest in digests { values.append(try calling(digest.finish())) }
        let index = try keys.first(for: header) { index throws(JOSEError) in
            let value = values[attempts[index].digest]
            try attempts[index].verify(value.span, signature.span)
        }
        return VerifiedStream(header: header, algorithm: algorithm, key: keys[index].jwk)
    }
}

/// The header, algorithm and key of a verified stream. Only a ``VerifyingStream`` creates one.
public struct VerifiedStream: Sendable {
    /// The protected header, which the signature covers.
    public let header: JOSEHeader
    /// The algorithm that the header names and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified the signature.
    public let key: JWK
}

/// The attempt with a key, and the digest that it verifies.
private struct DigestAttempt {
    /// The index of the digest in the stream.
    let digest: Int
    /// The key and scheme of a signature; nil where the digest is a MAC, which is compared with the signature.
    let asymmetric: (key: AsymmetricKey, scheme: SignatureScheme)?

    func verify(_ value: Span<UInt8>, _ signature: Span<UInt8>) throws(JOSEError) {
        do throws(CryptoError) {
            if let (key, scheme) = asymmetric { return try key.verify(scheme, digest: value, signature: signature) }
            guard constantTimeEquals(value, signature) else { throw .invalid }
        } catch {
            throw JOSEError(verifying: error)
        }
    }
}

extension JWSVerifier {
    /// Returns a stream that verifies a compact JWS with a detached payload that arrives in pieces.
    ///
    /// This call checks the size, structure, header, algorithm and key, as `verify(_:detachedPayload:)` does.
    ///
    /// - Throws: `JOSEError`; `algorithmNotAllowed(.streamedSignature)` for algorithms that sign the whole message
    ///   rather than its hash, such as `EdDSA`.
    public func stream(_ jws: borrowing some BorrowedBytes) throws(JOSEError) -> VerifyingStream {
        try jws.withBytes { jws throws(JOSEError) in try stream(of: jws) }
    }

    private func stream(of jws: Span<UInt8>) throws(JOSEError) -> VerifyingStream {
        let detached = try DetachedJWS(jws, limits: shared.policy.limits)
        let algorithm = try allowed(detached.header)
        var token = TokenKeys(keys)
        let selected = try selectKeys(detached.header, algorithm, &token)
        var attempts: [DigestAttempt] = []
        var digests: [DigestStream] = []
        do throws(CryptoError) {
            for index in 0..<selected.count { attempts.append(try selected[index].attempt(algorithm.core, &digests)) }
            // The header and the dot after it, with which the signing input begins too.
            for digest in digests { try digest.add(jws.extracting(0...detached.headerCount)) }
        } catch {
            throw error == .unsupported ? .algorithmNotAllowed(.streamedSignature) : JOSEError(verifying: error)
        }
        return VerifyingStream(detached, algorithm, selected, attempts, digests)
    }
}

extension VerificationKey {
    /// Returns the attempt with this key, and adds its digest. Public keys of one scheme share a digest.
    fileprivate func attempt(
        _ algorithm: SignatureAlgorithm.Core, _ digests: inout [DigestStream]
    ) throws(CryptoError) -> DigestAttempt {
        if let asymmetric, case .scheme(let scheme) = algorithm.traits.engine {
            if digests.isEmpty { digests.append(try DigestStream(scheme)) }
            return DigestAttempt(digest: 0, asymmetric: (asymmetric, scheme))
        }
        guard case .mac(let hash) = algorithm.traits.engine, let key = mac(hash) else {
            // As in `verify(_:_:signature:)`, a secret that fits is absent only where the library failed to prepare it.
            throw isSecret ? .backend : .unsupported
        }
        digests.append(try DigestStream(key))
        return DigestAttempt(digest: digests.count - 1, asymmetric: nil)
    }
}
