import JOSECrypto
import JOSESupport
import TestSupport
import Testing

/// A compact JWS as its signing input and its signature.
private func split(_ token: String) -> (input: [UInt8], signature: [UInt8]) {
    let end = token.lastIndex(of: ".") ?? token.startIndex
    return (Array(token[..<end].utf8), part(2, of: token))
}

@Suite("Published signatures") struct SignatureVectorTests {
    @Test(
        "published signatures verify, and none with a changed bit (RFC 7515, A; RFC 7520, 4; RFC 7797, 4; RFC 8037, A)",
        arguments: ["rfc7515/jws", "rfc7519/jwt", "rfc7520/jws", "rfc7797/jws", "rfc8037/jws"])
    func published(path: String) throws {
        let file = try VectorFile(path)
        // A token that needs a further feature is not its own signing input, or not a JWS.
        for vector in file.vectors
        where vector.mustSucceed && vector.serialization == .compact && vector.needs == nil {
            guard let key = file.keys(of: vector).first else { continue }
            let (input, signature) = split(vector.tokenText)
            let header = try JSON(part(0, of: vector.tokenText))
            let check: ([UInt8], [UInt8]) throws -> Void
            let sign: ([UInt8]) throws -> [UInt8]
            switch (header["alg"]?.string ?? "", key["kty"]?.string) {
            case (_, "oct"):
                let mac = try MACKey(.sha256, octets(key))
                check = { try mac.verify($0, tag: $1) }
                sign = { try mac.sign($0) }
            case (_, "OKP"):
                let point = try #require(member("x", of: key))
                let half = try Ed25519PublicKey(point)
                check = { try half.verify($0, signature: $1) }
                let seed = member("d", of: key)
                sign = { input in
                    guard let seed else { return signature }
                    return try Ed25519PrivateKey(seed: seed).sign(input)
                }
            case (let name, _):
                let scheme = try #require(schemes[name], "\(vector.id)")
                let half = try asymmetricKey(key, asPublic: true)
                let whole = try asymmetricKey(key)
                check = { try half.verify(scheme, $0, signature: $1) }
                sign = { try whole.sign(scheme, $0) }
            }
            try check(input, signature)
            if vector.reproducible == true {
                let again = try sign(input)
                #expect(again == signature, "\(vector.id)")
            }
            try check(input, sign(input))
            for place in stride(from: 0, to: signature.count * 8, by: 13) {
                var changed = signature
                changed[place / 8] ^= 1 << (place % 8)
                #expect(throws: CryptoError.invalid, "\(vector.id) bit \(place)") { try check(input, changed) }
            }
            for place in stride(from: 0, to: input.count * 8, by: 131) {
                var changed = input
                changed[place / 8] ^= 1 << (place % 8)
                #expect(throws: CryptoError.invalid, "\(vector.id) bit \(place)") { try check(changed, signature) }
            }
            for wrong in [[], signature + [0], [0] + signature, Array(signature.dropLast())] {
                #expect(throws: CryptoError.invalid, "\(vector.id) \(wrong.count) bytes") { try check(input, wrong) }
            }
        }
    }

    @Test("HMAC gives the published values (RFC 4231, 4.2, 4.3 and 4.7)") func hmac() throws {
        let cases: [(key: [UInt8], text: String, macs: [String])] = [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                [
                    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                    "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                    """
                    87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                    daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854
                    """,
                ]
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                [
                    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                    """
                    164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                    9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
                    """,
                ]
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                [
                    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                    "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
                    """
                    80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
                    6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
                    """,
                ]
            ),
        ]
        for one in cases {
            for (hash, mac) in zip([Hash.sha256, .sha384, .sha512], one.macs) {
                let key = try MACKey(hash, one.key)
                let text = Array(one.text.utf8)
                // Each is repeated three times, because the context is kept.
                for _ in 0..<3 {
                    let made = try key.sign(text)
                    #expect(hex(made) == mac)
                    try key.verify(text, tag: made)
                    for count in [0, 1, made.count / 2, made.count - 1] {
                        let short = Array(made.prefix(count))
                        #expect(throws: CryptoError.invalid) { try key.verify(text, tag: short) }
                    }
                    let empty: [UInt8] = []
                    #expect(throws: CryptoError.invalid) { try key.verify(empty, tag: made) }
                }
            }
        }
    }

    @Test("the HMAC of a text is that of its pieces, for keys around the length of a block (RFC 2104, 2)")
    func macOfPieces() throws {
        let text = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        for hash in [Hash.sha256, .sha384, .sha512] {
            for count in [1, 20, 31, 32, 48, 63, 64, 65, 127, 128, 129, 200] {
                let key = try MACKey(hash, (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) })
                let made = try key.sign(text)
                let stream = try DigestStream(key)
                try stream.add(text.span.extracting(0..<119))
                try stream.add(text.span.extracting(119..<300))
                let ofPieces = try stream.finish()
                #expect(made == ofPieces, "\(hash) \(count)")
                try key.verify(text, tag: ofPieces)
                let changed = [made[0] ^ 1] + made.dropFirst()
                #expect(throws: CryptoError.invalid, "\(hash) \(count)") { try key.verify(text, tag: changed) }
            }
        }
    }

    @Test("an empty HMAC key is rejected (T04)") func emptyMAC() throws {
        let nothing: [UInt8] = []
        #expect(throws: CryptoError.keyTooSmall) { try MACKey(.sha256, nothing) }
        let oneByte: [UInt8] = [0]
        #expect(throws: Never.self) { try MACKey(.sha256, oneByte) }
    }

    @Test("SHA-1 and SHA-2 give the published digests, also when repeated (FIPS 180-4)") func hashes() throws {
        let text = Array("abc".utf8)
        let known: [(Hash, String)] = [
            (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
                """
            ),
        ]
        for _ in 0..<3 {
            for (hash, value) in known {
                let made = try hash.digest(text)
                #expect(hex(made) == value)
                #expect(made.count == hash.byteCount)
                let nothing: [UInt8] = []
                let ofNothing = try hash.digest(nothing)
                #expect(ofNothing != made)
            }
        }
        let nothing: [UInt8] = []
        let empty = try Hash.sha256.digest(nothing)
        #expect(hex(empty) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
