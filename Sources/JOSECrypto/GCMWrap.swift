internal import JOSEBytes

/// AES-GCM of a key, without further data (RFC 7518, 4.7), on the contexts of the content ciphers.
package enum GCMWrap {
    package static func wrap(
        kek: Span<UInt8>, iv: Span<UInt8>, cek: Span<UInt8>
    ) throws(CryptoError) -> (encryptedKey: [UInt8], tag: [UInt8]) {
        let cipher = try cipher(kek)
        let none: [UInt8] = []
        let (encryptedKey, tag) = try cipher.seal(cek: kek, iv: iv, aad: none.span, plaintext: cek)
        return (encryptedKey, tag)
    }

    /// Fills `cek` exactly, or is `invalid`, as with a tag that has not 16 bytes or an IV that has not 12.
    package static func unwrap(
        kek: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>, wrapped: Span<UInt8>,
        into cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        let cipher = try cipher(kek)
        guard wrapped.count == cek.count else { throw .invalid }
        let none: [UInt8] = []
        var text = SecretBytes(copying: wrapped)
        try cipher.open(cek: kek, iv: iv, aad: none.span, tag: tag, inPlace: &text)
        text.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe cek.copyMemory(from: $0) } }
    }

    private static func cipher(_ kek: Span<UInt8>) throws(CryptoError) -> ContentCipher {
        switch kek.count {
        case 16: .a128gcm
        case 24: .a192gcm
        case 32: .a256gcm
        default: throw .keyInvalid
        }
    }
}
