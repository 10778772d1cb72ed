internal import CJOSEOpenSSL
internal import JOSEBytes

/// Why the cryptography said no. It carries nothing of the data, and one case stands for every value that does not hold.
package enum CryptoError: Error, Equatable, Sendable {
    /// A signature, tag, padding, point or wrapped key that is not right.
    case invalid
    /// The key does not hold, or is not one for this algorithm.
    case keyInvalid
    /// An RSA modulus under 2048 bits, or an empty HMAC key.
    case keyTooSmall
    /// The loaded library lacks the algorithm, or the data has a form that is not taken.
    case unsupported
    /// An encrypted private key, and no passphrase or a wrong one.
    case needsPassphrase
    /// Out of memory, or a fault inside the library.
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

/// An array that C writes, of at most `capacity` bytes. C says how many in the second argument, which begins as `capacity`.
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
