import JOSECrypto
import TestSupport
import Testing

private struct Key: Decodable { let key: JSON }

private typealias Number = [UInt8]

/// The numbers of an RSA key by their names.
private func rsa(_ parts: [String: Number]) throws(CryptoError) -> AsymmetricKey {
    try .rsa(
        n: parts["n"] ?? [], e: parts["e"] ?? [], d: parts["d"], p: parts["p"], q: parts["q"], dp: parts["dp"],
        dq: parts["dq"], qi: parts["qi"])
}

private func plus(_ a: Number, _ small: Int) -> Number {
    var result = a
    var carry = small
    for place in a.indices.reversed() where carry != 0 {
        let value = Int(a[place]) + carry
        result[place] = UInt8(truncatingIfNeeded: value)
        carry = value >> 8
    }
    return result
}

@Suite("Checks of private keys") struct KeyCheckTests {
    private let parts: [String: Number]

    init() throws {
        let file: Key = try ownVectors("rsa")
        parts = ["n", "e", "d", "p", "q", "dp", "dq", "qi"].reduce(into: [:]) { $0[$1] = member($1, of: file.key) }
    }

    private func part(_ name: String) -> Number { parts[name] ?? [] }

    @Test("the five CRT values are recovered from n, e and d (RFC 7518, 6.3.2)") func recovered() throws {
        let whole = try rsa(parts)
        let bare = try rsa(["n": part("n"), "e": part("e"), "d": part("d")])
        for name: KeyPart in [.n, .e, .d] {
            let (a, b) = (try whole.part(name), try bare.part(name))
            #expect(a == b)
        }
        let factors = [try bare.part(.p), try bare.part(.q)]
        #expect(Set(factors) == Set([part("p"), part("q")]))
        let signature = try bare.sign(.rs256, sampleText)
        let same = try whole.sign(.rs256, sampleText)
        #expect(signature == same)
        // RFC 7517, C.1 and others publish keys whole: what is recovered is what they print, up to the order.
        for bits in [2048, 3072] {
            let key = try AsymmetricKey.generateRSA(bits: bits)
            let again = try AsymmetricKey.rsa(n: key.part(.n), e: key.part(.e), d: key.part(.d))
            let pair = [try again.part(.p), try again.part(.q)]
            let made = [try key.part(.p), try key.part(.q)]
            #expect(Set(pair) == Set(made))
        }
    }

    @Test("an RSA private key with inconsistent parameters is rejected (RFC 8017, 3.2; X13)")
    func inconsistent() throws {
        #expect(throws: Never.self) { try rsa(parts) }
        for name in ["d", "p", "q", "dp", "dq", "qi"] {
            for change in [2, -2, 1, -1] {
                var other = parts
                other[name] = plus(part(name), change)
                #expect(throws: CryptoError.keyInvalid, "\(name) \(change)") { try rsa(other) }
            }
            var missing = parts
            missing[name] = nil
            #expect(throws: CryptoError.keyInvalid, "no \(name)") { try rsa(missing) }
            missing[name] = []
            #expect(throws: CryptoError.keyInvalid, "empty \(name)") { try rsa(missing) }
            missing[name] = [0]
            #expect(throws: CryptoError.keyInvalid, "\(name) = 0") { try rsa(missing) }
            missing[name] = part("n")
            #expect(throws: CryptoError.keyInvalid, "\(name) = n") { try rsa(missing) }
        }
        var swapped = parts
        swapped["p"] = part("q")
        swapped["q"] = part("p")
        #expect(throws: CryptoError.keyInvalid) { try rsa(swapped) }
        for d in [plus(part("d"), 2), [1], [0], part("n"), plus(part("n"), 2)] {
            #expect(throws: CryptoError.keyInvalid) { try rsa(["n": part("n"), "e": part("e"), "d": d]) }
        }
        var other = parts
        other["e"] = [3]
        #expect(throws: CryptoError.keyInvalid) { try rsa(other) }
    }

