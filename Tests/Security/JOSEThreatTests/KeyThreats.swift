import JOSE
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: key import") struct KeyThreats {
    private let leftOut: JSON? = nil

    private func members(_ key: JWK) throws -> [String: JSON] {
        guard case .privateKey(let key) = key, case .object(let members) = try JSON(key.exportPrivateJWK()) else {
            return [:]
        }
        return members
    }

    private func parsed(_ members: [String: JSON], _ changes: [String: JSON?]) -> Refusal? {
        var members = members
        for (name, value) in changes { members[name] = value }
        let text = JSON.object(members).text
        return verdict { () throws(JOSEError) in try JWK(parsing: text) }
    }

    private func text(_ hex: String) throws -> JSON { .string(base64URL(try #require(bytes(hex: hex)))) }

    @Test("T61 an EC key off its curve, or with d outside 1 to n - 1, is rejected (RFC 7518, 6.2)")
    func ecNumbers() throws {
        let orders: [(JWK, String)] = [
            (Keys.p256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
            (Keys.p384, String(repeating: "f", count: 48) + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
            (
                Keys.p521,
                "01" + String(repeating: "f", count: 64)
                    + "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
            ),
            (Keys.secp256k1, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
        ]
        for (key, order) in orders {
            let good = try members(key)
            let zeros = String(repeating: "00", count: order.count / 2)
            let x = try #require(good["x"]?.string.flatMap { bytes(base64URL: $0) })
            let hostile: [[String: JSON?]] = [
                ["d": try text(zeros)], ["d": try text(order)],
                ["d": try text(String(repeating: "ff", count: order.count / 2))],
                ["d": try text(zeros.dropLast(2) + "01")], ["x": try text(zeros)], ["y": try text(zeros)],
                ["x": good["y"], "y": good["x"]],
                ["x": .string(base64URL(x.dropLast()))], ["x": .string(base64URL([0] + x))], ["x": .string("")],
                ["y": leftOut],
                ["x": .number(1)], ["d": .string("")], ["crv": .string("P-192")], ["crv": leftOut],
                ["kty": .string("ec")],
                ["kty": .string("RSA")], ["kty": leftOut], ["x": .string(base64URL(x) + "=")], ["x": .string("!")],
                ["d": .string(base64URL([0] + x))],
            ]
            for (index, change) in hostile.enumerated() {
                #expect(parsed(good, change) == .keyInvalid, "\(key.kind), \(index)")
            }
            #expect(parsed(good, [:]) == accepted)
            #expect(parsed(good, ["d": leftOut]) == accepted)
            // A member that is null is absent.
            #expect(parsed(good, ["d": .null]) == accepted)
        }
    }

    @Test("T61 an OKP key of another length than its curve's, or with mismatched x and d, is rejected (RFC 8037, 2)")
    func pairs() throws {
        let pairs: [(JWK, KeyKind, String)] = [
            (Keys.ed25519, .ed25519, "Ed448"), (Keys.x25519, .x25519, "X448"), (Keys.ed448, .ed448, "Ed25519"),
            (Keys.x448, .x448, "X25519"),
        ]
        for (key, kind, curve) in pairs {
            let good = try members(key)
            let other = try members(Keys.made(kind))
            let x = try #require(good["x"]?.string.flatMap { bytes(base64URL: $0) })
            let hostile: [[String: JSON?]] = [
                ["x": .string(base64URL(x.dropLast()))], ["x": .string(base64URL(x + [0]))], ["x": .string("")],
                ["x": leftOut],
                ["d": other["d"]], ["x": other["x"]], ["d": .string("")], ["d": .string(base64URL(x.dropLast()))],
                ["d": .number(1)],
                ["crv": .string(curve)], ["crv": .string("\(good["crv"]?.string ?? "")".lowercased())],
                ["crv": leftOut], ["kty": .string("EC")],
            ]
            for (index, change) in hostile.enumerated() {
                #expect(parsed(good, change) == .keyInvalid, "\(key.kind), \(index)")
            }
            #expect(parsed(good, [:]) == accepted)
        }
    }

    @Test("T61 an RSA key with inconsistent parameters is rejected (RFC 8017, 3.2)")
    func rsaNumbers() throws {
        let good = try members(Keys.rsa)
        let other = try members(Keys.made(.rsa(bits: 2048)))
        for name in ["d", "p", "q", "dp", "dq", "qi", "n"] {
            for value in [other[name], .string("AQ"), .string(""), .number(3), .null] {
                #expect(parsed(good, [name: value]) == .keyInvalid || name == "n", "\(name)")
            }
            #expect(parsed(good, [name: other[name]]) == .keyInvalid, "\(name)")
        }
        for name in ["p", "q", "dp", "dq", "qi"] { #expect(parsed(good, [name: leftOut]) == .keyInvalid, "\(name)") }
        let n = try #require(good["n"]?.string.flatMap { bytes(base64URL: $0) })
        let short: [String: JSON] = ["kty": .string("RSA"), "n": .string(base64URL(n)), "e": .string("AQAB")]
        let even = Array(n.dropLast()) + [n[n.count - 1] & 0xFE]
        for change in [
            ["n": JSON.string(base64URL([0] + n))], ["n": .string(base64URL(even))], ["n": .string(base64URL(n) + "=")],
            ["n": .null],
        ] {
            #expect(parsed(short, change) == .keyInvalid, "\(change)")
        }
        let primes: [String: JSON?] = [
            "p": leftOut, "q": leftOut, "dp": leftOut, "dq": leftOut, "qi": leftOut,
        ]
        #expect(parsed(good, primes) == accepted)
        #expect(parsed(good, ["p": good["q"], "q": good["p"], "dp": good["dq"], "dq": good["dp"]]) == .keyInvalid)
        #expect(parsed(good, [:]) == accepted)
        #expect(parsed(short, [:]) == accepted)
    }

    @Test(
        "T83 an RSA key whose CRT parameters differ by a bit is rejected before it signs, as JWK and as PEM (RFC 8017, 3.2)"
    )
    func faultyRSA() throws {
        let good = try members(Keys.rsa)
        guard case .privateKey(let key) = Keys.rsa else { return }
        let der = try key.exportPrivateDER()
        func read(_ der: [UInt8]) -> Refusal? {
            verdict { () throws(JOSEError) in try PrivateKey(der: der) }
        }
        for name in ["p", "q", "dp", "dq", "qi"] {
            var number = try #require(good[name]?.string.flatMap { bytes(base64URL: $0) })
            let place = try #require(der.indices.first { der[$0...].starts(with: number) }, "\(name)")
            for bit in [1, 8 * number.count / 2, 8 * number.count - 9] {
                var faulty = der
                faulty[place + number.count - 1 - bit / 8] ^= 1 << (bit % 8)
                number[number.count - 1 - bit / 8] ^= 1 << (bit % 8)
                #expect(parsed(good, [name: .string(base64URL(number))]) == .keyInvalid, "\(name), \(bit)")
                #expect(read(faulty) == .keyInvalid, "\(name), \(bit)")
                number[number.count - 1 - bit / 8] ^= 1 << (bit % 8)
            }
        }
        #expect(parsed(good, [:]) == accepted)
        #expect(read(der) == accepted)
    }

    @Test("T62 an RSA modulus must have 2048 to 8192 bits, and the exponent be odd and from 3 to 2^33 (RFC 8017, 3.1)")
    func rsaBounds() throws {
        let good = try members(Keys.rsa)
        let short: [String: JSON] = ["kty": .string("RSA"), "n": good["n"] ?? .null, "e": .string("AQAB")]
        for e in [
            "00", "01", "02", "04", "010000", "0200000001", "0200000003", "ffffffffff", "0100000000000001", "00010001",
            "",
        ] {
            let value = JSON.string(base64URL(try #require(bytes(hex: e))))
            #expect(parsed(short, ["e": value]) == .keyInvalid, "\(e)")
        }
        #expect(parsed(short, ["e": good["n"]]) == .keyInvalid)
        for e in ["03", "05", "11", "010001", "01ffffffff"] {
            #expect(parsed(short, ["e": try text(e)]) == accepted, "\(e)")
        }
        for (bits, wanted) in [
            (2047, Refusal.keyTooSmall), (1024, .keyTooSmall), (512, .keyTooSmall), (8193, .keyInvalid),
            (16_384, .keyInvalid),
        ] {
            var n = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
            n[0] = bits % 8 == 0 ? 0x80 : UInt8(1) << (bits % 8 - 1)
            n[n.count - 1] |= 1
            #expect(parsed(short, ["n": .string(base64URL(n))]) == wanted, "\(bits)")
        }
        #expect(parsed(short, ["n": .string(base64URL([UInt8](repeating: 0xFF, count: 1024)))]) == accepted)
    }

    @Test("T63 an RSA modulus with the ROCA fingerprint is rejected if the caller requests it (CVE-2017-15361)")
    func weakGenerator() throws {
        let weak = Keys.data.roca
        let good = try #require(Keys.rsa.publicKey)
        let found = JOSEError.keyInvalid(.roca)
        let key = try JWK(parsing: weak)
        let set = #"{"keys":[\#(weak),\#(good.jwk())]}"#
        // The check applies to the import of a key, a set and a file, and to a key that was imported before.
        #expect(throws: found) { try JWK(parsing: weak, checks: .roca) }
        #expect(throws: found) { try JWK(parsing: Array(weak.utf8), checks: .roca) }
        #expect(throws: found) { try key.pass(.roca) }
        let pem = try #require(key.publicKey).pem()
        let der = try #require(key.publicKey).der()
        #expect(throws: found) { try JWK(pem: pem.utf8.span, checks: .roca) }
        #expect(throws: found) { try JWK(der: der.span, checks: .roca) }
        let checked = try KeySet(parsing: set, checks: .roca)
        #expect(checked.keys == [.publicKey(good)] && checked.unusable.map(\.reason) == [found])
        #expect(try KeySet(parsing: set, as: .publicOnly, checks: .roca).unusable.map(\.index) == [0])
        // The check is off unless it is requested.
        #expect(verdict { () throws(JOSEError) in try JWK(pem: pem.utf8.span) } == accepted)
        #expect(verdict { () throws(JOSEError) in try JWK(der: der.span) } == accepted)
        #expect(verdict { () throws(JOSEError) in try key.pass([]) } == accepted)
        #expect(try KeySet(parsing: set).keys.count == 2)
        // The check accepts other moduli and other kinds of keys.
        for other in [Keys.rsa, Keys.p256, Keys.ed25519, Keys.secret] {
            #expect(verdict { () throws(JOSEError) in try other.pass(.roca) } == accepted)
        }
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: good.jwk(), checks: .roca) } == accepted)
    }

    @Test("T64 an invalid key leaves the other keys of its set usable (RFC 7517, 5)")
    func setWithBadKeys() throws {
        let good = try #require(Keys.p256.bound(keyID: "good").publicKey).jwk()
        let bad = [
            #"{"kty":"PQC","kid":"bad","x":"AA"}"#, #"{"kty":"EC","crv":"P-999","kid":"bad"}"#, #"{"kid":"bad"}"#, "1",
            "null", "[]", #""x""#,
            #"{"kty":1}"#, #"{"kty":"RSA","e":"AQAB"}"#, Keys.data.smallKey, #"{"kty":"oct","k":""}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
            String(good.dropLast()) + #","use":1}"#, String(good.dropLast()) + #","key_ops":"verify"}"#,
            String(good.dropLast()) + #","key_ops":["verify","verify"]}"#,
            String(good.dropLast()) + #","use":"enc","key_ops":["verify"]}"#,
        ]
        let text = #"{"keys":[\#(bad.joined(separator: ",")),\#(good)]}"#
        let set = try KeySet(parsing: text)
        #expect(set.keys.count == 1 && set.unusable.count == bad.count)
        #expect(set.unusable.map(\.index) == Array(bad.indices))
        let policy = SignaturePolicy(algorithms: [.es256, .rs256])
        let verifier = try JWSVerifier(keys: set, policy: policy)
        let token = try Forge.signed(header: #"{"alg":"ES256","kid":"good"}"#, payload: "x", with: Keys.p256, .es256)
        #expect(verdict { () throws(JOSEError) in try verifier.verify(token) } == accepted)
        let other = try Forge.signed(header: #"{"alg":"ES256","kid":"bad"}"#, payload: "x", with: Keys.p256, .es256)
        #expect(verdict { () throws(JOSEError) in try verifier.verify(other) } == .keyInvalid)

        // A malformed set is rejected as a whole.
        for text in [#"{"keys":{}}"#, #"{"keys":null}"#, "{}", #"{"Keys":[]}"#, "[]"] {
            #expect(verdict { () throws(JOSEError) in try KeySet(parsing: text) } == .malformed, "\(text)")
        }
        #expect(verdict { () throws(JOSEError) in try KeySet(parsing: good) } == .keyInvalid)
        #expect(try KeySet(parsing: #"{"keys":[]}"#).keys.isEmpty)
        let many = (0...100).map { _ in good }.joined(separator: ",")
        #expect(verdict { () throws(JOSEError) in try KeySet(parsing: #"{"keys":[\#(many)]}"#) } == .tooLarge)
        #expect(try KeySet(parsing: #"{"keys":[\#(many.dropLast(good.utf8.count + 1))]}"#).keys.count == 100)

        // A public set with a secret is rejected as a whole.
        let secrets = [
            JSON.object(try members(Keys.p256)).text,
            #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#, #"{"kty":"RSA","n":"AQ","e":"AQAB","d":"AQ"}"#,
            #"{"kty":"?","d":"AQ"}"#,
        ]
        for secret in secrets {
            let text = #"{"keys":[\#(good),\#(secret)]}"#
            #expect(throws: JOSEError.keyInvalid(.privateInPublicSet)) { try KeySet(parsing: text, as: .publicOnly) }
        }
        #expect(try KeySet(parsing: #"{"keys":[\#(good)]}"#, as: .publicOnly).keys.count == 1)
    }

    @Test("T64 at most eight keys are tried for a token, and a kid selects among them")
    func ambiguity() throws {
        let keys = (0..<9).map { _ in Keys.symmetric(32) }
        let token = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: "x", with: keys[7], .hs256)
        #expect(outcome(of: token, keys, [.hs256]) == .keyMismatch)
        #expect(outcome(of: token, Array(keys[..<8]), [.hs256]) == accepted)
        #expect(outcome(of: token, Array(keys[..<7]), [.hs256]) == .signatureInvalid)
        let named = try Forge.signed(header: #"{"alg":"HS256","kid":"3"}"#, payload: "x", with: keys[3], .hs256)
        let bound = keys.enumerated().map { $0.element.bound(keyID: "\($0.offset)") }
        #expect(outcome(of: named, bound, [.hs256]) == accepted)
        let wrong = try Forge.signed(header: #"{"alg":"HS256","kid":"2"}"#, payload: "x", with: keys[3], .hs256)
        #expect(outcome(of: wrong, bound, [.hs256]) == .signatureInvalid)
    }
}
