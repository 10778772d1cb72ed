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
        try keys.verification.verify(.rs256, signed.span, signature: signature.span)
    }
}

extension RawWork {
    /// The keys with nothing around them.
    struct Keys: Sendable {
        fileprivate let decryption: AsymmetricKey
        fileprivate let verification: AsymmetricKey

        init(_ keys: DemoTokens) throws(JOSEError) {
            guard case .asymmetric(let decryption) = keys.decryptionKey.material,
                case .asymmetric(let verification) = keys.signingKey.publicKey.material
            else { throw .backend }
            self.decryption = decryption
            self.verification = verification
        }
    }
}
