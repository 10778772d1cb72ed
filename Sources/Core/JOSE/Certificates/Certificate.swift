internal import JOSEBytes
internal import JOSECrypto

/// An X.509 certificate (RFC 5280). To have one proves nothing: `CertificateTrust` says whether it is to be believed.
public struct Certificate: Sendable {
    /// As it was read; the form is DER, so there are no two spellings of one certificate.
    public let der: [UInt8]
    /// `x5t`: the SHA-1 of the DER (RFC 7515, 4.1.7).
    public let sha1Thumbprint: [UInt8]
    /// `x5t#S256`: the SHA-256 of the DER (RFC 7515, 4.1.8).
    public let sha256Thumbprint: [UInt8]
    /// Seconds since 1970.
    public let notBefore: Int64
    /// Seconds since 1970.
    public let notAfter: Int64
    let x509: X509Certificate

    /// Reads one certificate.
    ///
    /// - Parameters:
    ///   - der: The certificate in DER, with nothing after it.
    ///   - limits: The bounds; `certificateBytes` counts.
    /// - Throws: `malformed` for anything else than one certificate, and for one with several distribution points that are
    ///   named relative to the issuer (RFC 5280, 4.2.1.13); `limitExceeded(.certificateBytes)` for one that is longer than
    ///   the limit; `keyInvalid(.unsupportedKind)` for an elliptic curve with explicit parameters, which
    ///   certificates must not have (RFC 5480, 2.1.1).
    public init(der: Span<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        guard der.count <= limits.certificateBytes else { throw .limitExceeded(.certificateBytes) }
        do throws(CryptoError) {
            x509 = try X509Certificate(der: der)
            guard let validity = try x509.validity() else { throw .invalid }
            (notBefore, notAfter) = (validity.lowerBound, validity.upperBound)
            sha1Thumbprint = try Hash.sha1.digest(der)
            sha256Thumbprint = try Hash.sha256.digest(der)
        } catch {
            switch error {
            case .backend, .unsupported: throw JOSEError(importing: error)
            default: throw .malformed(ParseFailure(.certificate, .der))
            }
        }
        self.der = der.copy()
    }

    /// The same of bytes in an array.
    public init(der: [UInt8], limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(der: der.span, limits: limits)
    }

    /// The one `CERTIFICATE` block of the text.
    public init(pem: Span<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        let found = try Self.parseAll(pem: pem, limit: 1, limits: limits)
        guard let only = found.first else { throw .malformed(ParseFailure(.certificate, .pem)) }
        self = only
    }

    /// The same of a text.
    public init(pem: String, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(pem: pem.utf8.span, limits: limits)
    }

    /// An element of `x5c`: DER in base64 with padding, without white space (RFC 7515, 4.1.6).
    public init(base64: String, limits: ParsingLimits = .standard) throws(JOSEError) {
        guard base64.utf8.count / 4 * 3 <= limits.certificateBytes + 2 else { throw .limitExceeded(.certificateBytes) }
        guard let der = Base64.decode(Array(base64.utf8)) else {
            throw .malformed(ParseFailure(.certificate, .base64))
        }
        try self.init(der: der.span, limits: limits)
    }

    /// Every certificate of a file of PEM blocks, in its order, such as the roots of a `CertificateTrust`. Blocks of any
    /// other label are refused; text between blocks is passed over (RFC 7468, 2).
    public static func parseAll(
        pem text: Span<UInt8>, limit: Int = 1_000, limits: ParsingLimits = .standard
    ) throws(JOSEError) -> [Certificate] {
        let blocks: [[UInt8]]
        do throws(CryptoError) {
            blocks = try CertificateFile.blocks(text, most: limit)
        } catch {
            throw error == .backend ? .backend : .malformed(ParseFailure(.certificate, .pem))
        }
        guard blocks.count <= limit else { throw .limitExceeded(.certificates) }
        // A spoilt first line would pass for text.
        guard !blocks.isEmpty, text.count(of: "-----BEGIN") == blocks.count else {
            throw .malformed(ParseFailure(.certificate, .pem))
        }
        var certificates: [Certificate] = []
        for block in blocks { certificates.append(try Certificate(der: block.span, limits: limits)) }
        return certificates
    }

    /// The same of a text.
    public static func parseAll(pem text: String, limit: Int = 1_000, limits: ParsingLimits = .standard) throws(JOSEError)
        -> [Certificate]
    {
        try parseAll(pem: text.utf8.span, limit: limit, limits: limits)
    }

    /// As an element of `x5c`.
    public var base64: String { Base64.encode(der.span) }

    /// As a PEM block.
    public func pem() throws(JOSEError) -> String {
        do throws(CryptoError) { return try CertificateFile.pem(der.span) } catch { throw .backend }
    }

    /// The name of its subject (RFC 4514), which may be empty. For a person; a rule of `CertificateTrust` compares it whole.
    public var subject: String { (try? x509.name(ofIssuer: false)) ?? "" }
    /// The name of whoever signed it (RFC 4514).
    public var issuer: String { (try? x509.name(ofIssuer: true)) ?? "" }

    /// Its key, with this certificate as its `certificates`; `members` are written to a JWK of the key. Throws
    /// `keyUnsuitable(.tooSmall)` and `keyInvalid` as for a key that comes another way.
    public func publicKey(members: CertificateMembers = []) throws(JOSEError) -> PublicKey {
        try CertificateChain(unchecked: [self]).publicKey(members: members)
    }
}

extension Certificate: Hashable {
    public static func == (a: Self, b: Self) -> Bool { a.der == b.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(sha256Thumbprint) }
}

extension Certificate: CustomStringConvertible, CustomReflectable {
    /// One line of printable ASCII: names come from outside.
    public var description: String { "Certificate(\"\(KeyDescription.escaped(subject))\")" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Members of a JWK or a header that tell of certificates (RFC 7517, 4.7 to 4.9; RFC 7515, 4.1.6 to 4.1.8).
public struct CertificateMembers: OptionSet, Hashable, Sendable {
    /// The bits; of no meaning outside this value.
    public let rawValue: UInt8
    /// Of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The chain itself, the certificate of the key first.
    public static let x5c = Self(rawValue: 1)
    /// The SHA-1 thumbprint.
    public static let x5t = Self(rawValue: 2)
    /// The SHA-256 thumbprint, `x5t#S256`.
    public static let x5tS256 = Self(rawValue: 4)
}

extension Span<UInt8> {
    fileprivate func count(of pattern: StaticString) -> Int {
        pattern.withUTF8Buffer { pattern in
            var found = 0
            var place = 0
            while place + pattern.count <= count {
                if self[place] == UInt8(ascii: "-"),
                    unsafe bytesEqual(extracting(place..<place + pattern.count), pattern.span)
                {
                    found += 1
                    place += pattern.count
                } else {
                    place += 1
                }
            }
            return found
        }
    }
}
