internal import JOSECrypto
internal import JOSESupport

/// A certificate chain: the certificate of a key, then that of its issuer, and so on towards a root, which itself may
/// be omitted.
///
/// A chain by itself proves nothing: a ``CertificateTrust`` verifies it.
public struct CertificateChain: Sendable, Hashable {
    /// The certificates, beginning with that of the key. There is at least one.
    public let certificates: [Certificate]
    /// The first certificate, which is that of the key.
    public var leaf: Certificate { certificates[0] }

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - certificates: The certificates, beginning with that of the key.
    ///   - limits: The limits, of which `certificates` applies.
    /// - Throws: `certificateInvalid` if the list is empty, or if the issuer of a certificate is not the
    ///   subject of the next one (RFC 7515, 4.1.6); `limitExceeded`.
    public init(_ certificates: [Certificate], limits: ParsingLimits = .standard) throws(JOSEError) {
        guard certificates.count <= limits.certificates else { throw .limitExceeded(.certificates) }
        guard !certificates.isEmpty else { throw .certificateInvalid(.order) }
        for (one, next) in zip(certificates, certificates.dropFirst()) where !one.x509.namesIssuer(next.x509) {
            throw .certificateInvalid(.order)
        }
        self.certificates = certificates
    }

    init(unchecked certificates: [Certificate]) { self.certificates = certificates }

    /// Reads a chain from PEM blocks in the chain's order, for instance from the certificate file of a TLS server.
    public init(pem text: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(try Certificate.parseAll(pem: text, limit: limits.certificates, limits: limits), limits: limits)
    }

    /// Reads the value of `x5c` (RFC 7515, 4.1.6).
    init(x5c value: JSONValue, in text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        guard let elements = value.array(in: text), !elements.isEmpty else {
            throw .malformed(ParseFailure(.certificate, .json))
        }
        guard elements.count <= limits.certificates else { throw .limitExceeded(.certificates) }
        var certificates: [Certificate] = []
        for element in elements {
            guard let base64 = element.string(in: text) else { throw .malformed(ParseFailure(.certificate, .json)) }
            certificates.append(try Certificate(base64: base64, limits: limits))
        }
        try self.init(certificates, limits: limits)
    }

    /// Returns the key of the first certificate, with the chain as its `certificates`. The chain is not verified.
    ///
    /// - Parameter members: The certificate members that are written when the key is exported as a JWK.
    public func publicKey(members: CertificateMembers = []) throws(JOSEError) -> PublicKey {
        guard case .publicKey(let material) = try importing(leaf.x509.key()) else {
            throw .keyInvalid(.unsupportedKind)
        }
        var binding = KeyBinding()
        binding.certificates = KeyCertificates(self, members: members)
        return try PublicKey(material, binding)
    }
}

extension CertificateChain: Described {
    package var summary: String { "CertificateChain(\(certificates))" }
}

extension JOSEHeader {
    /// Returns the certificate chain in `x5c`, or nil if the header has none.
    ///
    /// The sender of the token chose the chain: verify it with a ``CertificateTrust`` before you use its key.
    public func certificateChain(limits: ParsingLimits = .standard) throws(JOSEError) -> CertificateChain? {
        guard let value = value(.x5c) else { return nil }
        return try CertificateChain(x5c: value, in: bytes.span, limits: limits)
    }
}
