internal import JOSECrypto
internal import JOSESupport

/// An X.509 certificate (RFC 5280).
///
/// A certificate by itself proves nothing: a ``CertificateTrust`` decides whether it is trusted.
public struct Certificate: Sendable {
    /// The DER encoding of the certificate, exactly as it was read.
    public let der: [UInt8]
    /// The SHA-1 digest of the DER encoding. In base64url it is the value of `x5t` (RFC 7515, 4.1.7).
    public let sha1Thumbprint: [UInt8]
    /// The SHA-256 digest of the DER encoding. In base64url it is the value of `x5t#S256` (RFC 7515, 4.1.8).
    public let sha256Thumbprint: [UInt8]
    /// The start of the validity period of the certificate (RFC 5280, 4.1.2.5).
    public let notBefore: NumericDate
    /// The end of the validity period of the certificate, which is included (RFC 5280, 4.1.2.5).
    public let notAfter: NumericDate
    let x509: X509Certificate

    /// Reads one certificate.
    ///
    /// - Parameters:
    ///   - der: The certificate in DER, with nothing after it.
    ///   - limits: The limits, of which `certificateBytes` applies.
    /// - Throws: `malformed` if the bytes are not exactly one certificate, or if the certificate has several CRL
    ///   distribution points that are named relative to the issuer (RFC 5280, 4.2.1.13);
    ///   `limitExceeded`; `keyInvalid(.unsupportedKind)` if the key has explicit curve parameters,
    ///   which certificates must not have (RFC 5480, 2.1.1).
    public init(der: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try der.withBytes { der throws(JOSEError) in try Certificate(der: der, limits: limits) }
    }

