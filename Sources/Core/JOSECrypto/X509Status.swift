internal import CJOSEOpenSSL

/// The reason why an OCSP response does not confirm a certificate. The cases are in the order of the checks.
package enum X509StatusFault: Error, Equatable, Sendable {
    case malformed, responder, signature, otherCertificate, revoked, unknown, stale
    case backend
}

extension X509Certificate {
    /// Checks that an OCSP response (RFC 6960) reports the certificate as good.
    ///
    /// - Parameters:
    ///   - issuer: the issuer of this certificate, as verified by the caller.
    ///   - time: the time to check for, in seconds since 1970.
    ///   - tolerance: the largest difference from the time at which the response was produced, in seconds.
    package func checkStatus(
        _ response: Span<UInt8>, issuer: X509Certificate, at time: Int64, within tolerance: Int64
    ) throws(X509StatusFault) {
        let fault = unsafe response.withUnsafeBytes { bytes in
            var rules = cjose_ocsp_rules()
            rules.at = time
            rules.within = tolerance
            return unsafe cjose_ocsp_verify(
                cjose_bytes(at: bytes.baseAddress, count: bytes.count), handle, issuer.handle, &rules)
        }
        if let fault = X509StatusFault(fault) { throw fault }
    }
}

extension X509StatusFault {
    init?(_ fault: cjose_ocsp_fault) {
        switch fault {
        case .ok: return nil
        case .malformed: self = .malformed
        case .responder: self = .responder
        case .signature: self = .signature
        case .other_certificate: self = .otherCertificate
        case .revoked: self = .revoked
        case .unknown: self = .unknown
        case .stale: self = .stale
        case .backend: self = .backend
        }
    }
}
