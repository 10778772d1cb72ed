internal import CJOSEOpenSSL
package import JOSESupport

/// The content encryption algorithms of JWE (RFC 7518, 5.1).
package enum ContentCipher: UInt8, Sendable, CaseIterable {
    case a128cbcHS256, a192cbcHS384, a256cbcHS512, a128gcm, a192gcm, a256gcm

    package var keyBytes: Int {
        switch self {
        case .a128cbcHS256: 32
        case .a192cbcHS384: 48
        case .a256cbcHS512: 64
        case .a128gcm: 16
        case .a192gcm: 24
        case .a256gcm: 32
        }
    }

    package var isGCM: Bool { rawValue >= Self.a128gcm.rawValue }
    package var ivBytes: Int { isGCM ? 12 : 16 }
    package var tagBytes: Int { isGCM ? 16 : keyBytes / 2 }
    package func ciphertextCount(_ plaintext: Int) -> Int { isGCM ? plaintext : (plaintext / 16 + 1) * 16 }

    var shim: cjose_content {
        switch self {
        case .a128cbcHS256: .a128cbc_hs256
        case .a192cbcHS384: .a192cbc_hs384
        case .a256cbcHS512: .a256cbc_hs512
        case .a128gcm: .a128gcm
        case .a192gcm: .a192gcm
        case .a256gcm: .a256gcm
        }
    }

    package func seal(
        cek: Span<UInt8>, iv: Span<UInt8>, aad: Span<UInt8>, plaintext: Span<UInt8>
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        guard cek.count == keyBytes, iv.count == ivBytes, plaintext.count <= Int(Int32.max) - 16 else { throw .invalid }
        var ciphertext: [UInt8] = []
        let tag = unsafe try written(tagBytes) { tag, _ in
            var status = cjose_status.backend
            let capacity = max(1, ciphertextCount(plaintext.count))
            unsafe ciphertext = [UInt8](filling: capacity) { out, count in
                unsafe status = seal(cek, iv, aad, plaintext, UnsafeMutableRawPointer(out.baseAddress), &count, tag)
                if status != .ok { count = 0 }
            }
            return status
        }
        return (ciphertext, tag)
    }

    private func seal(
        _ cek: Span<UInt8>, _ iv: Span<UInt8>, _ aad: Span<UInt8>, _ plaintext: Span<UInt8>,
        _ out: UnsafeMutableRawPointer?, _ count: inout Int, _ tag: UnsafeMutableRawPointer
    ) -> cjose_status {
        unsafe cek.withUnsafeBytes { cek in
            unsafe iv.withUnsafeBytes { iv in
                unsafe aad.withUnsafeBytes { aad in
                    unsafe plaintext.withUnsafeBytes { text in
                        guard let key = cek.baseAddress, let iv = iv.baseAddress else { return .invalid }
                        return unsafe cjose_content_seal(
                            shim, key, iv, aad.baseAddress, aad.count, text.baseAddress, text.count, out, &count, tag)
                    }
                }
            }
        }
    }

    /// Decrypts `text` in place. Where the authentication tag is not valid, it throws, and `text` contains no
    /// plaintext.
    package func decrypt(
        cek: Span<UInt8>, iv: Span<UInt8>, aad: Span<UInt8>, tag: Span<UInt8>, inPlace text: inout SecretBytes
    ) throws(CryptoError) {
        let count = text.count
        text.setCount(0)
        guard cek.count == keyBytes else { throw .invalid }
        var made = 0
        let status = unsafe text.withMutableBytes { text in
            unsafe cek.withUnsafeBytes { cek in
                unsafe iv.withUnsafeBytes { iv in
                    unsafe aad.withUnsafeBytes { aad in
                        unsafe tag.withUnsafeBytes { tag in
                            guard let key = cek.baseAddress else { return cjose_status.invalid }
                            return unsafe cjose_content_open(
                                shim, key, iv.baseAddress, iv.count, aad.baseAddress, aad.count, text.baseAddress,
                                count, tag.baseAddress, tag.count, text.baseAddress, &made)
                        }
                    }
                }
            }
        }
        try check(status)
        text.setCount(made)
    }
}
