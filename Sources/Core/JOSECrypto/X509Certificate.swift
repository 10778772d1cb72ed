internal import CJOSEOpenSSL

/// A certificate of libcrypto. Any number of threads may share one.
@safe package final class X509Certificate: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// Reads one certificate in DER with nothing after it.
    ///
    /// - Throws: `invalid` for anything else; `unsupported` for a curve with explicit parameters.
    package init(der: Span<UInt8>) throws(CryptoError) {
        unsafe handle = try newHandle { made in
            unsafe der.withUnsafeBytes {
                unsafe cjose_certificate_new(cjose_bytes(at: $0.baseAddress, count: $0.count), &made)
            }
        }
    }

    deinit { unsafe cjose_certificate_free(handle) }

    /// Returns the public key, after the checks of any public key.
    package func key() throws(CryptoError) -> KeyFile.Parsed {
        try unsafe KeyFile.Parsed(owning: newHandle { unsafe cjose_certificate_key(handle, &$0) })
    }

    /// Returns the validity period, in seconds since 1970, both ends included.
    package func validity() throws(CryptoError) -> ClosedRange<Int64>? {
        var from: Int64 = 0
        var until: Int64 = 0
        try check(unsafe cjose_certificate_times(handle, &from, &until))
        return from <= until ? from...until : nil
    }

    /// Returns the name of the subject or the issuer as text (RFC 4514).
    package func name(ofIssuer: Bool) throws(CryptoError) -> String {
        let text = try unsafe allocated { unsafe cjose_certificate_name(handle, ofIssuer, &$0, &$1) }
        return String(decoding: text ?? [], as: UTF8.self)
    }

    /// Returns whether the issuer's name is the subject of `other`. No signature is verified.
    package func namesIssuer(_ other: X509Certificate) -> Bool {
        unsafe cjose_certificate_names(handle, other.handle)
    }
}
