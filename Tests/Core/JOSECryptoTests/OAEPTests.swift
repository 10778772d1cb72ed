import JOSECrypto
import TestSupport
import Testing

private struct Blocks: Decodable {
    struct Ciphertext: Decodable {
        let hash: String
        let what: String
        let valid: Bool
        let ciphertext: String
    }
    let key: JSON
    let cek: String
    let ciphertexts: [Ciphertext]
}
private let hashes: [String: Hash] = ["sha1": .sha1, "sha256": .sha256, "sha384": .sha384, "sha512": .sha512]

@Suite("RSA-OAEP") struct OAEPTests {
    @Test("decrypts the published CEKs, and rejects each changed bit (RFC 7516, A.1; RFC 7520, 5.2)")
    func published() throws {
        for (path, name) in [("rfc7516/jwe", "a1"), ("rfc7520/jwe", "samwise.gamgee-rsa")] {
            let file = try VectorFile(path)
            let key = try asymmetricKey(#require(file.keys?[name]))
            let vector = try #require(
                file.vectors.first { $0.keys == [name] && $0.serialization == .compact && $0.status == .supported })
            let encrypted = part(1, of: vector.tokenText)
            let cek = try #require(vector.cek.flatMap { bytes(base64URL: $0) })
            let opened = try key.opened(.sha1, encrypted, cek.count)
            #expect(opened == cek, "\(vector.id)")
            for bit in stride(from: 0, to: encrypted.count * 8, by: 97) {
                var changed = encrypted
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: CryptoError.invalid) { try key.opened(.sha1, changed, cek.count) }
            }
        }
    }

    @Test(
        "wrong labels, MGF1 hashes, separators, lengths and numbers all fail as `invalid` (X11; RFC 8017, 7.1.2)"
    )
    func blocks() throws {
        let data: Blocks = try ownVectors("rsa")
        let key = try asymmetricKey(data.key)
        let cek = try #require(bytes(base64URL: data.cek))
        for block in data.ciphertexts {
            let hash = try #require(hashes[block.hash])
            let text = try #require(bytes(base64URL: block.ciphertext))
            if block.valid {
                let opened = try key.opened(hash, text, cek.count)
                #expect(opened == cek, "\(block.hash) \(block.what)")
                for count in [cek.count - 1, cek.count + 1, 16, 64] {
                    #expect(throws: CryptoError.invalid) { try key.opened(hash, text, count) }
                }
            } else {
                #expect(throws: CryptoError.invalid, "\(block.hash) \(block.what)") {
                    try key.opened(hash, text, cek.count)
                }
            }
        }
    }

    @Test("OAEP decrypts ciphertexts of its own hash and no other, up to the longest message (RFC 8017, 7.1.1)")
    func hashesApart() throws {
        let key = try someRSAKey()
        let half = try key.publicHalf()
        for hash in Hash.allCases {
            let longest = 256 - 2 * hash.byteCount - 2
            for count in [1, 16, 32, 64, longest] {
                let cek = try Random.bytes(count)
                let encrypted = try half.oaepEncrypt(hash, cek)
                let opened = try key.opened(hash, encrypted, count)
                #expect(opened == cek)
                for other in Hash.allCases where other != hash {
                    #expect(throws: CryptoError.invalid) { try key.opened(other, encrypted, count) }
                }
            }
            let long = try Random.bytes(longest + 1)
            #expect(throws: CryptoError.invalid) { try half.oaepEncrypt(hash, long) }
            let encrypted = try half.oaepEncrypt(hash, [1])
            #expect(throws: CryptoError.keyInvalid) { try half.opened(hash, encrypted, 1) }
        }
        let ec = try AsymmetricKey.generateEC(.p256)
        #expect(throws: CryptoError.keyInvalid) { try ec.oaepEncrypt(.sha256, [1]) }
        #expect(throws: CryptoError.keyInvalid) { try ec.opened(.sha256, [UInt8](repeating: 1, count: 64), 1) }
    }
}
