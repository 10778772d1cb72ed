internal import CJOSEOpenSSL

/// The kinds of revocation data.
package enum X509RevocationKind: Sendable {
    /// A certificate revocation list (RFC 5280, 5).
    case list
    /// An OCSP response (RFC 6960).
    case response
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

    /// Returns the DER of each PEM block, of at most `most` + 1 blocks.
    ///
    /// - Throws: `invalid` for a block that is broken or contains something else.
    package static func blocks(
        _ pem: Span<UInt8>, of kind: X509RevocationKind, most: Int
    ) throws(CryptoError) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var place = 0
        while blocks.count <= most {
            var der: UnsafeMutableRawPointer?
            var count = 0
            let status = unsafe pem.withUnsafeBytes {
                unsafe cjose_revocation_pem_next(
                    cjose_bytes(at: $0.baseAddress, count: $0.count), kind == .list ? .list : .response, &place, &der,
                    &count)
            }
            try check(status)
            guard let found = unsafe der else { break }
            blocks.append(unsafe Array(UnsafeRawBufferPointer(start: found, count: count)))
            unsafe cjose_buffer_free(found, count)
        }
        return blocks
    }
}
