internal import JOSECrypto
internal import JOSESupport
internal import Synchronization

/// Gives the key of a token's own `x5c`, once a path leads from that to a root of the caller's, and keeps such paths
/// for later tokens. A class, so that it costs nothing in a verifier without one.
final class CertifiedKeys: Sendable {
    private let trust: CertificateTrust
    /// The algorithms of the policy.
    private let algorithms: [SignatureAlgorithm]
    /// The longest time, in seconds, for which a path is used without being verified again; nil if none is kept.
    private let lifetime: Double?
    private let paths: Mutex<VerifiedPaths>
    private let verifications = Atomic<Int>(0)

    init(
        _ trust: CertificateTrust, for algorithms: [SignatureAlgorithm],
        bounds: VerifiedPaths.Bounds = VerifiedPaths.Bounds()
    ) {
        self.trust = trust
        self.algorithms = algorithms
        lifetime = trust.pathCacheLifetime > .zero ? trust.pathCacheLifetime.inSeconds : nil
        paths = Mutex(VerifiedPaths(bounds))
    }

    /// The number of paths that were verified so far, with either result.
    var verificationCount: Int { verifications.load(ordering: .relaxed) }
    /// The number of paths that are kept, and of those under which a signature was valid.
    var counts: (paths: Int, confirmed: Int) { paths.withLock { $0.counts } }

    /// Returns the cached header with the same bytes, if its path is still valid.
    func known(_ segment: Span<UInt8>) -> AllowedHeader? {
        guard lifetime != nil else { return nil }
        let hash = VerifiedPaths.headerHash(segment)
        guard let found = paths.withLock({ $0.header(hash) }), bytesEqual(segment, found.header.segment),
            found.path.isValid(at: trust.now)
        else { return nil }
        return found.header
    }

    /// Returns the header with the key of its own `x5c`, or nil where it has none.
    func header(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, limits: ParsingLimits
    ) throws(JOSEError) -> AllowedHeader? {
        guard let path = try path(header, algorithm, limits: limits) else { return nil }
        return AllowedHeader(
            segment, header, algorithm, [path.key], limits,
            certified: lifetime == nil ? nil : CertifiedOrigin(keys: self, path: path))
    }

    /// Returns the verified path of the header's own `x5c`, or nil where it has none. The cheap checks come before the
    /// verification of the path.
    func path(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, limits: ParsingLimits
    ) throws(JOSEError) -> VerifiedPath? {
        guard let value = header.value(.x5c) else { return nil }
        let bytes = header.bytes.span
        let text = bytes.extracting(Int(value.start)..<Int(value.end))
        let now = trust.now
        let hash = lifetime == nil ? 0 : VerifiedPaths.hash(text)
        if lifetime != nil, let known = paths.withLock({ $0.path(hash) }), bytesEqual(text, known.text),
            known.isValid(at: now)
        {
            if let certificates = known.key.certificates { try Self.check(certificates, header) }
            if known.key.fits & 1 << UInt32(algorithm.core.rawValue) == 0 {
                throw .keyUnsuitable(
                    KeySelection.unsuitability(of: known.key.jwk, for: algorithm, .verify) ?? .kind)
            }
            return known
        }
        let chain = try CertificateChain(x5c: value, in: bytes, limits: limits)
        try Self.check(KeyCertificates(chain, members: []), header)
        let key = try JWK.publicKey(chain.publicKey())
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        verifications.add(1, ordering: .relaxed)
        let period = try trust.path(of: chain, for: .signature, at: now).period
        guard let lifetime else {
            let once = VerificationKey(key, for: [algorithm], isLasting: false)
            return VerifiedPath([], hash: 0, once, from: now, until: now)
        }
        let made = VerifiedPath(
            text.copy(), hash: hash, VerificationKey(key, for: algorithms, isLasting: true),
            from: max(now, Double(period.from)), until: min(now + lifetime, Double(period.until)))
        return paths.withLock { paths in
            // Another thread may have been faster. Tokens join the same groups under one key only.
            if let other = paths.path(hash), made.text == other.text, other.isValid(at: now) {
                return other
            }
            paths.add(made)
            return made
        }
    }

    private static func check(_ certificates: KeyCertificates, _ header: JOSEHeader) throws(JOSEError) {
        let agrees = certificates.agrees(
            x5t: header.value(.x5t), x5tS256: header.value(.x5tS256), in: header.bytes.span)
        guard agrees != false else { throw .certificateInvalid(.thumbprint) }
    }

    /// Notes that the key of a path verified a token, and keeps the header for later tokens.
    func confirm(_ path: VerifiedPath, _ header: AllowedHeader? = nil) {
        guard lifetime != nil, header != nil || !path.isConfirmed.load(ordering: .relaxed) else { return }
        // Without the origin, which references this object.
        let kept = header.map { header in
            let segment = header.segment
            return AllowedHeader(
                segment.span, header.signed[0].header, header.algorithm, header.keys, header.limits)
        }
        paths.withLock { $0.confirm(path, kept) }
    }
}

extension JWSVerifier {
    /// The number of paths of `x5c` that were verified so far, with either result.
    package var verifiedPathCount: Int { certified?.verificationCount ?? 0 }
    /// The number of paths of `x5c` that are kept, and of those under which a signature was valid.
    package var keptPathCounts: (paths: Int, confirmed: Int) { certified?.counts ?? (0, 0) }
}
