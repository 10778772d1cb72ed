import JOSECrypto
import TestSupport
import Testing

/// The point of each curve with x = 0, and the field's prime, which is the same x where coordinates are not checked.
private let edges: [(curve: Curve, prime: String, y: String)] = [
    (
        .p256, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"
    ),
    (
        .p384, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
        "c306610fb0ae5a159cf45c06069f22a6c5eb3641c602d42dea2c4b4f75550793406d80d2b91ad54f9048bd487af1ade1"
    ),
    (
        .p521,
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "012df13601594a883ef2d935e44bb90bf4d6619b74e52af7552f97769011c0719eb439cfab2a88d40fe59a2bed1f43557169a2d0a2ccd280c607b92bbf51ffe0b078"
    ),
]

@Suite("Attacks on key agreement") struct AgreementAttackTests {
    @Test(
        "a point off the curve, of another curve, out of range, compressed or infinite is rejected (T19; RFC 7518, 4.6)"
    )
    func points() throws {
        for edge in edges {
            let size = edge.curve.fieldBytes
            let key = try AsymmetricKey.generateEC(edge.curve)
            let other = try AsymmetricKey.generateEC(edge.curve)
            let (x, y) = (try other.part(.x), try other.part(.y))
            let good = [4] + x + y
            let agreed = try key.agreed(good)
            let mirrored = try other.agreed([4] + key.part(.x) + key.part(.y))
            #expect(agreed == mirrored)

            let zero = [UInt8](repeating: 0, count: size)
            let top = [UInt8](repeating: 0xff, count: size)
            let prime = sized(edge.prime, size)
            let low = sized(edge.y, size)
            var onePast = y
            onePast[size - 1] ^= 1
            let foreign = try AsymmetricKey.generateEC(edge.curve == .p256 ? .p384 : .p256)
            let wrong: [(String, [UInt8])] = [
                ("off the curve", [4] + x + onePast), ("exchanged", [4] + y + x), ("(0, 0)", [4] + zero + zero),
                ("(x, 0)", [4] + x + zero), ("(0, y)", [4] + zero + y), ("the largest numbers", [4] + top + top),
                ("x = p", [4] + prime + low), ("y = p", [4] + x + prime), ("infinity in one byte", [0]),
                ("infinity, padded", [0] + zero + zero), ("compressed", [2] + x),
                ("compressed, padded", [2] + x + zero),
                ("hybrid", [6 | (y[size - 1] & 1)] + x + y), ("hybrid, wrong", [7 ^ (y[size - 1] & 1)] + x + y),
                ("no first byte", x + y), ("another first byte", [5] + x + y), ("empty", []),
                ("the first byte alone", [4]),
                ("no y", [4] + x), ("a byte short", Array(good.dropLast())), ("a byte more", good + [0]),
                ("another curve's", [4] + (try foreign.part(.x)) + (try foreign.part(.y))),
            ]
            for (what, point) in wrong {
                #expect(throws: CryptoError.invalid, "\(edge.curve) \(what)") { try key.agreed(point) }
                // A rejected point leaves nothing behind in the kept context.
                let again = try key.agreed(good)
                #expect(again == agreed, "\(edge.curve) after \(what)")
            }
            // The positive control: the point with x = 0 is accepted.
            let atZero = try key.agreed([4] + zero + low)
            #expect(atZero != agreed)
            #expect(throws: CryptoError.keyInvalid) { try other.publicHalf().agreed(good) }
        }
    }

    @Test("points that are imported as keys have the same checks (T19)") func keys() throws {
        for edge in edges {
            let size = edge.curve.fieldBytes
            let key = try AsymmetricKey.generateEC(edge.curve)
            let (x, y) = (try key.part(.x), try key.part(.y))
            let zero = [UInt8](repeating: 0, count: size)
            let prime = sized(edge.prime, size)
            let low = sized(edge.y, size)
            var onePast = y
            onePast[size - 1] ^= 1
            let wrong = [
                (x, onePast), (zero, zero), (prime, low), (x, prime), (x, []), ([], y), (x, Array(y.dropLast())),
                (x, [0] + y), ([0] + x, y), (y, x),
            ]
            #expect(throws: Never.self) { try AsymmetricKey.ec(edge.curve, x: x, y: y) }
            for (x, y) in wrong {
                #expect(throws: CryptoError.keyInvalid) { try AsymmetricKey.ec(edge.curve, x: x, y: y) }
            }
            _ = try AsymmetricKey.ec(edge.curve, x: zero, y: low)
        }
    }

    @Test("X25519 rejects points of small order, with the unused bit set or not (T20; RFC 7748, 6.1)")
    func smallOrder() throws {
        let key = try X25519PrivateKey.generate()
        let wrong = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
        for text in wrong {
            for sign: UInt8 in [0, 0x80] {
                var point = sized(text, 32)
                point[31] |= sign
                #expect(throws: CryptoError.invalid, "\(text)") { try key.agreed(point) }
                let half = try X25519PublicKey(point)
                #expect(throws: CryptoError.invalid) {
                    unsafe try filled(32) { z throws(CryptoError) in _ = try unsafe half.agreeFresh(into: z) }
                }
            }
        }
        for count in [0, 1, 31, 33, 64] {
            let point = [UInt8](repeating: 9, count: count)
            #expect(throws: CryptoError.invalid) { try key.agreed(point) }
            #expect(throws: CryptoError.keyInvalid) { try X25519PublicKey(point) }
            #expect(throws: CryptoError.keyInvalid) { try X25519PrivateKey(scalar: point) }
        }
        // The positive control: 32 bytes of the same value are a point of large order, with the unused bit set or not.
        for last: UInt8 in [9, 0x89] {
            let point = [UInt8](repeating: 9, count: 31) + [last]
            #expect(throws: Never.self) { try key.agreed(point) }
            let half = try X25519PublicKey(point)
            #expect(throws: Never.self) {
                unsafe try filled(32) { z throws(CryptoError) in _ = try unsafe half.agreeFresh(into: z) }
            }
            #expect(throws: Never.self) { try X25519PrivateKey(scalar: point) }
        }
    }

    @Test("both parties of an X25519 agreement compute the same secret") func freshX25519() throws {
        let key = try X25519PrivateKey.generate()
        var point: [UInt8] = []
        let theirs = unsafe try filled(32) { z throws(CryptoError) in
            point = try unsafe key.publicKey.agreeFresh(into: z)
        }
        let ours = try key.agreed(point)
        #expect(ours == theirs)
        let again = try X25519PrivateKey(scalar: key.withScalar { s in s.indices.map { s[$0] } })
        #expect(again.publicKey == key.publicKey)
    }

    @Test("Concat KDF output depends on its round counter and on each byte of its info (RFC 7518, 4.6.2)")
    func rounds() throws {
        let z = [UInt8](repeating: 3, count: 32)
        let info = Array("info".utf8)
        let long = try derived(z, info, 80)
        for count in [0, 1, 16, 31, 32, 33, 64, 65, 80] {
            let made = try derived(z, info, count)
            #expect(made == Array(long.prefix(count)))
        }
        let first = try Hash.sha256.digest([0, 0, 0, 1] + z + info)
        let second = try Hash.sha256.digest([0, 0, 0, 2] + z + info)
        let third = try Hash.sha256.digest([0, 0, 0, 3] + z + info)
        #expect(long == Array((first + second + third).prefix(80)))
        let empty = try derived(z, [], 32)
        let ofEmpty = try Hash.sha256.digest([0, 0, 0, 1] + z)
        #expect(empty == ofEmpty)
    }
}
