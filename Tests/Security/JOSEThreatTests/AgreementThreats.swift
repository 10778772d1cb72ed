import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: key agreement") struct AgreementThreats {
    private static let p256Prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"

    @Test("T19 an epk that is no public point of the key's curve is rejected before derivation (RFC 8725, 3.4)")
    func invalidPoints() throws {
        let prime = try #require(bytes(hex: Self.p256Prime))
        for (algorithm, key, curve) in [
            (KeyManagementAlgorithm.ecdhES, Keys.p256, "P-256"), (.ecdhESA128KW, Keys.p384, "P-384"),
            (.ecdhESA256KW, Keys.p521, "P-521"),
        ] {
            func result(_ epk: String) throws -> Refusal? {
                let header = #"{"alg":"\#(algorithm)","enc":"A128GCM","epk":\#(epk)}"#
                let token = try Forge.encrypted(header: header, plaintext: [1], with: key, algorithm, .a128gcm)
                return outcome(of: token, [key], [algorithm])
            }
            let (good, _) = try Forge.agreed(with: key)
            let point = try JSON(good.utf8)
            let x = try #require(point["x"]?.string.flatMap { bytes(base64URL: $0) })
            let y = try #require(point["y"]?.string.flatMap { bytes(base64URL: $0) })
            let zero = [UInt8](repeating: 0, count: x.count)
            let one = Array(zero.dropLast()) + [1]
            let ones = [UInt8](repeating: 255, count: x.count)
            var changed = y
            changed[y.count - 1] ^= 1
            let short = Array(x.dropLast())
            var hostile = [
                Forge.epk(curve, x, changed), Forge.epk(curve, y, x), Forge.epk(curve, zero, zero),
                Forge.epk(curve, zero, one),
                Forge.epk(curve, one, zero), Forge.epk(curve, ones, y), Forge.epk(curve, x, ones),
                Forge.epk(curve, short, y),
                Forge.epk(curve, [0] + x, y), Forge.epk(curve, x, []), Forge.epk(curve, x, nil),
                Forge.epk("P-257", x, y),
                Forge.epk("", x, y), "{}", #"{"kty":"EC"}"#, #"{"kty":"EC","crv":"\#(curve)","x":1,"y":2}"#,
                good.replacing("\"kty\"", with: "\"d\":\"AAAA\",\"kty\""), good.replacing("\"EC\"", with: "\"OKP\""),
                good.replacing("\"x\":\"", with: "\"x\":\"="), #"{"kty":"oct","k":"AAAA"}"#, "null", "[]", "\"x\"",
            ]
            if curve == "P-256" { hostile += [Forge.epk(curve, prime, y), Forge.epk(curve, x, prime)] }
            for other in [Keys.p256, Keys.p384, Keys.x25519] where other.kind != key.kind {
                hostile.append(try Forge.agreed(with: other).epk)
            }
            for epk in hostile where epk != "{}" {
                #expect(try result(epk) == .headerInvalid, "\(algorithm), \(epk)")
            }
            let without = #"{"alg":"\#(algorithm)","enc":"A128GCM"}"#
            let token = try Forge.encrypted(header: without, plaintext: [1], with: key, algorithm, .a128gcm)
            #expect(outcome(of: token, [key], [algorithm]) == .headerInvalid)
            // The forge replaces `{}` by a valid point.
            #expect(try result("{}") == accepted, "\(algorithm)")
            // A valid point for another key.
            #expect(try result(good) == .decryptionFailed, "\(algorithm)")
        }
    }

    @Test("T20 a low-order X25519 point is rejected before derivation (RFC 7748, 6.1)")
    func lowOrder() throws {
        let prime = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
        func point(_ first: String) -> String { first + prime.dropFirst(2) }
        let points = [
            String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31), point("ec"), point("ed"),
            point("ee"),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ]
        let zero = [UInt8](repeating: 0, count: 32)
        // The bit that RFC 7748, 5 says is ignored.
        let marked = points.filter { $0.hasSuffix("7f") }.map { String($0.dropLast(2)) + "ff" }
        for hex in points + marked {
            let epk = Forge.epk("X25519", try #require(bytes(hex: String(hex))), nil)
            let header = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":\#(epk)}"#
            // A token that a recipient decrypts if it accepts the zero secret.
            let cek = try Forge.derived(zero, "A256GCM", bytes: 32)
            let token = try Forge.sealed(header: Array(header.utf8), encryptedKey: [], cek: cek, .a256gcm, [1])
            #expect(outcome(of: token, [Keys.x25519], [.ecdhES]) == .decryptionFailed, "\(hex)")
        }
        for epk in [
            Forge.epk("X25519", [1], nil), Forge.epk("X25519", zero + [0], nil), Forge.epk("Ed25519", zero, nil),
        ] {
            let header = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":\#(epk)}"#
            let token = try Forge.sealed(header: Array(header.utf8), encryptedKey: [], cek: zero, .a256gcm, [1])
            #expect(outcome(of: token, [Keys.x25519], [.ecdhES]) == .headerInvalid)
        }
        let (epk, z) = try Forge.agreed(with: Keys.x25519)
        let header = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":\#(epk)}"#
        let cek = try Forge.derived(z, "A256GCM", bytes: 32)
        let control = try Forge.sealed(header: Array(header.utf8), encryptedKey: [], cek: cek, .a256gcm, [1])
        #expect(outcome(of: control, [Keys.x25519], [.ecdhES]) == accepted)
    }

    @Test("T20 a low-order X448 point is rejected before derivation (RFC 7748, 6.2)")
    func lowOrder448() throws {
        // 0, 1, and -1, with the values at or over the prime that are the same (RFC 7748, 5).
        let zeros = String(repeating: "00", count: 55)
        let upper = String(repeating: "ff", count: 27)
        let prime = String(repeating: "ff", count: 28) + "fe" + upper
        let points = [
            "00" + zeros, "01" + zeros, "fe" + prime.dropFirst(2), prime,
            "00" + String(repeating: "00", count: 27) + "ff" + upper,
        ]
        let zero = [UInt8](repeating: 0, count: 56)
        for hex in points {
            let epk = Forge.epk("X448", try #require(bytes(hex: hex)), nil)
            let header = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":\#(epk)}"#
            let cek = try Forge.derived(zero, "A256GCM", bytes: 32)
            let token = try Forge.sealed(header: Array(header.utf8), encryptedKey: [], cek: cek, .a256gcm, [1])
            #expect(outcome(of: token, [Keys.x448], [.ecdhES]) == .decryptionFailed, "\(hex)")
        }
        let (epk, z) = try Forge.agreed(with: Keys.x448)
        func token(_ epk: String, _ z: [UInt8]) throws -> String {
            let header = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":\#(epk)}"#
            let cek = try Forge.derived(z, "A256GCM", bytes: 32)
            return try Forge.sealed(header: Array(header.utf8), encryptedKey: [], cek: cek, .a256gcm, [1])
        }
        #expect(outcome(of: try token(epk, z), [Keys.x448], [.ecdhES]) == accepted)
        let (other, otherZ) = try Forge.agreed(with: Keys.x25519)
        for wrong in [
            try token(other, otherZ), try token(Forge.epk("X448", [1], nil), zero),
            try token(Forge.epk("X448", zero + [0], nil), zero), try token(Forge.epk("Ed448", zero, nil), zero),
        ] {
            #expect(outcome(of: wrong, [Keys.x448], [.ecdhES]) == .headerInvalid)
        }
    }
}
