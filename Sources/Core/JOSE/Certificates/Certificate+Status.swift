internal import JOSEBytes
package import JOSECrypto

extension Certificate {
    /// Of a response, in DER: as much as a responder writes about one certificate several times over.
    package static let statusByteLimit = 65_536

    /// Throws unless the OCSP response (RFC 6960) says that this certificate, issued by `issuer`, is good, and was produced no
    /// longer than `tolerance` seconds before or after `time`. That `issuer` did issue it is the caller's to have verified.
    package func checkStatus(
        _ response: [UInt8], issuer: Certificate, at time: Double, within tolerance: Double
    ) throws(X509StatusFault) {
        guard response.count <= Self.statusByteLimit else { throw .malformed }
        guard abs(time) < 1e12, (0..<1e12).contains(tolerance) else { throw .stale }
        try x509.checkStatus(response.span, issuer: issuer.x509, at: Int64(time), within: Int64(tolerance))
    }
}

extension Certificate {
    /// Whether its issuer is its subject; no signature is looked at.
    package var namesItself: Bool { x509.namesIssuer(x509) }
}
