internal import CJOSEOpenSSL
internal import JOSESupport

/// An AES key of 16, 24 or 32 bytes for AES-GCM key wrap (RFC 7518, 4.7), with ready contexts for both directions.
@safe package final class GCMWrapKey: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The key's bytes, which the handle reads as long as it lives.
    private let key: GuardedBytes

    package init(_ key: GuardedBytes) throws(CryptoError) {
        unsafe handle = try newHandle { unsafe cjose_gcm_wrap_new(key.base, key.count, &$0) }
        self.key = key
    }

    deinit { unsafe cjose_gcm_wrap_free(handle) }

    /// Encrypts a content encryption key. `iv` has 12 bytes and was never used with this key.
    package func wrap(
        _ cek: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) -> (encryptedKey: [UInt8], tag: [UInt8]) {
        guard iv.count == 12 else { throw .invalid }
        var encryptedKey: [UInt8] = []
        let tag = unsafe try written(16) { tag, _ in
            var status = cjose_status.backend
            unsafe encryptedKey = [UInt8](filling: cek.count) { out, count in
                unsafe status = cek.withUnsafeBytes { cek in
                    unsafe iv.withUnsafeBytes { iv in
                        guard let iv = iv.baseAddress else { return .invalid }
                        return unsafe cjose_gcm_wrap_wrap(handle, iv, cek.baseAddress, cek.count, out.baseAddress, tag)
                    }
                }
                count = status == .ok ? cek.count : 0
            }
            return status
        }
        return (encryptedKey, tag)
    }

    /// Decrypts into all of `cek`.
    ///
    /// - Throws: `invalid` where the tag does not match, also for a tag that does not have 16 bytes or an IV that does
    ///   not have 12.
    package func unwrap(
        _ wrapped: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress, wrapped.count == cek.count else { throw .invalid }
        let status = unsafe wrapped.withUnsafeBytes { wrapped in
            unsafe iv.withUnsafeBytes { iv in
                unsafe tag.withUnsafeBytes { tag in
                    guard let key = wrapped.baseAddress else { return cjose_status.invalid }
                    return unsafe cjose_gcm_wrap_unwrap(
                        handle, iv.baseAddress, iv.count, key, wrapped.count, tag.baseAddress, tag.count, out)
                }
            }
        }
        try check(status)
    }
}
