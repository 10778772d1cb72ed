import COpenSSL
import JOSE
import JOSECrypto
import JOSESupport

/// The cryptography of one nested token, with nothing around it: the baseline of the library's own rate.
struct RawWork: Sendable {
    private let encryptedKey: [UInt8]
    private let iv: [UInt8]
    private let aad: [UInt8]
    private let ciphertext: [UInt8]
    private let tag: [UInt8]
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Creates the work, or returns nil if the token is not complete.
    init?(outer: [UInt8], inner: [UInt8]) {
        let dot = UInt8(ascii: ".")
        let parts = outer.split(separator: dot, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 5, let end = inner.lastIndex(of: dot) else { return nil }
        let decoded = parts.dropFirst().compactMap { Base64URL.decode($0.span) }
        let proof = Array(inner[(end + 1)...])
        guard decoded.count == 4, let signature = Base64URL.decode(proof.span) else { return nil }
        aad = parts[0]
        encryptedKey = decoded[0]
        iv = decoded[1]
        ciphertext = decoded[2]
        tag = decoded[3]
        signed = Array(inner[..<end])
        self.signature = signature
    }

    /// Performs one OAEP decryption, one HMAC and CBC decryption, and one RS256 verification, with contexts that are
    /// reused.
    func run(_ keys: Keys) throws(CryptoError) {
        var cek: [UInt8] = Array(repeating: 0, count: ContentCipher.a128cbcHS256.keyBytes)
        var failure: CryptoError?
        unsafe cek.withUnsafeMutableBytes { buffer in
            do throws(CryptoError) {
                try unsafe keys.decryption.oaepDecrypt(.sha1, encryptedKey.span, into: buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        var text = SecretBytes(copying: ciphertext.span)
        try ContentCipher.a128cbcHS256.decrypt(
            cek: cek.span, iv: iv.span, aad: aad.span, tag: tag.span, inPlace: &text)
        try keys.verify(signed.span, signature.span)
    }
}

extension RawWork {
    /// The keys with nothing around them.
    @safe struct Keys: Sendable {  // the public key is never changed or freed
        fileprivate let decryption: AsymmetricKey
        /// The public key, which the process keeps. libcrypto's own call verifies with it: the library has code of its
        /// own for that.
        private nonisolated(unsafe) let verification: OpaquePointer

        init(_ keys: DemoTokens) throws(JOSEError) {
            let der = try keys.signingKey.publicKey.der(.pkcs1)
            let read = unsafe der.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                return unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &start, buffer.count)
            }
            guard case .asymmetric(let decryption) = keys.decryptionKey.material, let key = unsafe read
            else { throw .backend }
            self.decryption = decryption
            unsafe verification = key
        }

        fileprivate func verify(_ input: Span<UInt8>, _ signature: Span<UInt8>) throws(CryptoError) {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, verification) == 1 else {
                throw .backend
            }
            let result = unsafe input.withUnsafeBufferPointer { input in
                unsafe signature.withUnsafeBufferPointer { signature in
                    unsafe EVP_DigestVerify(
                        context, signature.baseAddress, signature.count, input.baseAddress, input.count)
                }
            }
            guard result == 1 else { throw .invalid }
        }
    }
}
