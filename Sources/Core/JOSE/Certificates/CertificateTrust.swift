internal import JOSECrypto
internal import JOSESupport

/// The rules that decide whether a certificate is trusted: it must have a valid path to one of the given roots, and the
/// required name and use (RFC 5280, 6).
///
/// The system's roots are never used, and nothing is fetched: revocation is checked with the ``CertificateRevocation``
/// data that you give, and not at all without. Create one instance and share it between tasks.
///
/// A verifier keeps the paths that it verified for certificates in tokens (`x5c`), so that later tokens with exactly
/// the same `x5c` cost about as much as under a key that was given. A path is kept until the first of these times: the
/// end of the validity of one of its certificates, of a CRL or of an OCSP response that was used, and
/// ``pathCacheLifetime``; and it is not used while the clock shows an earlier time than when it was verified. At most
/// 512 paths with 4 MiB of `x5c` and headers are kept by one verifier, and at most 16 further paths under which no
/// signature was valid so far; the certificates in memory need several times that. The path that was not used for the
/// longest time is removed first. One with more than 64 KiB of `x5c` is not kept. Rejections are not kept. Each
/// verifier has paths of its own: to replace roots, rules or revocation data, create a new verifier.
public struct CertificateTrust: Sendable {
    /// The name that the leaf must have. Require one if a root belongs to a public certificate authority, which issues
    /// certificates to anyone.
    @nonexhaustive public enum Name: Sendable, Equatable {
        /// Any name is accepted. Use it only with roots that issue certificates to known parties.
        case any
        /// The name must be among the DNS names of the leaf's `subjectAltName`, in which a wildcard matches one label
        /// (RFC 6125, 6.4).
        case dns(String)
        /// The leaf's ``Certificate/subject`` must be this text, byte by byte.
        case subject(String)
    }

    /// The use that `keyUsage` of the leaf must allow. A leaf without `keyUsage` is accepted for every use (RFC 5280,
    /// 4.2.1.3).
    @nonexhaustive public enum Use: Sendable {
        /// Any use is accepted.
        case any
        /// `digitalSignature` is required.
        case signature
        /// `keyEncipherment` is required for RSA keys, and `keyAgreement` for elliptic-curve keys.
        case encryption
    }

    /// The certificates in which a path may end.
    package let roots: [Certificate]
    /// The clock for the validity periods of certificates. If it is nil, certificates in a token are checked with the
    /// clock of the `ClaimPolicy`, and all others with the system's clock.
    public var clock: WallClock?
    /// The name that the leaf must have.
    public var name: Name
    /// Optional checks of the leaf's key.
    public var checks: KeyChecks = []
    /// The object identifier, in dotted form, that `extKeyUsage` must include in the leaf, and in each issuer that has
    /// the extension. If it is nil, which is the default, `extKeyUsage` is not checked; RFC 7515 requires no particular
    /// one.
    package let extendedKeyUsage: String?
    /// The limits. `certificates` limits the length of a path, including its root.
    public var limits: ParsingLimits = .standard
    /// The revocation data; nil, the default, if revocation is not checked.
    public var revocation: CertificateRevocation?
    /// The longest time for which a verifier uses a verified path of `x5c` again without verifying it anew; one hour by
    /// default. Zero or less keeps no paths.
    public var pathCacheLifetime: Duration = .seconds(3_600)
    private let store: X509Trust

