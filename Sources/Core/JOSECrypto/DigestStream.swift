internal import CJOSEOpenSSL

/// A hash or a MAC of data that comes in pieces, in constant memory. One task at a time.
@safe package final class DigestStream {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The handle's context goes back to it.
    private let key: MACKey?

    /// What the scheme signs; `unsupported` for one that signs the message itself.
    package init(_ scheme: SignatureScheme) throws(CryptoError) {
        var handle: OpaquePointer?
        try unsafe check(cjose_stream_hash(scheme.shim, &handle))
        guard let handle = unsafe handle else { throw .backend }
        unsafe self.handle = handle
        key = nil
    }

    package init(_ key: MACKey) throws(CryptoError) {
        var handle: OpaquePointer?
        try unsafe check(cjose_stream_mac(key.handle, &handle))
        guard let handle = unsafe handle else { throw .backend }
        unsafe self.handle = handle
        self.key = key
    }

    deinit { unsafe cjose_stream_free(handle) }

    package func add(_ bytes: Span<UInt8>) throws(CryptoError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe cjose_stream_add(handle, $0.baseAddress, $0.count) })
    }

    /// Once, and last.
    package func finish() throws(CryptoError) -> [UInt8] {
        unsafe try written(64) { out, count in unsafe cjose_stream_finish(handle, out, &count) }
    }
}

extension AsymmetricKey {
    /// `verify` of what a `DigestStream` of the same scheme came to.
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

    /// `sign` of what a `DigestStream` of the same scheme came to.
    package func sign(_ scheme: SignatureScheme, digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(signatureCount) { out, count in
            unsafe digest.withUnsafeBytes { data in
                guard let start = data.baseAddress else { return cjose_status.invalid }
                return unsafe cjose_sign_digest(handle, scheme.shim, start, data.count, out, count, &count)
            }
        }
    }
}
