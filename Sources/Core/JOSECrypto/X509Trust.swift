internal import CJOSEOpenSSL

/// The intended use of a leaf certificate, as bits of `keyUsage` of which it must have one.
package enum X509Usage: Sendable {
    case any, signature, keyEncipherment, keyAgreement

    var bits: UInt32 {
        switch self {
        case .any: 0
        case .signature: UInt32(cjose_key_usage_digital_signature)
        case .keyEncipherment: UInt32(cjose_key_usage_key_encipherment)
        case .keyAgreement: UInt32(cjose_key_usage_key_agreement)
        }
    }
}

/// The reason why a certification path is not valid.
package enum X509Fault: Error, Sendable {
    case untrusted, expired, notYetValid, usage, authority, nameConstraint, weak, critical, signature, host, tooLong
    /// Another violation of RFC 5280.
    case profile
    case revoked, statusUnknown, statusOutdated, statusUntrusted
    case backend
}

/// The time for which a path is known to be valid, in seconds since 1970. `from` is included, `until` is not.
package struct X509Period: Sendable, Equatable {
    package let from: Int64
    package let until: Int64
}

/// The certificates at which paths may end. Any number of threads may share one.
@safe package final class X509Trust: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer

    package init(_ roots: [X509Certificate]) throws(CryptoError) {
        unsafe handle = try newHandle { made in
            unsafe withHandles(roots) { unsafe cjose_trust_new($0.baseAddress, $0.count, &made) }
        }
    }

    deinit { unsafe cjose_trust_free(handle) }

    /// Verifies a certification path.
    ///
    /// - Parameters:
    ///   - time: the time, in seconds since 1970.
    ///   - maximumCertificates: the largest number of certificates of a path, with the root.
    ///   - extendedUsage: an object identifier in dotted form.
    ///   - host: a DNS name, not empty.
    ///   - revocation: the revocation data; nil if revocation is not checked.
    ///   - requiresStatus: whether each certificate but the root must have a status in that data.
    /// - Returns: the time for which the path, and all data that was used, is valid.
    package func verify(
        _ chain: [X509Certificate], at time: Int64, maximumCertificates: Int, usage: X509Usage, extendedUsage: String?,
        host: [UInt8]?,
        revocation: X509Revocation?, requiresStatus: Bool
    ) throws(X509Fault) -> X509Period {
        var period = cjose_chain_period()
        guard !chain.isEmpty, let maximumCertificates = Int32(exactly: maximumCertificates) else { throw .tooLong }
        func verify(_ extended: UnsafePointer<CChar>?, _ period: inout cjose_chain_period) -> cjose_chain_fault {
            let host = host ?? []
            return unsafe host.span.withUnsafeBytes { host in
                var rules = unsafe cjose_chain_rules()
                unsafe rules.at = time
                unsafe rules.max_certificates = maximumCertificates
                unsafe rules.usage = usage.bits
                unsafe rules.extended_usage = extended
                unsafe rules.host = cjose_bytes(at: host.baseAddress, count: host.count)
                unsafe rules.revocation = revocation?.handle
                unsafe rules.requires_status = requiresStatus
                return withExtendedLifetime(revocation) {
                    unsafe withHandles(chain) {
                        // The chain is never empty.
                        unsafe cjose_chain_verify(handle, $0.baseAddress!, $0.count, &rules, &period)
                    }
                }
            }
        }
        let fault =
            if let extendedUsage {
                unsafe extendedUsage.withCString { unsafe verify($0, &period) }
            } else {
                verify(nil, &period)
            }
        if let fault = X509Fault(fault) { throw fault }
        return X509Period(from: period.from, until: period.until)
    }
}

extension X509Fault {
    init?(_ fault: cjose_chain_fault) {
        switch fault {
        case .ok: return nil
        case .untrusted: self = .untrusted
        case .expired: self = .expired
        case .not_yet_valid: self = .notYetValid
        case .usage: self = .usage
        case .authority: self = .authority
        case .name_constraint: self = .nameConstraint
        case .weak: self = .weak
        case .critical: self = .critical
        case .signature: self = .signature
        case .host: self = .host
        case .too_long: self = .tooLong
        case .profile: self = .profile
        case .revoked: self = .revoked
        case .status_unknown: self = .statusUnknown
        case .status_outdated: self = .statusOutdated
        case .status_untrusted: self = .statusUntrusted
        case .backend: self = .backend
        }
    }
}

private func withHandles<R>(
    _ certificates: [X509Certificate], _ body: (UnsafeBufferPointer<OpaquePointer>) -> R
) -> R {
    let handles = unsafe certificates.map { unsafe $0.handle }
    return withExtendedLifetime(certificates) {
        unsafe handles.withUnsafeBufferPointer { unsafe body($0) }
    }
}
