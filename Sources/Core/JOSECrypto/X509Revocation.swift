internal import CJOSEOpenSSL

/// The kinds of revocation data.
package enum X509RevocationKind: Sendable {
    /// A certificate revocation list (RFC 5280, 5).
    case list
    /// An OCSP response (RFC 6960).
    case response

    /// The label of its PEM blocks.
    package var label: PEMFile.Label {
        switch self {
        case .list: .revocationList
        case .response: .ocspResponse
        }
    }
}

/// Revocation data that libcrypto has read. Any number of threads may share one.
@safe package final class X509Revocation: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// Reads revocation data, each item in DER with nothing after it.
    ///
    /// - Throws: `invalid` for anything else, and for data without `nextUpdate`; `unsupported` for a delta list, an
    ///   indirect list, one for some reasons only, or a critical extension; `keyTooSmall` for a weak signature.
    ///
    /// `latest` is the kind of the item that was read last.
    package init(
        _ items: [(kind: X509RevocationKind, der: [UInt8])], reading latest: inout X509RevocationKind
    ) throws(CryptoError) {
        guard let made = unsafe cjose_revocation_new() else { throw .backend }
        unsafe handle = made
        for item in items {
            latest = item.kind
            let status = unsafe item.der.span.withUnsafeBytes { bytes in
                let der = unsafe cjose_bytes(at: bytes.baseAddress, count: bytes.count)
                return switch item.kind {
                case .list: unsafe cjose_revocation_list_add(handle, der)
                case .response: unsafe cjose_revocation_response_add(handle, der)
                }
            }
            try check(status)
        }
    }

    deinit { unsafe cjose_revocation_free(handle) }
}
