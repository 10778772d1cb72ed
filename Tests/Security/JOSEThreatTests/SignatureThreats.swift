import JOSE
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: signatures") struct SignatureThreats {
    /// The orders of the groups (SEC 2, 2.4.2, 2.5.1, 2.6.1).
    private static let curves: [(SignatureAlgorithm, String)] = [
        (.es256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        (.es384, String(repeating: "f", count: 48) + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
        (
            .es512,
            "01" + String(repeating: "f", count: 64)
                + "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        ),
        (.es256k, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    ]

    private static func input(_ algorithm: SignatureAlgorithm) -> String {
        Forge.input(header: #"{"alg":"\#(algorithm)"}"#, payload: "threat")
    }

    @Test("T11 ECDSA numbers outside 1 to n - 1 are rejected (RFC 7518, 3.4)")
    func ecdsaRange() throws {
        for (algorithm, order) in Self.curves {
            let key = Keys.signing(algorithm)
            let input = Self.input(algorithm)
            let good = try Forge.signature(of: Array(input.utf8), with: key, algorithm)
            let n = try #require(bytes(hex: order))
            let half = n.count
            #expect(good.count == 2 * half)
            let r = Array(good[..<half])
            let s = Array(good[half...])
            let zero = [UInt8](repeating: 0, count: half)
            let ones = [UInt8](repeating: 255, count: half)
            let one = Array(zero[1...]) + [1]
            let less = Array(n[..<(half - 1)]) + [n[half - 1] - 1]
            let more = Array(n[..<(half - 1)]) + [n[half - 1] + 1]
            let hostile = [
                zero + zero, zero + s, r + zero, zero + one, one + zero, n + s, r + n, n + n, one + one, less + less,
                more + s, r + more, ones + s, r + ones, ones + ones, s + r,
            ]
            for (index, signature) in hostile.enumerated() {
                let token = Forge.token(input, signature: signature)
                #expect(outcome(of: token, [key.shown], [algorithm]) == .signatureInvalid, "\(algorithm), \(index)")
            }
            #expect(outcome(of: Forge.token(input, signature: good), [key.shown], [algorithm]) == accepted)
        }
    }

    @Test("T12 an ECDSA signature of another length or form than r and s is rejected (RFC 7518, 3.4)")
    func ecdsaForm() throws {
        for (algorithm, order) in Self.curves {
            let key = Keys.signing(algorithm)
            let input = Self.input(algorithm)
            // The r of the signature begins with a zero byte, which a lax encoder leaves out.
            var good: [UInt8] = [1]
            while good[0] != 0 { good = try Forge.signature(of: Array(input.utf8), with: key, algorithm) }
            let half = good.count / 2
            let r = Array(good[..<half])
            let s = Array(good[half...])
            var hostile = [
                der(r, s), der(r, s) + [UInt8](repeating: 0, count: max(0, 2 * half - der(r, s).count)),
                Array(r.dropFirst()) + s, Array(r.dropFirst()) + Array(s.dropFirst()), [0] + r + [0] + s, [0] + good,
                good + [0], Array(good.dropLast()), r, [], Array(good.reversed()),
            ]
            let sum = adding(r, try #require(bytes(hex: order)))
            if sum.count == half { hostile.append(sum + s) }
            for (index, signature) in hostile.enumerated() {
                let token = Forge.token(input, signature: signature)
                #expect(outcome(of: token, [key.shown], [algorithm]) == .signatureInvalid, "\(algorithm), \(index)")
            }
            #expect(outcome(of: Forge.token(input, signature: good), [key.shown], [algorithm]) == accepted)
        }
    }

    private func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            let bytes = Array(bytes.drop { $0 == 0 })
            let padded = bytes[0] >= 0x80 ? [0] + bytes : bytes
            return [2, UInt8(padded.count)] + padded
        }
        let body = integer(r) + integer(s)
        return (body.count < 128 ? [0x30] : [0x30, 0x81]) + [UInt8(body.count)] + body
    }

    /// Returns the sum, big-endian, with one more byte if there is a carry.
    private func adding(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var sum: [UInt8] = []
        var carry = 0
        for (x, y) in zip(a.reversed(), b.reversed()) {
            let digit = Int(x) + Int(y) + carry
            sum.append(UInt8(digit & 255))
            carry = digit >> 8
        }
        return (carry == 0 ? [] : [1]) + sum.reversed()
    }

    @Test("T13 Ed25519 rejects S + L, and keys of small order or non-canonical encoding (RFC 8032, 5.1.7)")
    func ed25519() throws {
        let order = try #require(bytes(hex: "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"))
        let key = Keys.ed25519
        for algorithm in [SignatureAlgorithm.edDSA, .ed25519] {
            let input = Self.input(algorithm)
            let good = try Forge.signature(of: Array(input.utf8), with: key, algorithm)
            let s = adding(Array(good[32...].reversed()), order)
            let zero = [UInt8](repeating: 0, count: 32)
            var hostile = [Array(good[..<32]) + s.reversed(), zero + good[32...], good[..<32] + zero, zero + zero]
            hostile += [Array(good.dropLast()), good + [0], []]
            for small in Keys.data.edwards {
                hostile.append(try #require(bytes(base64URL: small.x)) + good[32...])
            }
            for (index, signature) in hostile.enumerated() {
                let token = Forge.token(input, signature: signature)
                #expect(outcome(of: token, [key.shown], [algorithm]) == .signatureInvalid, "\(algorithm), \(index)")
            }
            #expect(outcome(of: Forge.token(input, signature: good), [key.shown], [algorithm]) == accepted)
        }
        for point in Keys.data.edwards {
            let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(point.x)"}"#
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == .keyInvalid, "\(point.name)")
        }
        let control = try #require(key.publicKey).jwk()
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: control) } == accepted)
    }

    @Test("T13 Ed448 rejects S + L, and keys of small order or non-canonical encoding (RFC 8032, 5.2.7)")
    func ed448() throws {
        let order = try #require(
            bytes(
                hex: "003fffffffffffffffffffffffffffffffffffffffffffffffffffffff"
                    + "7cca23e9c44edb49aed63690216cc2728dc58f552378c292ab5844f3"))
        let key = Keys.ed448
        let zero = [UInt8](repeating: 0, count: 57)
        // These are the neutral element and the points of order 2 and 4 (y = 1, -1, 0).
        let minusOne = [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0]
        let small = [[1] + zero.dropFirst(), minusOne, zero, zero.dropLast() + [0x80]]
        for algorithm in [SignatureAlgorithm.edDSA, .ed448] {
            let input = Self.input(algorithm)
            let good = try Forge.signature(of: Array(input.utf8), with: key, algorithm)
            let s = adding(Array(good[57...].reversed()), order)
            var hostile = [Array(good[..<57]) + s.reversed(), zero + good[57...], good[..<57] + zero, zero + zero]
            hostile += [Array(good.dropLast()), good + [0], [], Array(good[..<113]) + [0x80]]
            for point in small { hostile.append(point + good[57...]) }
            for (index, signature) in hostile.enumerated() {
                let token = Forge.token(input, signature: signature)
                #expect(outcome(of: token, [key.shown], [algorithm]) == .signatureInvalid, "\(algorithm), \(index)")
            }
            #expect(outcome(of: Forge.token(input, signature: good), [key.shown], [algorithm]) == accepted)
        }
        // y = p and y = p + 1 are non-canonical encodings of 0 and 1.
        let prime = [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0]
        for point in small + [prime, [UInt8](repeating: 0xFF, count: 56) + [0], [UInt8](repeating: 0xFF, count: 57)] {
            let jwk = #"{"kty":"OKP","crv":"Ed448","x":"\#(base64URL(point))"}"#
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == .keyInvalid, "\(hex(point))")
        }
        let control = try #require(key.publicKey).jwk()
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: control) } == accepted)
    }

    @Test("T14 RSA padding with any wrong byte is rejected (RFC 8017, 8.2.2)")
    func bleichenbacher() throws { try expectRows("T14", .rs256) }

    @Test("T15 a PSS signature with another salt length or MGF1 hash is rejected (RFC 7518, 3.5)")
    func pss() throws {
        try expectRows("T15", .ps256)
        // An explanation names the length that libraries choose by default, and accepts nothing.
        let verifier = JWSVerifier(
            unexaminedKeys: KeySet(Keys.rsa.shown), policy: SignaturePolicy(algorithms: [.ps256]))
        func mistake(_ row: String) throws -> SignatureMistake? {
            let token = try #require(Keys.data.rows("T15").first { $0.name == row }).token
            return verifier.mistake(in: token.utf8.span)
        }
        for (row, found) in [("no salt", 0), ("a salt of 20", 20), ("the longest salt", 222)] {
            #expect(try mistake(row) == .saltLength(found: found, required: 32), "\(row)")
        }
        #expect(try mistake("a salt of 31") == nil)
    }

    @Test("T16 an RSA signature of at least n, or of another length than n, is rejected (RFC 8017, 5.2.2)")
    func representative() throws {
        try expectRows("T16", .rs256)
        for algorithm in [SignatureAlgorithm.ps256, .rs384] {
            let input = Self.input(algorithm)
            let good = try Forge.signature(of: Array(input.utf8), with: Keys.rsa, algorithm)
            for signature in [
                [0] + good, good + [0], Array(good.dropLast()), Array(good.dropFirst()),
                [UInt8](repeating: 255, count: good.count),
            ] {
                #expect(
                    outcome(of: Forge.token(input, signature: signature), [Keys.rsa.shown], [algorithm])
                        == .signatureInvalid)
            }
            #expect(outcome(of: Forge.token(input, signature: good), [Keys.rsa.shown], [algorithm]) == accepted)
        }
    }

    private func expectRows(_ threat: String, _ algorithm: SignatureAlgorithm) throws {
        let rows = Keys.data.rows(threat)
        #expect(rows.count >= 9 && rows.contains { $0.name == "good" })
        for row in rows {
            let wanted = row.name == "good" ? accepted : .signatureInvalid
            #expect(outcome(of: row.token, [Keys.rsa.shown], [algorithm]) == wanted, "\(row.name)")
            // The signature is verified with the algorithm of the other padding.
            if row.name == "good" {
                let other: SignatureAlgorithm = algorithm == .rs256 ? .ps256 : .rs256
                #expect(outcome(of: row.token, [Keys.rsa.shown], [other]) == .algorithmNotAllowed)
            }
        }
    }

    @Test("T17 an algorithm rejects keys of another kind or curve (RFC 7518, 3.4)")
    func curve() throws {
        let keys = [
            Keys.rsa, Keys.p256, Keys.p384, Keys.p521, Keys.secp256k1, Keys.ed25519, Keys.ed448, Keys.x25519, Keys.x448,
            Keys.longSecret,
        ]
        for (algorithm, key) in Keys.signing {
            let token = try Forge.signed(Self.input(algorithm), with: key, algorithm)
            for other in keys where other.kind != key.kind {
                // `EdDSA` (RFC 8037) is the name for both curves, and the key selects one.
                let isEither = algorithm == .edDSA && other.kind == .ed448
                #expect(
                    outcome(of: token, [other.shown], SignatureAlgorithm.all)
                        == (isEither ? .signatureInvalid : .keyMismatch), "\(algorithm), \(other.kind)")
            }
            #expect(outcome(of: token, [key.shown], SignatureAlgorithm.all) == accepted, "\(algorithm)")
        }
    }
}
