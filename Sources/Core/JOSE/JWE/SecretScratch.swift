internal import JOSESupport

/// Calls `body` with up to 72 bytes of the stack for a secret, which are wiped however `body` ends.
func withSecretScratch<R, E: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
) throws(E) -> R {
    precondition(count <= 72)
    var scratch = InlineArray<72, UInt8>(repeating: 0)
    var span = scratch.mutableSpan
    return try unsafe span.withUnsafeMutableBytes { whole throws(E) in
        defer { unsafe wipe(whole) }
        return try unsafe body(UnsafeMutableRawBufferPointer(rebasing: whole.prefix(count)))
    }
}

/// Copies a content encryption key into its memory. Returns false, and changes nothing, if it has another length.
func fill(_ cek: UnsafeMutableRawBufferPointer, with key: Span<UInt8>) -> Bool {
    guard key.count == cek.count else { return false }
    unsafe key.withUnsafeBytes { unsafe cek.copyMemory(from: $0) }
    return true
}
