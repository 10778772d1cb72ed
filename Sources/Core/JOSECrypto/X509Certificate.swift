internal import CJOSEOpenSSL

/// A certificate of libcrypto. Any number of threads may share one.
@safe package final class X509Certificate: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// `invalid` unless it is one certificate in DER, with nothing after it; `unsupported` for a curve with explicit
    /// parameters.
    package init(der: Span<UInt8>) throws(CryptoError) {
        var made: OpaquePointer?
        let status = unsafe der.withUnsafeBytes {
            unsafe cjose_certificate_new(cjose_bytes(at: $0.baseAddress, count: $0.count), &made)
        }
        try check(status)
        guard let made = unsafe made else { throw .backend }
        unsafe handle = made
    }

    deinit { unsafe cjose_certificate_free(handle) }

    /// With the checks that any public key has to pass.
    package func key() throws(CryptoError) -> KeyFile.Parsed {
        var made: OpaquePointer?
        try check(unsafe cjose_certificate_key(handle, &made))
        guard let made = unsafe made else { throw .backend }
        return try unsafe KeyFile.Parsed(owning: made)
    }

    /// Seconds since 1970, both within.
    package func validity() throws(CryptoError) -> ClosedRange<Int64>? {
        var from: Int64 = 0
        var until: Int64 = 0
        try check(unsafe cjose_certificate_times(handle, &from, &until))
        return from <= until ? from...until : nil
    }

    /// RFC 4514.
    package func name(ofIssuer: Bool) throws(CryptoError) -> String {
        var buffer: UnsafeMutableRawPointer?
        var count = 0
        try check(unsafe cjose_certificate_name(handle, ofIssuer, &buffer, &count))
        defer { unsafe cjose_buffer_free(buffer, count) }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: buffer, count: count), as: UTF8.self)
    }

    /// Whether the names say so; no signature is looked at.
    package func namesIssuer(_ other: X509Certificate) -> Bool {
        unsafe cjose_certificate_names(handle, other.handle)
    }
}

/// Certificates as PEM.
package enum CertificateFile {
    /// The DER of each block, `most` of them and one more at the most. `invalid` for a block that is broken or holds
    /// something else.
    package static func blocks(_ pem: Span<UInt8>, most: Int) throws(CryptoError) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var place = 0
        while blocks.count <= most {
            var der: UnsafeMutableRawPointer?
            var count = 0
            let status = unsafe pem.withUnsafeBytes {
                unsafe cjose_certificate_pem_next(
                    cjose_bytes(at: $0.baseAddress, count: $0.count), &place, &der, &count)
            }
            try check(status)
            guard let found = unsafe der else { break }
            blocks.append(unsafe Array(UnsafeRawBufferPointer(start: found, count: count)))
            unsafe cjose_buffer_free(found, count)
        }
        return blocks
    }

    package static func pem(_ der: Span<UInt8>) throws(CryptoError) -> String {
        var buffer: UnsafeMutableRawPointer?
        var count = 0
        let status = unsafe der.withUnsafeBytes {
            unsafe cjose_certificate_pem(cjose_bytes(at: $0.baseAddress, count: $0.count), &buffer, &count)
        }
        try check(status)
        defer { unsafe cjose_buffer_free(buffer, count) }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: buffer, count: count), as: UTF8.self)
    }
}
