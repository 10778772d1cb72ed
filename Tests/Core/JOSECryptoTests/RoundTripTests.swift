import JOSECrypto
import JOSESupport
import Testing

let sampleText = Array("The quick brown fox jumps over the lazy dog, and then over all the others.".utf8)

@Suite("Round trips of cryptographic primitives") struct RoundTripTests {
    @Test("every signature scheme verifies its own signatures, and none with a changed bit") func signatures() throws {
        for scheme in SignatureScheme.available {
            let key = try someKey(for: scheme)
            let half = try key.publicHalf()
            for length in [0, 1, sampleText.count] {
                let text = Array(sampleText.prefix(length))
                let signature = try key.sign(scheme, text)
                #expect(signature.count == key.signatureCount)
                try half.verify(scheme, text, signature: signature)
                try key.verify(scheme, text, signature: signature)
                var other = signature
                other[other.count / 2] ^= 1
                #expect(throws: CryptoError.invalid) {
                    try half.verify(scheme, text, signature: other)
                }
                let more = text + [0]
                #expect(throws: CryptoError.invalid) {
                    try half.verify(scheme, more, signature: signature)
                }
            }
            #expect(throws: CryptoError.keyInvalid) { try half.sign(scheme, sampleText) }
        }
    }

    @Test("every content cipher decrypts what it encrypted, for each length up to four blocks")
    func content() throws {
        for cipher in ContentCipher.allCases {
            let cek = try Random.bytes(cipher.keyBytes)
            let iv = try Random.bytes(cipher.ivBytes)
            for length in 0...64 {
                let text = Array(sampleText.prefix(length))
                let aad = Array(sampleText.prefix(length % 3))
                let sealed = try cipher.seal(cek: cek, iv: iv, aad: aad, plaintext: text)
                #expect(sealed.ciphertext.count == cipher.ciphertextCount(length))
                #expect(sealed.tag.count == cipher.tagBytes)
                var buffer = SecretBytes(copying: sealed.ciphertext.span)
                try cipher.decrypt(
                    cek: cek.span, iv: iv.span, aad: aad.span, tag: sealed.tag.span, inPlace: &buffer)
                let same = buffer.withBytes { bytesEqual($0, text) }
                #expect(same, "\(cipher) \(length)")
            }
        }
    }

    @Test("both parties of an ECDH agreement compute the same secret") func agreement() throws {
        for curve in Curve.allCases where curve.agrees {
            let key = try AsymmetricKey.generateEC(curve)
            let half = try key.publicHalf()
            for _ in 0..<20 {
                var ours = SecretBytes(capacity: curve.fieldBytes)
                var theirs = SecretBytes(capacity: curve.fieldBytes)
                let point = unsafe try theirs.withMutableBytes { z throws(CryptoError) in
                    try unsafe half.agreeFresh(into: z)
                }
                unsafe try ours.withMutableBytes { z throws(CryptoError) in
                    try unsafe key.agree(point: point.span, into: z)
                }
                ours.setCount(curve.fieldBytes)
                theirs.setCount(curve.fieldBytes)
                let same = ours.withBytes { a in theirs.withBytes { b in bytesEqual(a, b) } }
                #expect(same)
            }
        }
    }
}
