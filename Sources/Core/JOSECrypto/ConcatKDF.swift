internal import CJOSEOpenSSL

/// The derivation of ECDH-ES, with SHA-256 (RFC 7518, 4.6.2).
package enum ConcatKDF {
    /// Fills `key` with the derived key. `info` is AlgorithmID || PartyUInfo || PartyVInfo || SuppPubInfo.
    package static func derive(
        z: Span<UInt8>, info: Span<UInt8>, into key: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = key.baseAddress else { return }
        let status = unsafe z.withUnsafeBytes { z in
            unsafe info.withUnsafeBytes { info in
                guard let secret = z.baseAddress else { return cjose_status.invalid }
                return unsafe cjose_concat_kdf(secret, z.count, info.baseAddress, info.count, out, key.count)
            }
        }
        try check(status)
    }
}
