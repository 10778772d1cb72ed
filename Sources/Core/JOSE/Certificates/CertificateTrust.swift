internal import JOSEBytes
internal import JOSECrypto

/// Which certificates are believed: those with a path to one of the given roots, valid at the time, of the name and for the
/// use that is asked for (RFC 5280, 6). Never the system's roots, and no network: whether one was revoked is not asked.
/// Made once, shared freely.
public struct CertificateTrust: Sendable {
    /// What time it is, in seconds since 1970.
    public enum Time: Sendable {
        /// That of the system's clock at each verification.
        case now
        /// For tests, and for what was signed then.
        case at(Double)
        /// Asked at each verification.
        case custom(@Sendable () -> Double)

        package func seconds() -> Double {
            switch self {
            case .now: SystemClock.now()
            case .at(let seconds): seconds
            case .custom(let clock): clock()
            }
        }
    }

    /// Whose the leaf must be. Roots that certify for anyone who asks need one.
    @nonexhaustive public enum Name: Sendable, Equatable {
        /// Whoever's: for roots that certify for few.
        case any
        /// Among the DNS names of its subjectAltName; a wildcard there stands for one label (RFC 6125, 6.4).
        case dns(String)
        /// The text of its `subject`, byte by byte.
        case subject(String)
    }

    /// What the leaf's key is for: `keyUsage`, where the leaf has it, must say so (RFC 5280, 4.2.1.3).
    @nonexhaustive public enum Use: Sendable {
        /// Whatever it says.
        case any
        /// `digitalSignature`.
        case signature
        /// `keyEncipherment` for RSA, `keyAgreement` for curves.
        case encryption
    }

    /// Where a path may end.
    public let roots: [Certificate]
    /// When the path must be valid.
    public var time: Time
    /// Whose the leaf must be.
    public var name: Name
    /// What the leaf's key is looked at for beyond what every key must be.
    public var checks: KeyChecks = []
    /// An object identifier in dots that `extKeyUsage` must have; that of issuers too, where they have any. Nil: not
    /// looked at. RFC 7515 names none.
    public let extendedKeyUsage: String?
    /// `certificates` counts those of a path with its root.
    public var limits: ParsingLimits = .standard
    private let store: X509Trust

    /// Each root ends a path, self-signed or not. Throws `certificateInvalid(.untrusted)` where there is none, `(.usage)`
    /// where `extendedKeyUsage` is no object identifier.
    public init(
        roots: [Certificate], time: Time = .now, name: Name = .any, extendedKeyUsage: String? = nil
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
        self.time = time
        self.name = name
        self.extendedKeyUsage = extendedKeyUsage
        do throws(CryptoError) { store = try X509Trust(roots.map(\.x509)) } catch { throw .backend }
    }

    /// The key of the chain's first certificate, if a path leads from that to a root. RSA under 2 048 bits and curves that are
    /// not built here are refused as keys are; in issuers all under 112 bits of security is, and so is SHA-1.
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
        let now = time.seconds()
        // Beyond every year of four digits, either way.
        guard abs(now) < 1e12 else { throw .certificateInvalid(.expired) }
        // A leaf that is a root itself needs no issuer's word.
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
