internal import CJOSEOpenSSL

extension AsymmetricKey {
    /// Encrypts with RSA-OAEP, MGF1 of the same hash and an empty label (RFC 7518, 4.3).
    package func oaepEncrypt(_ hash: Hash, _ plaintext: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        unsafe try written(signatureCount) { out, count in
            unsafe plaintext.withUnsafeBytes { text in
                unsafe cjose_oaep_encrypt(handle, hash.shim, text.baseAddress, text.count, out, count, &count)
            }
        }
    }

    /// Decrypts with RSA-OAEP into all of `cek`. Where the ciphertext is not valid or contains another length, it
    /// throws `invalid` and leaves `cek` unchanged.
    package func oaepDecrypt(
        _ hash: Hash, _ ciphertext: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe ciphertext.withUnsafeBytes { text in
            unsafe cjose_oaep_decrypt(handle, hash.shim, text.baseAddress, text.count, out, cek.count)
        }
        try check(status)
    }

    /// Decrypts with RSAES-PKCS1-v1_5 into `cek`, which contains random bytes before the call. Where the padding is
    /// wrong or the text has another length, the random bytes stay and no error is thrown (RFC 7516, 11.5).
    package func rsa15Decrypt(
        _ ciphertext: Span<UInt8>, orKeep cek: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard let out = cek.baseAddress else { throw .invalid }
        let status = unsafe ciphertext.withUnsafeBytes { text in
            unsafe cjose_rsa15_decrypt(handle, text.baseAddress, text.count, out, cek.count)
        }
        try check(status)
    }

    /// Computes the ECDH agreement with an uncompressed point, or with the 56 bytes of an X448 key.
    ///
    /// - Parameter z: the memory for the shared secret, as long as the field.
    /// - Throws: `invalid` for a point that is not on the curve, and on X448 where the result is all zero (RFC 7748,
    ///   6.2).
    package func agree(point: Span<UInt8>, into z: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let (zCount, _) = agreement else { throw .keyInvalid }
        guard let out = z.baseAddress, z.count >= zCount else { throw .backend }
        let status = unsafe point.withUnsafeBytes { unsafe cjose_agree(handle, $0.baseAddress, $0.count, out) }
        try check(status)
    }

    /// Generates a key pair, agrees with this public key, and returns the uncompressed point of the pair, or the 56
    /// bytes of its X448 key.
    package func agreeFresh(into z: UnsafeMutableRawBufferPointer) throws(CryptoError) -> [UInt8] {
        guard let (zCount, pointCount) = agreement else { throw .keyInvalid }
        guard let secret = z.baseAddress, z.count >= zCount else { throw .backend }
        return unsafe try written(pointCount) { point, _ in
            unsafe cjose_agree_fresh(handle, point, secret)
        }
    }

    /// The lengths of the shared secret and of a point; nil for a key that is not of key agreement.
    private var agreement: (z: Int, point: Int)? {
        switch kind {
        case .ec(let curve) where curve.agrees: (curve.fieldBytes, 1 + 2 * curve.fieldBytes)
        case .raw(.x448): (56, 56)
        default: nil
        }
    }
}
