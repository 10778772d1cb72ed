internal import JOSEBytes
internal import JOSECrypto

/// Verifies a detached payload of any size in constant memory: `update` with its pieces, then `finish`. Until that has
/// returned nothing of the payload may be believed. For HS, RS, PS and ES. One task at a time.
public struct VerifyingStream: ~Copyable {
    /// The header, allowed but not verified yet.
    public let header: JOSEHeader
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]
    private let attempts: [DigestAttempt]
    private let digests: [DigestStream]
    private var feed: PayloadFeed

    fileprivate init(_ jws: DetachedJWS, _ algorithm: SignatureAlgorithm, _ attempts: [DigestAttempt]) {
        header = jws.header
        signature = jws.signature
        self.algorithm = algorithm
        self.attempts = attempts
        // Public keys of one scheme share a hash.
        var digests: [DigestStream] = []
        for attempt in attempts where !digests.contains(where: { $0 === attempt.digest }) {
            digests.append(attempt.digest)
        }
        self.digests = digests
        feed = PayloadFeed(isUnencoded: jws.header.payloadIsUnencoded)
    }

    /// The next piece, of any length. `ParsingLimits.plaintextBytes` does not count here: nothing of it is kept.
    public mutating func update(_ bytes: Span<UInt8>) throws(JOSEError) {
        do throws(CryptoError) { try feed.add(bytes, to: digests) } catch { throw .backend }
    }

    /// The same of bytes in an array.
    public mutating func update(_ bytes: [UInt8]) throws(JOSEError) { try update(bytes.span) }

    /// `signatureInvalid` unless the signature holds over all pieces in their order.
    public consuming func finish() throws(JOSEError) -> VerifiedStream {
        var values: [[UInt8]] = []
        do throws(CryptoError) {
            try feed.finish(digests)
            for digest in digests { values.append(try digest.finish()) }
        } catch {
            throw .backend
        }
        var failure = JOSEError.signatureInvalid
        for attempt in attempts {
            guard let place = digests.firstIndex(where: { $0 === attempt.digest }) else { continue }
            let value = values[place]
            do throws(CryptoError) {
                try attempt.verify(value.span, signature.span)
                return VerifiedStream(header: header, algorithm: algorithm, key: attempt.key)
            } catch {
                failure = JOSEError(verifying: error)
            }
        }
        throw failure
    }
}

/// What a stream was signed as, and by which key. Only a `VerifyingStream` makes one.
public struct VerifiedStream: Sendable {
    /// What was signed with the payload.
    public let header: JOSEHeader
    /// What the header names, and the policy allows.
    public let algorithm: SignatureAlgorithm
    /// The key that verified it.
    public let key: JWK
}

/// One key to try, and what it is tried on.
private struct DigestAttempt {
    let key: JWK
    let digest: DigestStream
    /// Nil: the digest is a MAC, and to be the signature itself.
    let asymmetric: (key: AsymmetricKey, scheme: SignatureScheme)?

    func verify(_ value: Span<UInt8>, _ signature: Span<UInt8>) throws(CryptoError) {
        if let (key, scheme) = asymmetric { return try key.verify(scheme, digest: value, signature: signature) }
        guard constantTimeEquals(value, signature) else { throw .invalid }
    }
}

extension JWSVerifier {
    /// To verify a compact JWS whose payload comes another way, and in pieces. Size, shape, header, allow-list and key are
    /// checked here, as `verify(_:detachedPayload:)` does. Throws `algorithmNotAllowed(.streamedSignature)` for algorithms
    /// that sign the message as a whole: `EdDSA` and its like.
    public func stream(_ jws: Span<UInt8>) throws(JOSEError) -> VerifyingStream {
        let detached = try DetachedJWS(jws, limits: policy.limits)
        let algorithm = try allowed(detached.header)
        let tried = try keysToTry(detached.header, algorithm)
        var attempts: [DigestAttempt] = []
        do throws(CryptoError) {
            var shared: DigestStream?
            for key in tried {
                attempts.append(try key.attempt(algorithm.core, &shared))
            }
            let input = detached.headerText + [UInt8(ascii: ".")]
            if let shared {
                try shared.add(input.span)
            } else {
                for attempt in attempts { try attempt.digest.add(input.span) }
            }
        } catch {
            throw error == .unsupported ? .algorithmNotAllowed(.streamedSignature) : JOSEError(verifying: error)
        }
        return VerifyingStream(detached, algorithm, attempts)
    }

    /// The same of bytes in an array.
    public func stream(_ jws: [UInt8]) throws(JOSEError) -> VerifyingStream { try stream(jws.span) }
    /// The same of a text.
    public func stream(_ jws: String) throws(JOSEError) -> VerifyingStream { try stream(jws.utf8.span) }
}

extension VerificationKey {
    fileprivate func attempt(
        _ algorithm: SignatureAlgorithm.Core, _ shared: inout DigestStream?
    ) throws(CryptoError) -> DigestAttempt {
        if case .asymmetric(let key) = engine, case .scheme(let scheme) = algorithm.traits.engine {
            let digest: DigestStream
            if let shared { digest = shared } else { digest = try DigestStream(scheme) }
            shared = digest
            return DigestAttempt(key: jwk, digest: digest, asymmetric: (key, scheme))
        }
        guard let key = macKey(algorithm) else {
            // See `verify(_:_:signature:)`: a secret that fits was not made ready.
            if case .octets = engine { throw .backend }
            throw .unsupported
        }
        return DigestAttempt(key: jwk, digest: try DigestStream(key), asymmetric: nil)
    }

    private func macKey(_ algorithm: SignatureAlgorithm.Core) -> MACKey? {
        switch (engine, algorithm.traits.engine) {
        case (.octets(let mac, _, _), .mac(.sha256)), (.octets(_, let mac, _), .mac(.sha384)),
            (.octets(_, _, let mac), .mac(.sha512)):
            mac
        default: nil
        }
    }
}
