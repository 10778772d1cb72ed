internal import JOSEBytes
internal import JOSECrypto

/// Rules for which certificates are trusted: those with a path to one of the given roots that is valid at the time, for the name
/// and for the use (RFC 5280, 6).
///
/// The system's roots are never used, and there is no network access: revocation is not checked. A value is created once and can
/// be shared between tasks.
public struct CertificateTrust: Sendable {
    /// The name that the leaf must have. Roots of public certificate authorities, which certify anyone, need one.
    @nonexhaustive public enum Name: Sendable, Equatable {
        /// Any name is accepted, for roots that certify few parties.
        case any
        /// The name must be among the DNS names of the leaf's `subjectAltName`, where a wildcard covers one label (RFC 6125,
        /// 6.4).
        case dns(String)
        /// The leaf's ``Certificate/subject`` must be this text, byte by byte.
        case subject(String)
    }

    /// The use that the leaf's `keyUsage`, where it has one, must allow (RFC 5280, 4.2.1.3).
    @nonexhaustive public enum Use: Sendable {
        /// Any use is accepted.
        case any
        /// `digitalSignature` is required.
        case signature
        /// `keyEncipherment` is required for RSA keys, `keyAgreement` for keys on curves.
        case encryption
    }

    /// The certificates in which a path may end.
    public let roots: [Certificate]
    /// The clock that decides whether the path is valid in time. Nil stands for the clock of the claims' policy where the
    /// certificates are those of a token, and for the system's clock elsewhere.
    public var clock: WallClock?
    /// The name that the leaf must have.
    public var name: Name
    /// The checks of the leaf's key beyond those that every key must pass.
    public var checks: KeyChecks = []
    /// The object identifier, in dotted form, that the leaf's `extKeyUsage` must include, and those of issuers that have one.
    /// With nil, which is the default, `extKeyUsage` is not checked; RFC 7515 does not require a particular one.
    public let extendedKeyUsage: String?
    /// The bounds; `certificates` counts those of a path including its root.
    public var limits: ParsingLimits = .standard
    private let store: X509Trust

    /// Creates a trust.
    ///
    /// - Parameters:
    ///   - roots: The certificates in which a path may end, self-signed or not.
    ///   - clock: The clock that decides whether the path is valid in time. Nil stands for the clock of the claims' policy where
    ///     the certificates are those of a token, and for the system's clock elsewhere.
    ///   - name: The name that the leaf must have.
    ///   - extendedKeyUsage: The object identifier, in dotted form, that `extKeyUsage` must include.
    /// - Throws: `certificateInvalid(.untrusted)` where there are no roots, and `certificateInvalid(.usage)` where
    ///   `extendedKeyUsage` is not an object identifier.
    public init(
        roots: [Certificate], clock: WallClock? = nil, name: Name = .any, extendedKeyUsage: String? = nil
    ) throws(JOSEError) {
        guard !roots.isEmpty else { throw .certificateInvalid(.untrusted) }
        if let extendedKeyUsage {
            let isIdentifier = extendedKeyUsage.utf8.allSatisfy {
                $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0)
            }
            guard isIdentifier, extendedKeyUsage.utf8.contains(UInt8(ascii: ".")) else {
                throw .certificateInvalid(.usage)
            }
        }
        self.roots = roots
        self.clock = clock
        self.name = name
        self.extendedKeyUsage = extendedKeyUsage
        do throws(CryptoError) { store = try X509Trust(roots.map(\.x509)) } catch { throw .backend }
    }

    /// Verifies the chain and returns the key of its first certificate.
    ///
    /// RSA keys under 2048 bits and unsupported curves are rejected as elsewhere; in issuers, everything under 112 bits of
    /// security is, and so is SHA-1.
    ///
    /// - Parameters:
    ///   - chain: The chain, beginning with the certificate of the key.
    ///   - use: The use that the leaf's `keyUsage` must allow.
    /// - Throws: `certificateInvalid` with the reason, `keyInvalid` or `keyUnsuitable` for the key, and `limitExceeded`.
    @discardableResult public func verify(
        _ chain: CertificateChain, for use: Use = .signature
    ) throws(JOSEError) -> PublicKey {
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
            guard bytesMatch(chain.leaf.subject, name) else { throw .certificateInvalid(.name) }
        }
        let now = (clock ?? .system).now.secondsSince1970
        // Larger magnitudes are beyond every year of four digits.
        guard abs(now) < 1e12 else { throw .certificateInvalid(.expired) }
        // A leaf that is a root itself needs no issuer.
        let path = roots.contains(chain.leaf) ? [chain.leaf] : chain.certificates
        do throws(X509Fault) {
            try store.verify(
                path.map(\.x509), at: Int64(now), most: limits.certificates, usage: usage(use, key.kind),
                extendedUsage: extendedKeyUsage, host: host)
        } catch {
            throw JOSEError(error)
        }
        return key
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

extension CertificateTrust: CustomStringConvertible, CustomReflectable {
    public var description: String { "CertificateTrust(\(roots.count) roots)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
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
            case .backend: .backend
            }
    }
}