    package init(der: Span<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        guard der.count <= limits.certificateBytes else { throw .limitExceeded(.certificateBytes) }
        do throws(CryptoError) {
            x509 = try X509Certificate(der: der)
            guard let validity = try x509.validity() else { throw .invalid }
            notBefore = NumericDate(secondsSince1970: Double(validity.lowerBound))
            notAfter = NumericDate(secondsSince1970: Double(validity.upperBound))
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

    /// Reads a certificate from a PEM text with exactly one block, labelled `CERTIFICATE`.
    ///
    /// - Throws: `malformed` if the text does not have exactly one such block, and the errors of `init(der:limits:)`.
    public init(pem: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try pem.withBytes { pem throws(JOSEError) in
            guard let only = try Self.parseAll(pem: pem, limit: 1, limits: limits).first else {
                throw .malformed(ParseFailure(.certificate, pem: pem))
            }
            return only
        }
    }

    /// Reads a certificate from an element of `x5c`: DER in base64 with padding, without white space (RFC 7515, 4.1.6).
    ///
    /// - Throws: `malformed` if the text is not valid base64, and the errors of `init(der:limits:)`.
    public init(base64: String, limits: ParsingLimits = .standard) throws(JOSEError) {
        guard base64.utf8.count / 4 * 3 <= limits.certificateBytes + 2 else { throw .limitExceeded(.certificateBytes) }
        guard let der = Base64.decode(Array(base64.utf8)) else {
            throw .malformed(ParseFailure(.certificate, .base64))
        }
        try self.init(der: der.span, limits: limits)
    }

    /// Reads all certificates of a PEM file in the order of the file, for instance to create a `CertificateTrust` with
    /// them. Text between the blocks is ignored (RFC 7468, 2). Blocks without line ends,
    /// indented, or with the two characters `\n` in place of line ends are read if there is no such text.
    ///
    /// - Parameters:
    ///   - text: The PEM text.
    ///   - limit: The largest number of certificates.
    ///   - limits: The limits for each certificate.
    /// - Throws: `malformed` if there is no block, or one with another label than `CERTIFICATE`;
    ///   `limitExceeded` if there are more than `limit`.
    public static func parseAll(
        pem text: borrowing some BorrowedBytes, limit: Int = 1_000, limits: ParsingLimits = .standard
    ) throws(JOSEError) -> [Certificate] {
        try text.withBytes { text throws(JOSEError) in try parseAll(pem: text, limit: limit, limits: limits) }
    }

    static func parseAll(pem text: Span<UInt8>, limit: Int, limits: ParsingLimits) throws(JOSEError) -> [Certificate] {
        var found = try Self.blocks(of: text, limit)
        if found == nil, let lines = PEMText.normalized(text, takesSeveral: true) {
            found = try Self.blocks(of: lines.span, limit)
        }
        guard let blocks = found else { throw .malformed(ParseFailure(.certificate, pem: text)) }
        var certificates: [Certificate] = []
        for block in blocks { certificates.append(try Certificate(der: block.span, limits: limits)) }
        return certificates
    }

    /// Returns the DER of the blocks of a PEM text, or nil if the text has none, a broken one, or one with another
    /// label.
    private static func blocks(of text: Span<UInt8>, _ limit: Int) throws(JOSEError) -> [[UInt8]]? {
        let blocks: [[UInt8]]
        do throws(CryptoError) {
            blocks = try PEMFile.blocks(text, labelled: .certificate, maximum: limit)
        } catch {
            guard error == .backend else { return nil }
            throw .backend
        }
        guard blocks.count <= limit else { throw .limitExceeded(.certificates) }
        // A block whose first line is damaged would otherwise be ignored as text between blocks.
        return blocks.isEmpty || text.count(of: "-----BEGIN") != blocks.count ? nil : blocks
    }

    /// The DER encoding in base64 with padding, as it is written in `x5c` (RFC 7515, 4.1.6).
    public var base64: String { Base64.encode(der.span) }

    /// Returns the certificate as a PEM block.
    public func pem() throws(JOSEError) -> String {
        try calling(PEMFile.text(ofCertificate: der.span))
    }

    /// The distinguished name of the subject (RFC 4514), which may be empty. Use it for display, and for
    /// `CertificateTrust.Name.subject`, which compares the whole text.
    public var subject: String { (try? x509.name(ofIssuer: false)) ?? "" }
    /// The distinguished name of the issuer (RFC 4514).
    public var issuer: String { (try? x509.name(ofIssuer: true)) ?? "" }

    /// Returns the public key in the certificate, with this certificate as its `certificates`.
    ///
    /// - Parameter members: The certificate members that are written when the key is exported as a JWK.
    /// - Throws: `keyUnsuitable` or `keyInvalid` if the key would be rejected in a JWK too.
    public func publicKey(members: CertificateMembers = []) throws(JOSEError) -> PublicKey {
        try CertificateChain(unchecked: [self]).publicKey(members: members)
    }
}

extension Certificate: Hashable {
    public static func == (a: Self, b: Self) -> Bool { a.der == b.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(sha256Thumbprint) }
}

extension Certificate: Redacted {
    /// The subject, escaped to one line of printable ASCII, because the names in a certificate are untrusted input.
    package var summary: String { "Certificate(\"\(KeyDescription.escaped(subject))\")" }
}

/// The members of a JWK or a header that describe certificates (RFC 7517, 4.7 to 4.9; RFC 7515, 4.1.6 to 4.1.8).
public struct CertificateMembers: OptionSet, Hashable, Sendable {
    /// The bits of the set, which have no meaning outside this type.
    public let rawValue: UInt8
    /// Creates a set of members from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `x5c`: the chain, beginning with the certificate of the key.
    public static let x5c = Self(rawValue: 1)
    /// `x5t`: the SHA-1 thumbprint of the certificate.
    public static let x5t = Self(rawValue: 2)
    /// `x5t#S256`: the SHA-256 thumbprint of the certificate.
    public static let x5tS256 = Self(rawValue: 4)
}

extension Span<UInt8> {
    fileprivate func count(of pattern: StaticString) -> Int {
        pattern.withUTF8Buffer { pattern in
            var found = 0
            var start = 0
            while start + pattern.count <= count {
                if self[start] == UInt8(ascii: "-"),
                    unsafe bytesEqual(extracting(start..<start + pattern.count), pattern.span)
                {
                    found += 1
                    start += pattern.count
                } else {
                    start += 1
                }
            }
            return found
        }
    }
}
