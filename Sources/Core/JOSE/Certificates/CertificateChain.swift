internal import JOSEBytes
internal import JOSECrypto

/// A certificate, and those that lead from it towards a root: each is followed by the one of its issuer. The root may be
/// there or not. To have a chain proves nothing: `CertificateTrust` verifies it.
public struct CertificateChain: Sendable, Hashable {
    /// That of the key first; never empty.
    public let certificates: [Certificate]
    /// That of the key.
    public var leaf: Certificate { certificates[0] }

    /// Throws `certificateInvalid(.order)` where one does not name the next as its issuer (RFC 7515, 4.1.6), and for an
    /// empty list; `limitExceeded` for more than `limits.certificates`.
    public init(_ certificates: [Certificate], limits: ParsingLimits = .standard) throws(JOSEError) {
        guard certificates.count <= limits.certificates else { throw .limitExceeded(.certificates) }
        guard !certificates.isEmpty else { throw .certificateInvalid(.order) }
        for (one, next) in zip(certificates, certificates.dropFirst()) where !one.x509.namesIssuer(next.x509) {
            throw .certificateInvalid(.order)
        }
        self.certificates = certificates
    }

    init(unchecked certificates: [Certificate]) { self.certificates = certificates }

    /// PEM blocks one after the other, as a server has them.
    public init(pem text: Span<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(try Certificate.parseAll(pem: text, limit: limits.certificates, limits: limits), limits: limits)
    }

    /// The same of a text.
    public init(pem text: String, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(pem: text.utf8.span, limits: limits)
    }

    /// The value of `x5c`.
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

    /// The key of the first, with the chain as its `certificates`; `members` are written to a JWK of the key.
    public func publicKey(members: CertificateMembers = []) throws(JOSEError) -> PublicKey {
        let material: PublicMaterial
        do throws(CryptoError) {
            switch try leaf.x509.key() {
            case .asymmetric(let key): material = .asymmetric(key)
            case .ed25519Public(let key): material = .ed25519(key)
            case .x25519Public(let key): material = .x25519(key)
            case .ed25519Private, .x25519Private: throw .unsupported
            }
        } catch {
            throw JOSEError(importing: error)
        }
        var binding = KeyBinding()
        binding.certificates = KeyCertificates(self, members: members)
        return try PublicKey(material, binding)
    }
}

extension CertificateChain: CustomStringConvertible {
    public var description: String { "CertificateChain(\(certificates))" }
}

extension JOSEHeader {
    /// `x5c`, where it is there. Whoever made the token chose it: only a `CertificateTrust` makes something of it.
    public func certificateChain(limits: ParsingLimits = .standard) throws(JOSEError) -> CertificateChain? {
        guard let value = value(.x5c) else { return nil }
        return try CertificateChain(x5c: value, in: bytes.span, limits: limits)
    }
}