    @Test("accepts odd n of 2 048 to 8 192 bits and odd e from 3 to 2^33 only (T05; RFC 7518, 3.3)")
    func publicNumbers()
        throws
    {
        let n = part("n")
        func outcome(_ n: Number, _ e: Number) -> CryptoError? {
            do throws(CryptoError) {
                _ = try AsymmetricKey.rsa(n: n, e: e)
                return nil
            } catch { return error }
        }
        for e: Number in [[3], [17], [1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0, 1], [1, 0xff, 0xff, 0xff, 0xff]] {
            #expect(outcome(n, e) == nil, "\(e)")
        }
        for e: Number in [
            [], [0], [1], [2], [1, 0, 0], [2, 0, 0, 0, 0], [2, 0, 0, 0, 1], n, [UInt8](repeating: 1, count: 5000),
        ] {
            #expect(outcome(n, e) == .keyInvalid, "\(e.prefix(9))")
        }
        #expect(outcome(plus(n, -1), [3]) == .keyInvalid)
        #expect(outcome([0, 0] + n, [3]) == nil)
        func modulus(_ bits: Int) -> Number {
            var number = [UInt8](repeating: 0xff, count: (bits + 7) / 8)
            number[0] = UInt8(truncatingIfNeeded: (1 << ((bits - 1) % 8 + 1)) - 1)
            return number
        }
        for (bits, expected) in [
            (1, CryptoError.keyTooSmall), (512, .keyTooSmall), (1024, .keyTooSmall), (2047, .keyTooSmall),
            (8193, .keyInvalid), (16384, .keyInvalid),
        ] { #expect(outcome(modulus(bits), [3]) == expected, "\(bits)") }
        for bits in [2048, 2049, 3072, 4096, 8192] {
            #expect(outcome(modulus(bits), [3]) == nil, "\(bits)")
            let key = try AsymmetricKey.rsa(n: modulus(bits), e: [3])
            #expect(key.kind == .rsa(bits: bits) && key.signatureCount == (bits + 7) / 8)
        }
        #expect(outcome([], [3]) == .keyInvalid && outcome([0], [3]) == .keyInvalid)
    }

    @Test("an RSA key of 2 056 bits signs and verifies, with signatures of 257 bytes") func oddSize() throws {
        let key = try AsymmetricKey.generateRSA(bits: 2056)
        for scheme in [SignatureScheme.rs256, .ps256, .ps512] {
            let signature = try key.sign(scheme, sampleText)
            #expect(signature.count == 257)
            try key.verify(scheme, sampleText, signature: signature)
        }
        #expect(throws: CryptoError.keyTooSmall) { try AsymmetricKey.generateRSA(bits: 1024) }
        #expect(throws: CryptoError.keyTooSmall) { try AsymmetricKey.generateRSA(bits: -1) }
        for bits in [2049, 8200, Int.max] {
            #expect(throws: CryptoError.keyInvalid) { try AsymmetricKey.generateRSA(bits: bits) }
        }
    }

    @Test("d of an EC key must be from 1 to n - 1 and match the public point (RFC 7518, 6.2.2; X13)")
    func ecPrivate() throws {
        let orders: [(Curve, String)] = [
            (.p256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
            (.p384, "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
            (
                .p521,
                "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
            ),
            (.secp256k1, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
        ]
        for (curve, orderHex) in orders {
            let key = try AsymmetricKey.generateEC(curve)
            let (x, y, d) = (try key.part(.x), try key.part(.y), try key.part(.ecD))
            #expect(x.count == curve.fieldBytes && y.count == curve.fieldBytes && d.count == curve.fieldBytes)
            let again = try AsymmetricKey.ec(curve, x: x, y: y, d: d)
            try key.verify(scheme(of: curve), [1], signature: again.sign(scheme(of: curve), [1]))
            let order = sized(orderHex, curve.fieldBytes)
            var wrong = [
                order, plus(order, 1), [UInt8](repeating: 0, count: curve.fieldBytes),
                [UInt8](repeating: 0xff, count: curve.fieldBytes), plus(d, 1), [], Array(d.dropFirst()), [0] + d,
            ]
            // d + n makes the same point.
            if curve == .p521 { wrong.append(added(d, order)) }
            let other = try AsymmetricKey.generateEC(curve)
            wrong.append(try other.part(.ecD))
            for d in wrong {
                #expect(throws: CryptoError.keyInvalid, "\(curve) \(d.count)") {
                    try AsymmetricKey.ec(curve, x: x, y: y, d: d)
                }
            }
            for missing: KeyPart in [.n, .e, .d, .p] {
                #expect(throws: CryptoError.keyInvalid) { try key.part(missing) }
            }
            let half = try key.publicHalf()
            #expect(!half.isPrivate && half.kind == .ec(curve))
            #expect(throws: CryptoError.keyInvalid) { try half.part(.ecD) }
        }
    }

    private func scheme(of curve: Curve) -> SignatureScheme {
        switch curve {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        case .secp256k1: .es256k
        }
    }

    private func added(_ a: Number, _ b: Number) -> Number {
        var (result, carry) = (a, 0)
        for place in a.indices.reversed() {
            carry += Int(a[place]) + Int(b[place])
            result[place] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        return result
    }
}
