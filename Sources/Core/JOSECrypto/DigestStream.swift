internal import CJOSEOpenSSL

/// A hash or a MAC of data that comes in pieces, in constant memory, for one task at a time.
@safe package final class DigestStream {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The owner of the handle, to which its context is returned.
    private let key: MACKey?

    /// Creates a stream of what the scheme signs.
    ///
    /// - Throws: `unsupported` for a scheme that signs the message and not its hash.
    package init(_ scheme: SignatureScheme) throws(CryptoError) {
        unsafe handle = try newHandle { unsafe cjose_stream_hash(scheme.shim, &$0) }
        key = nil
    }

    package init(_ key: MACKey) throws(CryptoError) {
        unsafe handle = try newHandle { unsafe cjose_stream_mac(key.handle, &$0) }
        self.key = key
    }

    deinit { unsafe cjose_stream_free(handle) }

    package func add(_ bytes: Span<UInt8>) throws(CryptoError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe cjose_stream_add(handle, $0.baseAddress, $0.count) })
    }

    /// Returns the digest or the MAC. It is called once, after the last update.
    package func finish() throws(CryptoError) -> [UInt8] {
        unsafe try written(64) { out, count in unsafe cjose_stream_finish(handle, out, &count) }
    }
}

extension AsymmetricKey {
    /// Verifies a signature over the digest of a `DigestStream` of the same scheme.
    package func verify(
        _ scheme: SignatureScheme, digest: Span<UInt8>, signature: Span<UInt8>
    ) throws(CryptoError) {
        let status = unsafe digest.withUnsafeBytes { data in
            unsafe signature.withUnsafeBytes { proof in
                guard let start = data.baseAddress else { return cjose_status.invalid }
                return unsafe cjose_verify_digest(
                    handle, scheme.shim, start, data.count, proof.baseAddress, proof.count)
            }
        }
        try check(status)
    }

    /// Signs the digest of a `DigestStream` of the same scheme.
    package func sign(_ scheme: SignatureScheme, digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(signatureCount) { out, count in
            unsafe digest.withUnsafeBytes { data in
                guard let start = data.baseAddress else { return cjose_status.invalid }
                return unsafe cjose_sign_digest(handle, scheme.shim, start, data.count, out, count, &count)
            }
        }
    }
}
