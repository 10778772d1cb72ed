import Foundation
import JOSECrypto
import JOSESupport
import Synchronization
import Testing

/// Runs the work on eight threads at once, and returns the number of failed runs.
private func failures(_ rounds: Int, _ work: @escaping @Sendable () throws -> Bool) -> Int {
    let failed = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for _ in 0..<rounds where (try? work()) != true { failed.add(1, ordering: .relaxed) }
    }
    return failed.load(ordering: .relaxed)
}

@Suite("One key used by eight threads", .serialized) struct SharedKeyTests {
    @Test("eight threads verify valid and invalid signatures of one key (X13)", arguments: SignatureScheme.available)
    func signatures(scheme: SignatureScheme) throws {
        let key = try someKey(for: scheme)
        let half = try key.publicHalf()
        let good = try key.sign(scheme, sampleText)
        var bad = good
        bad[20] ^= 1
        let forged = bad
        let failed = failures(20) {
            try half.verify(scheme, sampleText, signature: good)
            do throws(CryptoError) {
                try half.verify(scheme, sampleText, signature: forged)
                return false
            } catch { if error != .invalid { return false } }
            try half.verify(scheme, sampleText, signature: key.sign(scheme, sampleText))
            return true
        }
        #expect(failed == 0)
    }

    @Test("eight threads agree with one key, and reject invalid points between valid ones") func agreement() throws {
        let key = try AsymmetricKey.generateEC(.p256)
        let other = try AsymmetricKey.generateEC(.p256)
        let point = [4] + (try other.part(.x)) + (try other.part(.y))
        let expected = try key.agreed(point)
        let half = try key.publicHalf()
        let failed = failures(30) {
            if (try? key.agreed([4] + [UInt8](repeating: 1, count: 64))) != nil { return false }
            var fresh: [UInt8] = []
            let z = unsafe try filled(32) { z throws(CryptoError) in fresh = try unsafe half.agreeFresh(into: z) }
            return try key.agreed(point) == expected && key.agreed(fresh) == z
        }
        #expect(failed == 0)
    }

    @Test("eight threads decrypt, unwrap, verify MACs and hash with shared keys") func symmetric() throws {
        let rsa = try someRSAKey()
        let cek = try Random.bytes(32)
        let encrypted = try rsa.oaepEncrypt(.sha256, cek)
        let mac = try MACKey(.sha256, cek)
        let tag = try mac.sign(sampleText)
        let wrap = try WrapKey(cek)
        let wrapped = try wrap.wrap(cek)
        let digest = try Hash.sha384.digest(sampleText)
        let failed = failures(20) {
            try mac.verify(sampleText, tag: tag)
            return try rsa.opened(.sha256, encrypted, 32) == cek && wrap.unwrapped(wrapped, 32) == cek
                && Hash.sha384.digest(sampleText) == digest
        }
        #expect(failed == 0)
    }

    @Test("eight threads decrypt contents, each under a key of its own", arguments: ContentCipher.allCases)
    func contents(cipher: ContentCipher) {
        let failed = failures(100) {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(cipher.ivBytes)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: cek, plaintext: sampleText)
            return try cipher.opened(cek, iv, cek, sealed.ciphertext, sealed.tag) == sampleText
        }
        #expect(failed == 0)
    }

    @Test("a key is freed safely while threads have contexts of it") func lifetimes() throws {
        for _ in 0..<10 {
            let key = try AsymmetricKey.generateEC(.p256)
            let failed = failures(2) {
                try key.verify(.es256, sampleText, signature: key.sign(.es256, sampleText))
                return true
            }
            #expect(failed == 0)
        }
    }
}
