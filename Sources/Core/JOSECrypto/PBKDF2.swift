internal import CJOSEOpenSSL

/// The password-based key derivation PBKDF2 (RFC 8018, 5.2).
package enum PBKDF2 {
    /// Fills `key` with the derived key. The time is proportional to `iterations`, which the caller bounds.
    package static func derive(
        _ hash: Hash, password: Span<UInt8>, salt: Span<UInt8>, iterations: Int,
        into key: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = key.baseAddress, let iterations = UInt32(exactly: iterations), iterations > 0 else {
            throw .invalid
        }
        let status = unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBytes { salt in
                guard let secret = password.baseAddress, let start = salt.baseAddress else {
                    return cjose_status.invalid
                }
                return unsafe cjose_pbkdf2(
                    hash.shim, secret, password.count, start, salt.count, iterations, out, key.count)
            }
        }
        try check(status)
    }
}
