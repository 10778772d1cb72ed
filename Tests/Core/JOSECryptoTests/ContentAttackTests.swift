import JOSECrypto
import JOSESupport
import TestSupport
import Testing

private let families: [(ContentCipher, Hash)] = [
    (.a128cbcHS256, .sha256), (.a192cbcHS384, .sha384), (.a256cbcHS512, .sha512),
]

/// The complete HMAC of RFC 7518, 5.2.2.1, over chosen parts.
private func mac(_ cipher: ContentCipher, _ hash: Hash, _ cek: [UInt8], _ parts: [UInt8]...) throws -> [UInt8] {
    try MACKey(hash, Array(cek.prefix(cipher.keyBytes / 2))).sign(parts.flatMap { $0 })
}

private func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
}

@Suite("Attacks on content encryption") struct ContentAttackTests {
    @Test("wrong padding under a valid MAC fails as `invalid`, as a wrong tag does (T22; RFC 7518, 5.2.2.2)")
    func padding()
        throws
    {
        for (cipher, hash) in families {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(16)
            let aad = Array("header".utf8)
            // Padded to `0...0 01`; a change of the IV changes the plaintext of the one block in the same place.
            let text = [UInt8](repeating: 0, count: 15)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: aad, plaintext: text)
            for last in UInt8.min...UInt8.max {
                var other = iv
                other[15] ^= last ^ 1
                let whole = try mac(cipher, hash, cek, aad, other, sealed.ciphertext, bigEndian(48))
                let tag = Array(whole.prefix(cipher.tagBytes))
                if last == 1 {
                    let opened = try cipher.opened(cek, other, aad, sealed.ciphertext, tag)
                    #expect(opened == text)
                } else {
                    #expect(throws: CryptoError.invalid, "\(cipher) \(last)") {
                        try cipher.opened(cek, other, aad, sealed.ciphertext, tag)
                    }
                }
            }
            // Each valid padding is tested once, and with each of its bytes wrong in turn.
            for count in 1...16 {
                var right = iv
                for place in 0..<16 {
                    right[place] ^= (place == 15 ? 1 : 0) ^ (place >= 16 - count ? UInt8(count) : 0x55)
                }
                let good = try mac(cipher, hash, cek, aad, right, sealed.ciphertext, bigEndian(48))
                let opened = try cipher.opened(
                    cek, right, aad, sealed.ciphertext, Array(good.prefix(cipher.tagBytes)))
                #expect(opened == [UInt8](repeating: 0x55, count: 16 - count))
                for place in (16 - count)..<15 {
                    var wrong = right
                    wrong[place] ^= 0x80
                    let made = try mac(cipher, hash, cek, aad, wrong, sealed.ciphertext, bigEndian(48))
                    #expect(throws: CryptoError.invalid, "\(cipher) \(count) \(place)") {
                        try cipher.opened(
                            cek, wrong, aad, sealed.ciphertext, Array(made.prefix(cipher.tagBytes)))
                    }
                }
            }
        }
    }

    @Test("AL is the AAD length in bits, as a 64-bit big-endian number (T23; RFC 7518, 5.2.2.1)") func al() throws {
        for (cipher, hash) in families {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(16)
            let aad = Array("a header of thirty-one bytes...".utf8)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: aad, plaintext: sampleText)
            func tag(_ aad: [UInt8], _ al: [UInt8]) throws -> [UInt8] {
                Array(try mac(cipher, hash, cek, aad, iv, sealed.ciphertext, al).prefix(cipher.tagBytes))
            }
            let right = bigEndian(UInt64(aad.count) * 8)
            let same = try tag(aad, right)
            #expect(same == sealed.tag)
            #expect(throws: Never.self) { try cipher.opened(cek, iv, aad, sealed.ciphertext, same) }
            let wrong: [[UInt8]] = [
                bigEndian(UInt64(aad.count)), Array(right.suffix(4)), [], right.reversed(), bigEndian(0),
                [0, 0, 0, 0] + right, bigEndian(1 << 32 | UInt64(aad.count) * 8),
            ]
            for al in wrong {
                let made = try tag(aad, al)
                #expect(throws: CryptoError.invalid, "\(cipher) \(al)") {
                    try cipher.opened(cek, iv, aad, sealed.ciphertext, made)
                }
            }
            // The boundary between the AAD and the IV is moved by one byte: only AL distinguishes the two.
            let shifted = Array(aad.dropLast())
            #expect(throws: CryptoError.invalid) { try cipher.opened(cek, iv, shifted, sealed.ciphertext, same) }
        }
    }

    @Test("the complete tag is compared: shorter and longer ones, and the untruncated hash, are rejected (T24, T25)")
    func tags()
        throws
    {
        for cipher in ContentCipher.allCases {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(cipher.ivBytes)
            let aad = Array("header".utf8)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: aad, plaintext: sampleText)
            var wrong = (0..<cipher.tagBytes).map { Array(sealed.tag.prefix($0)) }
            wrong.append(sealed.tag + [0])
            wrong.append([UInt8](repeating: 0, count: cipher.tagBytes))
            if let (_, hash) = families.first(where: { $0.0 == cipher }) {
                let whole = try mac(cipher, hash, cek, aad, iv, sealed.ciphertext, bigEndian(48))
                #expect(Array(whole.prefix(cipher.tagBytes)) == sealed.tag)
                wrong.append(whole)
            }
            for bit in 0..<(cipher.tagBytes * 8) {
                var changed = sealed.tag
                changed[bit / 8] ^= 1 << (bit % 8)
                wrong.append(changed)
            }
            for tag in wrong {
                #expect(throws: CryptoError.invalid, "\(cipher) \(tag.count) bytes") {
                    try cipher.opened(cek, iv, aad, sealed.ciphertext, tag)
                }
            }
            let opened = try cipher.opened(cek, iv, aad, sealed.ciphertext, sealed.tag)
            #expect(opened == sampleText)
        }
    }

    @Test("an IV, CEK, AAD or ciphertext of another length or value is rejected (T26, T27; RFC 7518, 5.2.2 and 5.3)")
    func lengths() throws {
        for cipher in ContentCipher.allCases {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(cipher.ivBytes)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: [1], plaintext: sampleText)
            let opened = try cipher.opened(cek, iv, [1], sealed.ciphertext, sealed.tag)
            #expect(opened == sampleText)
            for other in [
                [], Array(iv.dropLast()), iv + [0], iv + iv, Array(iv.prefix(8)), [UInt8](repeating: 0, count: 32),
            ] {
                #expect(throws: CryptoError.invalid) {
                    try cipher.opened(cek, other, [1], sealed.ciphertext, sealed.tag)
                }
                #expect(throws: CryptoError.invalid) { try cipher.seal(cek: cek, iv: other, aad: [], plaintext: []) }
            }
            for other in [[], Array(cek.dropLast()), cek + [0], Array(cek.prefix(8)), cek + cek] {
                #expect(throws: CryptoError.invalid) {
                    try cipher.opened(other, iv, [1], sealed.ciphertext, sealed.tag)
                }
                #expect(throws: CryptoError.invalid) { try cipher.seal(cek: other, iv: iv, aad: [], plaintext: []) }
            }
            for aad: [UInt8] in [[], [0], [1, 0]] {
                #expect(throws: CryptoError.invalid) { try cipher.opened(cek, iv, aad, sealed.ciphertext, sealed.tag) }
            }
            let texts = [
                [], Array(sealed.ciphertext.dropLast()), sealed.ciphertext + [0], Array(sealed.ciphertext.dropLast(16)),
                sealed.ciphertext + [UInt8](repeating: 16, count: 16),
            ]
            for text in texts {
                #expect(throws: CryptoError.invalid) { try cipher.opened(cek, iv, [1], text, sealed.tag) }
            }
            for wrong in [UInt8(0), 0xff, 0xa6] {
                let key = [UInt8](repeating: wrong, count: cipher.keyBytes)
                #expect(throws: CryptoError.invalid) { try cipher.opened(key, iv, [1], sealed.ciphertext, sealed.tag) }
            }
        }
    }

    @Test("no plaintext of a rejected ciphertext remains in the output buffer") func nothingLeft() throws {
        for cipher in ContentCipher.allCases {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(cipher.ivBytes)
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: [], plaintext: sampleText)
            var tag = sealed.tag
            tag[0] ^= 1
            var text = SecretBytes(copying: sealed.ciphertext.span)
            var thrown: CryptoError?
            do throws(CryptoError) {
                let nothing: [UInt8] = []
                try cipher.decrypt(cek: cek.span, iv: iv.span, aad: nothing.span, tag: tag.span, inPlace: &text)
            } catch { thrown = error }
            let count = text.count
            #expect(thrown == .invalid && count == 0)
            let left = unsafe text.withMutableBytes { unsafe Array($0) }
            let isPlain = left.starts(with: sampleText.prefix(16))
            #expect(!isPlain, "\(cipher)")
        }
    }

    @Test("AES-GCM gives the results of four published test vectors, and encrypts empty text with each key size")
    func gcm() throws {
        let key = try #require(bytes(hex: "feffe9928665731c6d6a8f9467308308"))
        let iv = try #require(bytes(hex: "cafebabefacedbaddecaf888"))
        let aad = try #require(bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        let text = try #require(
            bytes(
                hex: """
                    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                    """))
        let known: [(ContentCipher, String, String, String)] = [
            (
                .a128gcm,
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
                "5bc94fbc3221a5db94fae95ae7121a47", "58e2fccefa7e3061367f1d57a4e7455a"
            ),
            (
                .a192gcm,
                "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
                "2519498e80f1478f37ba55bd6d27618c", "cd33b28ac773f74ba00ed1f312572435"
            ),
            (
                .a256gcm,
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b", "530f8afbc74536b9a963b4f1c4cb738b"
            ),
        ]
        for (cipher, ciphertext, tag, tagOfNothing) in known {
            let cek = Array((key + key).prefix(cipher.keyBytes))
            let sealed = try cipher.seal(cek: cek, iv: iv, aad: aad, plaintext: text)
            #expect(hex(sealed.ciphertext) == ciphertext && hex(sealed.tag) == tag)
            let zeros = [UInt8](repeating: 0, count: cipher.keyBytes)
            let empty = try cipher.seal(
                cek: zeros, iv: [UInt8](repeating: 0, count: 12), aad: [], plaintext: [])
            #expect(empty.ciphertext.isEmpty && hex(empty.tag) == tagOfNothing)
        }
    }
}
