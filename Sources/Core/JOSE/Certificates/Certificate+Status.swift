package import JOSECrypto
internal import JOSESupport

extension Certificate {
    /// The largest size of an OCSP response in DER, which is several times what a responder writes about one
    /// certificate.
    package static let statusByteLimit = 65_536

    /// Verifies that the OCSP response (RFC 6960) reports this certificate as good.
    ///
    /// - Parameters:
    ///   - response: The response in DER.
    ///   - issuer: The issuer of this certificate. The caller has verified that it is.
    ///   - time: The time of the check, in seconds since 1970.
    ///   - tolerance: The longest time, in seconds, between the production of the response and `time`, in either
    ///     direction.
    package func checkStatus(
        _ response: [UInt8], issuer: Certificate, at time: Double, within tolerance: Double
    ) throws(X509StatusFault) {
        guard response.count <= Self.statusByteLimit else { throw .malformed }
        guard abs(time) < 1e12, (0..<1e12).contains(tolerance) else { throw .stale }
        try x509.checkStatus(response.span, issuer: issuer.x509, at: Int64(time), within: Int64(tolerance))
    }
}

extension Certificate {
    /// Whether the issuer's name is the subject's name. No signature is verified.
    package var namesItself: Bool { x509.namesIssuer(x509) }
}
