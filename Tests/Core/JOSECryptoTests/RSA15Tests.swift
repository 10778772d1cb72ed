import JOSECrypto
import TestSupport
import Testing

private struct Blocks: Decodable {
    struct Ciphertext: Decodable {
        let what: String
        let valid: Bool
        let ciphertext: String
    }
    let key: JSON
    let cek: String
    let pkcs1: [Ciphertext]
}

@Suite("RSA1_5") struct RSA15Tests {
    private func opened(_ key: AsymmetricKey, _ text: [UInt8], over start: [UInt8]) throws(CryptoError) -> [UInt8] {
        unsafe try filled(start.count) { cek throws(CryptoError) in
            unsafe cek.copyBytes(from: start)
            try unsafe key.rsa15Decrypt(text.span, orKeep: cek)
        }
    }

    @Test("decrypts the published CEKs, and none with a changed bit (RFC 7516, A.2; RFC 7520, 5.1)")
    func published() throws {
        for (path, name) in [("rfc7516/jwe", "a2"), ("rfc7520/jwe", "frodo.baggins-rsa")] {
            let file = try VectorFile(path)
            let key = try asymmetricKey(#require(file.keys?[name]))
            let vector = try #require(file.vectors.first { $0.keys == [name] && $0.serialization == .compact })
            let encrypted = part(1, of: vector.tokenText)
            let cek = try #require(vector.cek.flatMap { bytes(base64URL: $0) })
            let start = try Random.bytes(cek.count)
            #expect(try opened(key, encrypted, over: start) == cek, "\(vector.id)")
            for bit in stride(from: 0, to: encrypted.count * 8, by: 97) {
                var changed = encrypted
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(try opened(key, changed, over: start) == start)
            }
        }
    }

    @Test("wrong padding, number or length leaves the output buffer unchanged (RFC 8017, 7.2.2; T21)")
    func blocks() throws {
        let data: Blocks = try ownVectors("rsa")
        let key = try asymmetricKey(data.key)
        let cek = try #require(bytes(base64URL: data.cek))
        let start = try Random.bytes(32)
        for block in data.pkcs1 {
            let text = try #require(bytes(base64URL: block.ciphertext))
            #expect(try opened(key, text, over: start) == (block.valid ? cek : start), "\(block.what)")
            for count in [1, 16, 24, 31, 48, 64, 245] where block.valid {
                let other = try Random.bytes(count)
                #expect(try opened(key, text, over: other) == other, "\(count)")
            }
            for wrong in [[], Array(text.dropLast()), text + [0], [0] + text] {
                #expect(try opened(key, wrong, over: start) == start)
            }
        }
        let text = try #require(bytes(base64URL: data.pkcs1[0].ciphertext))
        #expect(throws: CryptoError.invalid) { try opened(key, text, over: [UInt8](repeating: 0, count: 246)) }
        #expect(throws: CryptoError.keyInvalid) { try opened(key.publicHalf(), text, over: start) }
        #expect(throws: CryptoError.keyInvalid) { try opened(.generateEC(.p256), text, over: start) }
    }
}
