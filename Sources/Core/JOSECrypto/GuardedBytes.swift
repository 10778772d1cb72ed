internal import CJOSEOpenSSL
internal import CJOSESodium

/// A long-lived secret in memory with guard pages: locked, read-only, excluded from core dumps and wiped at the end.
@safe package final class GuardedBytes: Sendable {
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    package let count: Int

    package convenience init(copying source: Span<UInt8>) throws(CryptoError) {
        unsafe try self.init(
            count: source.count,
            always: { base in
                unsafe source.withUnsafeBytes { from in
                    if let start = from.baseAddress { unsafe base.copyMemory(from: start, byteCount: from.count) }
                }
            })
    }

    /// Creates a secret of the bytes that `fill` writes.
    convenience init(count: Int, always fill: (UnsafeMutableRawPointer) -> Void) throws(CryptoError) {
        guard let base = unsafe cjose_guarded_new(count) else { throw .backend }
        unsafe fill(base)
        unsafe self.init(sealing: base, count: count)
    }

    /// Creates a secret of the bytes that `fill` writes; the result is nil where `fill` returns false.
    convenience init?(count: Int, ifWritten fill: (UnsafeMutableRawPointer) -> Bool) {
        guard let base = unsafe cjose_guarded_new(count) else { return nil }
        guard unsafe fill(base) else {
            unsafe cjose_guarded_free(base)
            return nil
        }
        unsafe self.init(sealing: base, count: count)
    }

    /// Creates a secret from memory that it takes over.
    private init(sealing base: UnsafeMutableRawPointer, count: Int) {
        unsafe cjose_guarded_seal(base)
        unsafe self.base = base
        self.count = count
    }

    package static func random(count: Int) throws(CryptoError) -> GuardedBytes {
        var status = cjose_status.backend
        let made = unsafe try GuardedBytes(count: count, always: { unsafe status = cjose_random($0, count) })
        try check(status)
        return made
    }

    deinit { unsafe cjose_guarded_free(base) }

    package func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(unsafe buffer.span)
    }
}
