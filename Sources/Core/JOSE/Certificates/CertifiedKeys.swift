internal import JOSEBytes

/// Takes the key that verifies out of a token's own `x5c`, where a path leads from that to a root that the caller gave.
/// A class, so that a verifier without one pays nothing.
final class CertifiedKeys: Sendable {
    private let trust: CertificateTrust

    init(_ trust: CertificateTrust) { self.trust = trust }

    /// Nil where the header has no `x5c`. What costs little is looked at before the path.
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
