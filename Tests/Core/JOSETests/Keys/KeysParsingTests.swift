import JOSE
import TestSupport
import Testing

@Suite("JWK parsing") struct KeysParsingTests {
    @Test("members may be in any order, escaped, unknown and surrounded by white space (RFC 7517, 4)")
    func tolerance() throws {
        let plain = try PublicKey(jwk: Fixture.p256Public.text)
        let odd = """
             {"y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM" , "future":[{"x":1}], "x5u":"https://e.example",
            "\\u006bty":"\\u0045C", "x":"\\u004dKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","crv":"P-256"}\r\n
            """
        #expect(try PublicKey(jwk: odd) == plain)
        let escaped = Fixture.p256Private.text.replacing("\"870M", with: #""\u0038\u00370M"#)
        #expect(try PrivateKey(jwk: escaped).publicKey == plain)
    }

    @Test("text that is not one strict JSON object is rejected (X05)")
    func strictJSON() throws {
        let good = Fixture.p256Public.text
        #expect(refusal(good) == nil)
        let bad = [
            "", " ", "null", "[\(good)]", "\"\(good)\"", good + "x", good + good, String(good.dropLast()),
            good.replacing("}", with: ",}"), good.replacing("\"EC\"", with: "'EC'"), good + "\u{0}",
            good.replacing("}", with: #","q":"\ud800"}"#), good.replacing("}", with: #","q":01}"#),
        ]
        for text in bad {
            guard case .malformed(let fault) = refusal(text) else {
                Issue.record("not malformed: \(text)")
                continue
            }
            #expect(fault.part == .key && fault.reason == .json, "\(text)")
        }
    }

    @Test("a duplicate member is rejected at any depth, also if it is escaped (RFC 7517, 4)")
    func duplicates() throws {
        for extra in [#""kty":"EC""#, #""\u006bty":"EC""#, #""z":{"a":1,"a":2}"#] {
            let text = Fixture.p256Public.text.replacing("}", with: ",\(extra)}")
            guard case .malformed(let fault) = refusal(text) else {
                Issue.record("not malformed: \(extra)")
                continue
            }
            #expect(fault.reason == .duplicateName, "\(extra)")
        }
        let distinct = Fixture.p256Public.text.replacing("}", with: #","z":{"a":1,"b":2}}"#)
        #expect(refusal(distinct) == nil)
    }

    @Test("a JWK deeper or with more members than the limits is rejected")
    func bounds() {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(refusal(#"{"kty":"oct","k":"AAAA","z":\#(deep)}"#) == .limitExceeded(.jsonDepth))
        #expect(refusal(#"{"kty":"oct","k":"AAAA","z":[[]]}"#) == nil)
        let many = (0..<1_001).map { "\"m\($0)\":0" }.joined(separator: ",")
        #expect(refusal("{\(many)}") == .limitExceeded(.objectMembers))
        var limits = ParsingLimits.standard
        limits.objectMembers = 2_000
        #expect(
            refusal { () throws(JOSEError) in try JWK(parsing: "{\(many)}", limits: limits) }
                == .keyInvalid(.member("kty", .missing)))
        let whole = #"{"kty":"oct","k":"AAAA",\#(many)}"#
        #expect(refusal(whole) == .limitExceeded(.objectMembers))
        #expect(refusal { () throws(JOSEError) in try JWK(parsing: whole, limits: limits) } == nil)
    }

    @Test("a JWK Set is rejected as a JWK, and a JWK as a JWK Set (RFC 7517, 5)")
    func setOrKey() {
        let key = Fixture.p256Public.text
        #expect(refusal(key) == nil)
        #expect(refusal(of: { () throws(JOSEError) in try KeySet(parsing: "{\"keys\":[\(key)]}") }) == nil)
        #expect(refusal("{\"keys\":[\(key)]}") == .keyInvalid(.keySet))
        #expect(refusal(of: { () throws(JOSEError) in try KeySet(parsing: key) }) == .keyInvalid(.singleKey))
        let both = Fixture.p256Public.with("keys", .array([])).text
        #expect(refusal(both) == .keyInvalid(.keySet))
        #expect(refusal(of: { () throws(JOSEError) in try KeySet(parsing: both) }) == .keyInvalid(.singleKey))
    }

    @Test("unsupported values of kty and crv are rejected, also in another case (T61)")
    func kinds() throws {
        let key = Fixture.p256Public
        #expect(refusal(key) == nil)
        for kty in ["", "EC ", "PQ", "\u{0}", "oct\u{0}"] {
            #expect(refusal(key.with("kty", kty)) == .keyInvalid(.member("kty", .unsupported)), "\(kty)")
        }
        for (kty, registered) in [("ec", "EC"), ("akp", "AKP"), ("rsa", "RSA"), ("Okp", "OKP"), ("OCT", "oct")] {
            #expect(refusal(key.with("kty", kty)) == .keyInvalid(.member("kty", .letterCase(registered))), "\(kty)")
        }
        for crv in ["P-256K", "secp256r1", "Ed25519", ""] {
            #expect(refusal(key.with("crv", crv)) == .keyInvalid(.member("crv", .unsupported)), "\(crv)")
        }
        for (crv, registered) in [("Secp256k1", "secp256k1"), ("p-256", "P-256")] {
            #expect(refusal(key.with("crv", crv)) == .keyInvalid(.member("crv", .letterCase(registered))), "\(crv)")
        }
        let pair = try Fixture.ed25519Private()
        #expect(refusal(pair) == nil)
        for crv in ["Ed449", "P-256"] {
            #expect(refusal(pair.with("crv", crv)) == .keyInvalid(.member("crv", .unsupported)), "\(crv)")
        }
        for (crv, registered) in [("ed448", "Ed448"), ("x448", "X448"), ("ed25519", "Ed25519"), ("x25519", "X25519")] {
            #expect(refusal(pair.with("crv", crv)) == .keyInvalid(.member("crv", .letterCase(registered))), "\(crv)")
        }
    }

    @Test("a key of an unsupported kind is told from a malformed one (RFC 7517, 5)")
    func unsupportedKinds() throws {
        func isUnsupported(_ key: [String: JSON]) -> Bool? {
            if case .keyInvalid(let fault)? = refusal(key) { fault.isUnsupported } else { nil }
        }
        let key = Fixture.p256Public, pair = try Fixture.ed25519Private()
        #expect(refusal(key) == nil && refusal(pair) == nil)
        let newer: [[String: JSON]] = [
            key.with("kty", "PQ"), key.with("crv", "P-1024"), pair.with("crv", "Ed449"),
            key.with("kty", "AKP").with("alg", "ML-DSA-99"),
        ]
        for key in newer { #expect(isUnsupported(key) == true, "\(key)") }
        #expect(KeyFault.unsupportedKind.isUnsupported)
        let malformed: [[String: JSON]] = [
            key.without("kty"), key.with("kty", "ec"), key.with("crv", "p-256"), key.without("x"),
            key.with("x", "AQAB"), key.with("y", .number(1)), pair.with("x", "!"),
        ]
        for key in malformed { #expect(isUnsupported(key) == false, "\(key)") }
    }

    @Test("a JWK without a required member of its kind is rejected (T61)")
    func missing() throws {
        let needed: [([String: JSON], [String])] = [
            (Fixture.p256Private, ["kty", "crv", "x", "y"]), (try Fixture.rsaPublic(), ["kty", "n", "e"]),
            (try Fixture.rsaPrivate(), ["n", "e", "d", "p", "q", "dp", "dq", "qi"]),
            (try Fixture.ed25519Private(), ["kty", "crv", "x"]), (try Fixture.octets(), ["kty", "k"]),
        ]
        for (key, names) in needed {
            #expect(refusal(key) == nil)
            for name in names {
                #expect(refusal(key.without(name)) == .keyInvalid(.member(name, .missing)), "\(name)")
                // Null is as good as absent, and makes no key of what is none.
                #expect(refusal(key.with(name, .null)) == .keyInvalid(.member(name, .missing)), "\(name)")
            }
        }
    }

    @Test("a JWK member of another JSON type is rejected (T61)")
    func types() throws {
        let keys = [Fixture.p256Private, try Fixture.rsaPrivate(), try Fixture.ed25519Private(), try Fixture.octets()]
        let others: [(JSON, KeyMemberFault.ValueType)] = [
            (.number(1), .number), (.bool(true), .boolean), (.array([.string("AQAB")]), .array),
            (.object([:]), .object),
        ]
        for key in keys {
            let named = key.with("kid", "k").with("alg", "A").with("use", "sig")
            #expect(refusal(named) == nil)
            for name in named.keys {
                for (other, type) in others {
                    let fault = KeyMemberFault.type(found: type, required: .string)
                    #expect(refusal(named.with(name, other)) == .keyInvalid(.member(name, fault)), "\(name) \(other)")
                }
            }
        }
    }

    @Test("base64url that is not canonical is rejected in public and secret members (RFC 7515, 2)")
    func base64URLStrictness() throws {
        let keys: [([String: JSON], [String])] = [
            (Fixture.p256Private, ["x", "y", "d"]), (try Fixture.ed25519Private(), ["x", "d"]),
            (try Fixture.rsaPrivate(), ["n", "e", "d", "p", "q", "dp", "dq", "qi"]), (try Fixture.octets(), ["k"]),
        ]
        for (key, names) in keys {
            #expect(refusal(key) == nil)
            for name in names {
                let text = try #require(key[name]?.string)
                let rest = text.dropFirst()
                var bad = [
                    "=" + rest, "+" + rest, "/" + rest, " " + rest, text + "\n", text + "=", text + "==", "é" + rest,
                ]
                bad += ["\u{0}" + rest, String(text.prefix(text.utf8.count / 4 * 4)) + "A"]
                for value in bad { #expect(refusal(key.with(name, value))?.member == name, "\(name) \(value)") }
            }
        }
        // The two unused bits of 43 characters for 32 bytes are not zero.
        #expect(
            refusal(Fixture.p256Private.with("d", "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAF"))
                == .keyInvalid(.member("d", .base64URL)))
        #expect(
            refusal(Fixture.p256Private.with("x", "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D5"))
                == .keyInvalid(.member("x", .base64URL)))
    }

    @Test("a public key, a private key and a symmetric key are never parsed as one another (T02)")
    func halves() throws {
        let texts = [Fixture.p256Public.text, Fixture.p256Private.text, try Fixture.octets().text]
        let faults: [KeyFault] = [.publicKeyRequired, .privateKeyRequired, .symmetricKeyRequired]
        for (place, text) in texts.enumerated() {
            let answers = [
                refusal(of: { () throws(JOSEError) in try PublicKey(jwk: text) }),
                refusal(of: { () throws(JOSEError) in try PrivateKey(jwk: text) }),
                refusal(of: { () throws(JOSEError) in try SecretKey(jwk: text) }),
            ]
            for (asked, answer) in answers.enumerated() {
                #expect(answer == (asked == place ? nil : .keyInvalid(faults[asked])))
            }
        }
    }

    @Test("a symmetric key has 1 to 8 192 bytes, and an empty one is rejected (T04)")
    func octetCounts() throws {
        #expect(refusal(#"{"kty":"oct","k":""}"#) == .keyUnsuitable(.secretEmpty))
        #expect(refusal(of: { () throws(JOSEError) in try SecretKey(bytes: []) }) == .keyUnsuitable(.secretEmpty))
        for count in [1, 15, 16, 8_192] {
            let octets = [UInt8](repeating: 7, count: count)
            let key = try SecretKey(jwk: ["kty": .string("oct")].with("k", octets: octets).text)
            #expect(key.kind == .octets(bits: count * 8))
            #expect(try key == SecretKey(bytes: octets))
        }
        let tooMany = [UInt8](repeating: 7, count: 8_193)
        let fault = KeyMemberFault.tooLong(8_193, maximum: 8_192)
        #expect(refusal(["kty": .string("oct")].with("k", octets: tooMany)) == .keyInvalid(.member("k", fault)))
        #expect(refusal(of: { () throws(JOSEError) in try SecretKey(bytes: tooMany) }) == .keyInvalid(.outOfBounds))
    }
}
