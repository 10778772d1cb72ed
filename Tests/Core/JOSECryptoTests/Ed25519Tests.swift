import JOSECrypto
import TestSupport
import Testing

@Suite("Ed25519") struct Ed25519Tests {
    @Test("gives the published signatures, and verifies them (RFC 8032, 7.1, tests 1 to 3)") func known() throws {
        let cases = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ),
        ]
        for (seedHex, point, text, signature) in cases {
            let seed = sized(seedHex, 32)
            let message = try #require(bytes(hex: text))
            let key = try Ed25519PrivateKey(seed: seed)
            let made = try key.sign(message)
            #expect(hex(key.publicKey.raw) == point)
            #expect(hex(made) == signature)
            try key.publicKey.verify(message, signature: made)
            let kept = key.withSeed { seed in seed.indices.map { seed[$0] } }
            #expect(kept == seed)
        }
    }

    @Test("a signature with S + L, a changed bit or another length is rejected (T13; RFC 8032, 5.1.7)")
    func malleable() throws {
        let key = try Ed25519PrivateKey.generate()
        let good = try key.sign(sampleText)
        let order = sized("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010", 32)
        var more = good
        var carry = 0
        for place in 0..<32 {
            carry += Int(good[32 + place]) + Int(order[place])
            more[32 + place] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        #expect(carry == 0)
        var wrong = [more, [], Array(good.dropLast()), good + [0], [UInt8](repeating: 0, count: 64)]
        for bit in stride(from: 0, to: 512, by: 7) {
            var changed = good
            changed[bit / 8] ^= 1 << (bit % 8)
            wrong.append(changed)
        }
        for signature in wrong {
            #expect(throws: CryptoError.invalid) {
                try key.publicKey.verify(sampleText, signature: signature)
            }
        }
        try key.publicKey.verify(sampleText, signature: good)
        let nothing: [UInt8] = []
        #expect(throws: CryptoError.invalid) { try key.publicKey.verify(nothing, signature: good) }
    }

    @Test("keys of small or mixed order, not canonical or not on the curve are rejected (T13, X12)") func keys()
        throws
    {
        let wrong = [
            // Small order.
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            // y >= p.
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            // x = 0 with the sign of a negative number.
            "0100000000000000000000000000000000000000000000000000000000000080",
            // This is no point.
            "0200000000000000000000000000000000000000000000000000000000000000",
        ]
        for text in wrong {
            let raw = sized(text, 32)
            #expect(throws: CryptoError.keyInvalid, "\(text)") { try Ed25519PublicKey(raw) }
        }
        let good = try Ed25519PrivateKey.generate().publicKey.raw
        #expect(throws: Never.self) { try Ed25519PublicKey(good) }
        #expect(throws: Never.self) { try Ed25519PrivateKey(seed: good) }
        for raw in [[], Array(good.dropLast()), good + [0]] {
            #expect(throws: CryptoError.keyInvalid) { try Ed25519PublicKey(raw) }
            #expect(throws: CryptoError.keyInvalid) { try Ed25519PrivateKey(seed: raw) }
        }
    }

    @Test("the sum of a prime-order point and a small-order point is rejected as a key (RFC 8032, 5.1.3)")
    func mixedOrder()
        throws
    {
        // -A has the order of A, and -A + (0, -1) negates only y: p - y with the sign of x.
        let good = try Ed25519PrivateKey.generate().publicKey.raw
        let prime = sized("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", 32)
        var mixed = good
        mixed[31] &= 0x7f
        var borrow = 0
        for place in 0..<32 {
            let value = Int(prime[place]) - Int(mixed[place]) + borrow
            mixed[place] = UInt8(truncatingIfNeeded: value)
            borrow = value >> 8
        }
        for sign: UInt8 in [0, 0x80] {
            var raw = mixed
            raw[31] |= sign
            #expect(throws: CryptoError.keyInvalid) { try Ed25519PublicKey(raw) }
            // As a positive control, A and -A themselves are accepted.
            raw = good
            raw[31] = raw[31] & 0x7f | sign
            #expect(throws: Never.self) { try Ed25519PublicKey(raw) }
        }
    }
}
