internal import CJOSEOpenSSL

/// An HMAC key with a ready state for each thread that uses it.
@safe package final class MACKey: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    /// The key's bytes, which the handle reads as long as it lives.
    private let key: GuardedBytes
    private let hash: Hash

    /// Creates a key.
    ///
    /// - Throws: `keyTooSmall` for an empty key. The smallest length of an algorithm is checked by the caller.
    package init(_ hash: Hash, _ key: GuardedBytes) throws(CryptoError) {
        unsafe handle = try newHandle { unsafe cjose_mac_new(hash.shim, key.base, key.count, &$0) }
        self.key = key
        self.hash = hash
    }

    deinit { unsafe cjose_mac_free(handle) }

    package func sign(_ input: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(hash.byteCount) { out, _ in
            unsafe input.withUnsafeBytes { unsafe cjose_mac_sign(handle, $0.baseAddress, $0.count, out) }
        }
    }

    package func verify(_ input: Span<UInt8>, tag: Span<UInt8>) throws(CryptoError) {
        let status = unsafe input.withUnsafeBytes { data in
            unsafe tag.withUnsafeBytes { tag in
                unsafe cjose_mac_verify(handle, data.baseAddress, data.count, tag.baseAddress, tag.count)
            }
        }
        try check(status)
    }
}
