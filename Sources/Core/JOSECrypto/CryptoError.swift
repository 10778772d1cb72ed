internal import CJOSEOpenSSL
internal import JOSESupport

/// The reason why a cryptographic operation failed. It carries nothing of the data, and one case stands for every
/// invalid value.
package enum CryptoError: Error, Equatable, Sendable {
    /// A signature, tag, padding, point or wrapped key is not valid.
    case invalid
    /// The key is invalid, or is not one for this algorithm.
    case keyInvalid
    /// The RSA modulus has fewer than 2048 bits, or the HMAC key is empty.
    case keyTooSmall
    /// The loaded library lacks the algorithm, or the data has a form that is not accepted.
    case unsupported
    /// The private key is encrypted, and the passphrase is missing or wrong.
    case needsPassphrase
    /// Memory ran out, or the library failed.
    case backend
}

func check(_ status: cjose_status) throws(CryptoError) {
    switch status {
    case .ok: return
    case .invalid: throw .invalid
    case .key_invalid: throw .keyInvalid
    case .unsupported: throw .unsupported
    case .backend: throw .backend
    case .key_too_small: throw .keyTooSmall
    case .needs_passphrase: throw .needsPassphrase
    }
}

/// Returns the handle that C makes.
func newHandle(_ make: (inout OpaquePointer?) -> cjose_status) throws(CryptoError) -> OpaquePointer {
    var handle: OpaquePointer?
    try check(unsafe make(&handle))
    guard let handle = unsafe handle else { throw .backend }
    return unsafe handle
}

/// Returns the bytes of the buffer that C allocates, and frees it; nil where C succeeds without one.
func allocated(
    _ make: (inout UnsafeMutableRawPointer?, inout Int) -> cjose_status
) throws(CryptoError) -> [UInt8]? {
    var buffer: UnsafeMutableRawPointer?
    var count = 0
    try check(unsafe make(&buffer, &count))
    defer { unsafe cjose_buffer_free(buffer, count) }
    return unsafe buffer.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) }
}

/// Returns an array of at most `capacity` bytes that C writes. C reports their number in the second argument, which
/// begins as `capacity`.
func written(
    _ capacity: Int, _ body: (UnsafeMutableRawPointer, inout Int) -> cjose_status
) throws(CryptoError) -> [UInt8] {
    var status = cjose_status.backend
    let bytes = unsafe [UInt8](filling: max(1, capacity)) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        var n = capacity
        status = unsafe body(UnsafeMutableRawPointer(base), &n)
        count = status == .ok ? n : 0
    }
    try check(status)
    return bytes
}
