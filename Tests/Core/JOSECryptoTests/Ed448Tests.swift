import JOSECrypto
import TestSupport
import Testing

@Suite("Ed448") struct Ed448Tests {
    private func key(_ bytes: [UInt8], isPrivate: Bool) throws(CryptoError) -> AsymmetricKey {
        try .raw(.ed448, bytes.span, isPrivate: isPrivate)
    }

    @Test("gives and verifies the published signatures", arguments: VectorFile.paths(with: .signature)) func known(
        _ path: String
    ) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .signature && vector.mustSucceed {
            let jwk = try #require(vector.jwk)
            let secret = try #require(member("d", of: jwk))
            let point = try #require(member("x", of: jwk))
            let published = try #require(vector.signature.flatMap { bytes(base64URL: $0) })
            let whole = try key(secret, isPrivate: true)
            #expect(try whole.part(.rawPublic) == point && whole.part(.rawSecret) == secret, "\(vector.id)")
            #expect(try whole.sign(.ed448, vector.payloadBytes) == published, "\(vector.id)")
            let half = try key(point, isPrivate: false)
            try half.verify(.ed448, vector.payloadBytes, signature: published)
            #expect(throws: CryptoError.invalid, "\(vector.id)") {
                try half.verify(.ed448, vector.payloadBytes + [0], signature: published)
            }
            #expect(throws: CryptoError.keyInvalid) { try half.part(.rawSecret) }
        }
    }

    @Test("a signature with S + L, a changed bit or another length is rejected (T13; RFC 8032, 5.2.7)")
    func malleable() throws {
        let key = try AsymmetricKey.generate(.ed448)
        let good = try key.sign(.ed448, sampleText)
        let order = sized(
            "f34458ab92c27823558fc58d72c26c219036d6ae49db4ec4e923ca7cffffffffffffffffffffffffffffffffffffffffffffffffffffff3f00",
            57)
        var more = good
        var carry = 0
        for place in 0..<57 {
            carry += Int(good[57 + place]) + Int(order[place])
            more[57 + place] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        #expect(carry == 0)
        let ends = [Array(good.prefix(57)) + order, [UInt8](repeating: 0, count: 114)]
        var wrong = [more, [], Array(good.dropLast()), good + [0], Array(good.prefix(64))] + ends
        for bit in stride(from: 0, to: 912, by: 11) {
            var changed = good
            changed[bit / 8] ^= 1 << (bit % 8)
            wrong.append(changed)
        }
        for signature in wrong {
            #expect(throws: CryptoError.invalid) { try key.verify(.ed448, sampleText, signature: signature) }
        }
        try key.verify(.ed448, sampleText, signature: good)
    }

    @Test("keys of small order, not canonical or not on the curve are rejected (T13, X12; RFC 8032, 5.2.3)") func keys()
        throws
    {
        func number(_ low: UInt8, _ last: UInt8 = 0) -> [UInt8] {
            [low] + [UInt8](repeating: 0, count: 55) + [last]
        }
        // p + 1 - 2^8 * k, little-endian, is 00 then ff to the middle, fe there, and ff.
        func nearPrime(_ low: UInt8, _ last: UInt8 = 0) -> [UInt8] {
            [low] + [UInt8](repeating: 0xff, count: 27) + [0xfe] + [UInt8](repeating: 0xff, count: 27) + [last]
        }
        let wrong: [(String, [UInt8])] = [
            ("the neutral element", number(1)), ("with the sign of a negative 0", number(1, 0x80)),
            ("y = 0", number(0)), ("y = 0, negative", number(0, 0x80)), ("y = -1", nearPrime(0xfe)),
            ("y = -1, negative", nearPrime(0xfe, 0x80)), ("y = p", nearPrime(0xff)),
            ("y = p, negative", nearPrime(0xff, 0x80)),
            ("y = 2^448 - 1", [UInt8](repeating: 0xff, count: 56) + [0]),
            ("all ones", [UInt8](repeating: 0xff, count: 57)), ("y over 2^448", number(3, 1)),
            ("bits beside the sign", number(3, 0x40)),
        ]
        for (what, raw) in wrong {
            #expect(throws: CryptoError.keyInvalid, "\(what)") { try key(raw, isPrivate: false) }
        }
        // Half of all numbers are the y of a point; libcrypto verifies with none of the others.
        var points = 0
        for y in UInt8(2)..<130 {
            let raw = number(y)
            guard let made = try? key(raw, isPrivate: false) else { continue }
            points += 1
            #expect(try made.part(.rawPublic) == raw)
            #expect(try key(number(y, 0x80), isPrivate: false).part(.rawPublic) == number(y, 0x80))
        }
        #expect(points > 40 && points < 88, "\(points)")
        for _ in 0..<50 {
            let good = try AsymmetricKey.generate(.ed448).part(.rawPublic)
            _ = try key(good, isPrivate: false)
        }
        let good = try AsymmetricKey.generate(.ed448).part(.rawPublic)
        for raw in [[], Array(good.dropLast()), good + [0], Array(good.prefix(32))] {
            #expect(throws: CryptoError.keyInvalid) { try key(raw, isPrivate: false) }
            #expect(throws: CryptoError.keyInvalid) { try key(raw, isPrivate: true) }
        }
    }

    @Test("X448 parties compute one secret of 56 bytes, and an all-zero result is rejected (RFC 7748, 6.2)")
    func agreement()
        throws
    {
        let ours = try AsymmetricKey.generate(.x448)
        let theirs = try AsymmetricKey.generate(.x448)
        func agreed(_ key: AsymmetricKey, _ point: [UInt8]) throws(CryptoError) -> [UInt8] {
            try unsafe filled(56) { z throws(CryptoError) in try unsafe key.agree(point: point.span, into: z) }
        }
        let one = try agreed(ours, theirs.part(.rawPublic))
        #expect(try one == agreed(theirs, ours.part(.rawPublic)))
        for _ in 0..<20 {
            var fresh: [UInt8] = []
            let half = try ours.publicHalf()
            let z = try unsafe filled(56) { z throws(CryptoError) in fresh = try unsafe half.agreeFresh(into: z) }
            #expect(try agreed(ours, fresh) == z && fresh.count == 56)
        }
        let wrong = [
            [], [UInt8](repeating: 0, count: 56), [1] + [UInt8](repeating: 0, count: 55),
            [UInt8](repeating: 9, count: 57),
            [UInt8](repeating: 9, count: 32),
        ]
        for point in wrong { #expect(throws: CryptoError.invalid) { try agreed(ours, point) } }
        #expect(throws: CryptoError.keyInvalid) { try agreed(ours.publicHalf(), theirs.part(.rawPublic)) }
        let signer = try AsymmetricKey.generate(.ed448)
        #expect(throws: CryptoError.keyInvalid) { try agreed(signer, theirs.part(.rawPublic)) }
        #expect(throws: CryptoError.keyInvalid) { try ours.sign(.ed448, sampleText) }
    }
}
