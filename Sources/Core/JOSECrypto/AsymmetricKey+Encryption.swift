internal import CJOSEOpenSSL

extension AsymmetricKey {
    /// RSA-OAEP with MGF1 of the same hash and an empty label (RFC 7518, 4.3).
    package func oaepEncrypt(_ hash: Hash, _ plaintext: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(signatureCount) { out, count in
            unsafe plaintext.withUnsafeBytes { text in
                unsafe cjose_oaep_encrypt(handle, hash.shim, text.baseAddress, text.count, out, count, &count)
            }
        }
    }

    /// Fills `cek` exactly, or leaves it and is `invalid`.
    package func oaepDecrypt(
        _ hash: Hash, _ ciphertext: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe ciphertext.withUnsafeBytes { text in
            unsafe cjose_oaep_decrypt(handle, hash.shim, text.baseAddress, text.count, out, cek.count)
        }
        try check(status)
    }

    /// RSAES-PKCS1-v1_5. `cek` holds random bytes; it keeps them, without a sign of it, where the ciphertext holds none of
    /// its length.
    package func rsa15Decrypt(
        _ ciphertext: Span<UInt8>, orKeep cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe ciphertext.withUnsafeBytes { text in
            unsafe cjose_rsa15_decrypt(handle, text.baseAddress, text.count, out, cek.count)
        }
        try check(status)
    }

    /// ECDH with an uncompressed point, of X448 with its 56 bytes; `z` is as long as the field. `invalid` for a point that is
    /// not on the curve, and on X448 where the result is all zero (RFC 7748, 6.2).
    package func agree(point: Span<UInt8>, into z: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let (zCount, _) = agreement else { throw .keyInvalid }
        guard let out = z.baseAddress, z.count >= zCount else { throw .backend }
        let status = unsafe point.withUnsafeBytes { unsafe cjose_agree(handle, $0.baseAddress, $0.count, out) }
        try check(status)
    }

    /// ECDH of a fresh key pair with this public key; gives the uncompressed point of the pair, of X448 its 56
    /// bytes.
    package func agreeFresh(into z: UnsafeMutableRawBufferPointer) throws(CryptoError) -> [UInt8] {
        guard let (zCount, pointCount) = agreement else { throw .keyInvalid }
        guard let secret = z.baseAddress, z.count >= zCount else { throw .backend }
        return unsafe try written(pointCount) { point, _ in
            unsafe cjose_agree_fresh(handle, point, secret)
        }
    }

    /// Bytes of the agreed secret and of a point; nil: it does not agree.
    private var agreement: (z: Int, point: Int)? {
        switch kind {
        case .ec(let curve) where curve.agrees: (curve.fieldBytes, 1 + 2 * curve.fieldBytes)
        case .raw(.x448): (56, 56)
        default: nil
        }
    }
}