    /// Creates rules that trust the given roots.
    ///
    /// - Parameters:
    ///   - roots: The certificates in which a path may end, self-signed or not.
    ///   - clock: The clock for the validity periods of certificates. If it is nil, certificates in a token are checked
    ///     with the clock of the `ClaimPolicy`, and all others with the system's clock.
    ///   - name: The name that the leaf must have.
    ///   - extendedKeyUsage: The object identifier, in dotted form, that `extKeyUsage` must include.
    ///   - revocation: The revocation data; nil if revocation is not checked.
    /// - Throws: `certificateInvalid(.untrusted)` if there are no roots, and `certificateInvalid` if
    ///   `extendedKeyUsage` is not an object identifier.
    public init(
        roots: [Certificate], clock: WallClock? = nil, name: Name = .any, extendedKeyUsage: String? = nil,
        revocation: CertificateRevocation? = nil
    ) throws(JOSEError) {
        guard !roots.isEmpty else { throw .certificateInvalid(.untrusted) }
        if let extendedKeyUsage {
            let isIdentifier = extendedKeyUsage.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isASCIIDigit }
            guard isIdentifier, extendedKeyUsage.utf8.contains(UInt8(ascii: ".")) else {
                throw .certificateInvalid(.usage)
            }
        }
        self.roots = roots
        self.clock = clock
        self.name = name
        self.extendedKeyUsage = extendedKeyUsage
        self.revocation = revocation
        do throws(CryptoError) { store = try X509Trust(roots.map(\.x509)) } catch { throw .backend }
    }

    /// Verifies the chain and returns the key of its first certificate.
    ///
    /// A leaf with an RSA key under 2048 bits or on an unsupported curve is rejected. An issuer is rejected if its key
    /// or signature has less than 112 bits of security, as with SHA-1.
    ///
    /// - Parameters:
    ///   - chain: The chain, beginning with the certificate of the key.
    ///   - use: The use that the leaf's `keyUsage` must allow.
    /// - Throws: `certificateInvalid` with the reason, `keyInvalid` or `keyUnsuitable` for the key, and
    ///   `limitExceeded`.
    @discardableResult public func verify(
        _ chain: CertificateChain, for use: Use = .signature
    ) throws(JOSEError) -> PublicKey {
        try path(of: chain, for: use, at: now).key
    }

    /// The time at which certificates are checked, in seconds since 1970.
    var now: Double { (clock ?? .system).now.secondsSince1970 }

    /// Verifies the chain, and returns the key of its first certificate and the time for which the path is valid.
    func path(
        of chain: CertificateChain, for use: Use, at now: Double
    ) throws(JOSEError) -> (key: PublicKey, period: X509Period) {
        guard chain.certificates.count <= limits.certificates else { throw .limitExceeded(.certificates) }
        for certificate in chain.certificates where certificate.der.count > limits.certificateBytes {
            throw .limitExceeded(.certificateBytes)
        }
        let key = try chain.publicKey()
        try JWK.publicKey(key).pass(checks)
        var host: [UInt8]?
        switch name {
        case .any: break
        case .dns(let name):
            guard !name.isEmpty else { throw .certificateInvalid(.name) }
            host = Array(name.utf8)
        case .subject(let name):
            guard bytesEqual(chain.leaf.subject, name) else { throw .certificateInvalid(.name) }
        }
        // Larger magnitudes are beyond every year of four digits.
        guard abs(now) < 1e12 else { throw .certificateInvalid(.expired) }
        // A leaf that is a root itself needs no issuer.
        let path = roots.contains(chain.leaf) ? [chain.leaf] : chain.certificates
        do throws(X509Fault) {
            let period = try store.verify(
                path.map(\.x509), at: Int64(now), maximumCertificates: limits.certificates, usage: usage(use, key.kind),
                extendedUsage: extendedKeyUsage, host: host, revocation: revocation?.data,
                requiresStatus: revocation?.rule == .required)
            return (key, period)
        } catch {
            throw JOSEError(error)
        }
    }

    private func usage(_ use: Use, _ kind: KeyKind) -> X509Usage {
        switch (use, kind) {
        case (.any, _): .any
        case (.signature, _): .signature
        case (.encryption, .rsa): .keyEncipherment
        case (.encryption, _): .keyAgreement
        }
    }
}

extension CertificateTrust: Redacted {
    package var summary: String { "CertificateTrust(\(roots.count) roots)" }
}

extension JOSEError {
    fileprivate init(_ fault: X509Fault) {
        self =
            switch fault {
            case .untrusted: .certificateInvalid(.untrusted)
            case .expired: .certificateInvalid(.expired)
            case .notYetValid: .certificateInvalid(.notYetValid)
            case .usage: .certificateInvalid(.usage)
            case .authority: .certificateInvalid(.authority)
            case .nameConstraint: .certificateInvalid(.nameConstraint)
            case .weak: .certificateInvalid(.weak)
            case .critical: .certificateInvalid(.criticalExtension)
            case .signature: .certificateInvalid(.signature)
            case .host: .certificateInvalid(.name)
            case .tooLong: .limitExceeded(.certificates)
            case .profile: .certificateInvalid(.profile)
            case .revoked: .certificateInvalid(.revoked)
            case .statusUnknown: .certificateInvalid(.statusUnknown)
            case .statusOutdated: .certificateInvalid(.statusOutdated)
            case .statusUntrusted: .certificateInvalid(.statusUntrusted)
            case .backend: .backend
            }
    }
}
