internal import JOSEBytes

/// Gives the key of a token's own `x5c`, once a path leads from that to a root of the caller's. A class, so that it
/// costs nothing in a verifier without one.
final class CertifiedKeys: Sendable {
    private let trust: CertificateTrust

    init(_ trust: CertificateTrust) { self.trust = trust }

    /// Returns the key, or nil where the header has no `x5c`. The cheap checks come before the verification of the
    /// path.
    func key(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, limits: ParsingLimits
    ) throws(JOSEError) -> VerificationKey? {
        guard let chain = try header.certificateChain(limits: limits) else { return nil }
        let certificates = KeyCertificates(chain, members: [])
        let agrees = certificates.agrees(
            x5t: header.value(.x5t), x5tS256: header.value(.x5tS256), in: header.bytes.span)
        guard agrees != false else { throw .certificateInvalid(.thumbprint) }
        let key = try JWK.publicKey(chain.publicKey())
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .verify) { throw .keyUnsuitable(reason) }
        try trust.verify(chain, for: .signature)
        return VerificationKey(key, for: [algorithm], isLasting: false)
    }
}
