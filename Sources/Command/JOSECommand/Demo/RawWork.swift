import JOSE
import JOSECrypto
import JOSESettings
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
    func run(_ decryption: AsymmetricKey, _ verification: AsymmetricKey) throws(CryptoError) {
        var cek: [UInt8] = Array(repeating: 0, count: ContentCipher.a128cbcHS256.keyBytes)
        var failure: CryptoError?
        unsafe cek.withUnsafeMutableBytes { buffer in
            do throws(CryptoError) {
                try unsafe decryption.oaepDecrypt(.sha1, encryptedKey.span, into: buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        var text = SecretBytes(copying: ciphertext.span)
        try ContentCipher.a128cbcHS256.decrypt(
            cek: cek.span, iv: iv.span, aad: aad.span, tag: tag.span, inPlace: &text)
        try verification.verify(.rs256, signed.span, signature: signature.span)
    }
}

extension RawWork {
    /// Measures the cryptography of many tokens on `jobs` threads.
    struct Measure {
        private let work: [RawWork]
        private let decryption: AsymmetricKey
        private let verification: AsymmetricKey
        private let jobs: Int

        init(_ work: [RawWork], _ keys: DemoTokens, jobs: Int) throws(CommandFailure) {
            guard case .asymmetric(let decryption) = keys.decryptionKey.material,
                case .asymmetric(let verification) = keys.signingKey.publicKey.material
            else { throw CommandFailure("the demo's keys are not RSA keys") }
            self.work = work
            self.decryption = decryption
            self.verification = verification
            self.jobs = jobs
        }

        func seconds(_ range: Range<Int>) throws(CommandFailure) -> Double {
            let failures = Monitor(0)
            let work = work
            let decryption = decryption
            let verification = verification
            let time = ContinuousClock().measure {
                Threads.each(range.count, step: 4, jobs: jobs) { part in
                    for index in part {
                        do throws(CryptoError) {
                            try work[range.lowerBound + index].run(decryption, verification)
                        } catch {
                            failures.change { $0 += 1 }
                        }
                    }
                }
            }
            guard failures.change({ $0 }) == 0 else {
                throw CommandFailure("the cryptography alone rejected a valid token")
            }
            return time.inSeconds
        }
    }
}
