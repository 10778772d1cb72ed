internal import CJOSEOpenSSL

/// An AES key of 16, 24 or 32 bytes for AES Key Wrap (RFC 3394), with ready contexts for both directions.
@safe package final class WrapKey: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The key's bytes, which the handle reads as long as it lives.
    private let key: GuardedBytes

    package init(_ key: GuardedBytes) throws(CryptoError) {
        unsafe handle = try newHandle { unsafe cjose_wrap_new(key.base, key.count, &$0) }
        self.key = key
    }

    deinit { unsafe cjose_wrap_free(handle) }

    package func wrap(_ cek: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(cek.count + 8) { out, _ in
            unsafe cek.withUnsafeBytes { cek in
                guard let base = cek.baseAddress else { return .invalid }
                return unsafe cjose_wrap_wrap(handle, base, cek.count, out)
            }
        }
    }

    /// Unwraps into all of `cek`.
    ///
    /// - Throws: `invalid` where the integrity check fails or the length differs.
    package func unwrap(_ wrapped: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe wrapped.withUnsafeBytes {
            unsafe cjose_wrap_unwrap(handle, $0.baseAddress, $0.count, out, cek.count)
        }
        try check(status)
    }

    /// Wraps with a key that is used once.
    package static func wrapOnce(kek: Span<UInt8>, cek: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(cek.count + 8) { out, _ in
            unsafe kek.withUnsafeBytes { kek in
                unsafe cek.withUnsafeBytes { cek in
                    guard let key = kek.baseAddress, let base = cek.baseAddress else { return .invalid }
                    return unsafe cjose_wrap_once(key, kek.count, base, cek.count, out)
                }
            }
        }
    }

    package static func unwrapOnce(
        kek: Span<UInt8>, wrapped: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe kek.withUnsafeBytes { kek in
            unsafe wrapped.withUnsafeBytes { wrapped in
                guard let key = kek.baseAddress else { return cjose_status.key_invalid }
                return unsafe cjose_unwrap_once(
                    key, kek.count, wrapped.baseAddress, wrapped.count, out, cek.count)
            }
        }
        try check(status)
    }
}
