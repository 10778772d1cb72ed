import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("Headers") struct HeaderTests {
    let key: SecretKey

    init() throws { key = try SecretKey(bytes: Array(0..<32)) }

    /// Returns a token whose header is any JSON text.
    func token(_ header: String) throws -> String {
        let good = try JWSSigner(key: key, algorithm: .hs256).sign("x")
        let payload = good.split(separator: ".")[1]
        let input = base64URL(header.utf8) + "." + payload
        return try input + "." + mac(input)
    }

    /// Returns the HS256 signature over any text, for a token with any header.
    private func mac(_ input: String) throws -> String {
        let secret = [UInt8](0..<32)
        let code = try MACKey(.sha256, GuardedBytes(copying: secret.span)).sign(input.utf8.span)
        return base64URL(code)
    }

    func verify(_ header: String, _ change: (inout SignaturePolicy) -> Void = { _ in }) throws -> VerifiedJWS {
        var policy = SignaturePolicy(algorithms: [.hs256])
        change(&policy)
        return try JWSVerifier(keys: KeySet(key), policy: policy).verify(token(header))
    }

    @Test("a registered member of another JSON type than its RFC requires is rejected (RFC 7515, 4.1; RFC 7516, 4.1)")
    func types() throws {
        let strings = [
            "kid", "typ", "cty", "jku", "x5u", "x5t", "x5t#S256", "enc", "zip", "apu", "apv", "iv", "tag", "p2s",
        ]
        for name in strings {
            for bad in ["1", "null", "true", "[]", "{}"] {
                #expect(throws: JOSEError.headerInvalid(.memberType(name)), "\(name) \(bad)") {
                    try verify(#"{"alg":"HS256","\#(name)":\#(bad)}"#)
                }
            }
            #expect(throws: Never.self, "\(name)") { try verify(#"{"alg":"HS256","\#(name)":"a"}"#) }
        }
        for (name, bad, good) in [
            ("x5c", #""a""#, "[]"), ("jwk", "[]", "{}"), ("epk", #""a""#, "{}"), ("p2c", #""1""#, "1"),
        ] {
            #expect(throws: JOSEError.headerInvalid(.memberType(name))) {
                try verify(#"{"alg":"HS256","\#(name)":\#(bad)}"#)
            }
            #expect(throws: Never.self) { try verify(#"{"alg":"HS256","\#(name)":\#(good)}"#) }
        }
        for bad in ["1", "null", #"["HS256"]"#] {
            #expect(throws: JOSEError.headerInvalid(.memberType("alg"))) { try verify(#"{"alg":\#(bad)}"#) }
        }
        #expect(throws: JOSEError.headerInvalid(.algorithmMissing)) { try verify("{}") }
        // A name with a registered one as its prefix is another name.
        #expect(throws: Never.self) { try verify(#"{"alg":"HS256","alg\u0000":1,"kid ":2}"#) }
        #expect {
            try verify(#"{"alg":"HS256","\u0061lg":"HS256"}"#)
        } throws: { error in
            guard case .malformed(let fault)? = error as? JOSEError else { return false }
            return fault.part == .header && fault.reason == .duplicateName
        }
    }

    @Test("crit must list names of members that are present (RFC 7515, 4.1.11)") func critical() throws {
        for bad in [
            "[]", #""exp""#, "[1]", #"["x","x"]"#, #"["y"]"#, #"["alg"]"#, #"["kid"]"#, #"[""]"#, #"["crit"]"#, "{}",
            "null",
        ] {
            #expect(throws: JOSEError.self, "\(bad)") {
                try verify(#"{"alg":"HS256","kid":"a","x":1,"crit":\#(bad)}"#) {
                    $0.understoodCritical = ["x", "y", "alg", "kid", "", "crit"]
                }
            }
        }
        let good = #"{"alg":"HS256","x":1,"crit":["x"]}"#
        #expect(throws: JOSEError.criticalHeaderUnknown) { try verify(good) }
        #expect(throws: JOSEError.criticalHeaderUnknown) { try verify(good) { $0.understoodCritical = ["X"] } }
        #expect(throws: Never.self) { try verify(good) { $0.understoodCritical = ["x"] } }
    }

    @Test("typ is compared as a media type (RFC 7515, 4.1.9)") func typeRule() throws {
        let at = #"{"alg":"HS256","typ":"at+jwt"}"#
        let upper = #"{"alg":"HS256","typ":"application/AT+JWT"}"#
        let escaped = #"{"alg":"HS256","typ":"\u0061t+jwt"}"#
        let none = #"{"alg":"HS256"}"#
        let other = #"{"alg":"HS256","typ":"JWT"}"#
        let cases: [(TypeRule, accepted: [String], refused: [String])] = [
            (.any, [at, upper, none, other], []), (.absent, [none], [at, other]),
            (.exactly("at+jwt"), [at, upper], [none, other]), (.absentOr("at+jwt"), [at, upper, none], [other]),
            (.exactly("application/at+jwt"), [at, upper], [none, other]),
            (.exactly("example/at+jwt"), [], [at, upper]),
            (.otherThan([]), [at, upper, none, other], []),
            (.otherThan(["at+jwt", "x"]), [none, other], [at, upper, escaped]),
            (.otherThan(["application/at+jwt"]), [none, other], [at, upper, escaped]),
            (.otherThan(["jwt"]), [at, upper, none], [other]),
        ]
        for (rule, accepted, refused) in cases {
            for header in accepted {
                #expect(throws: Never.self, "\(rule) \(header)") { try verify(header) { $0.type = rule } }
            }
            for header in refused {
                #expect(throws: JOSEError.headerInvalid(.type), "\(rule) \(header)") {
                    try verify(header) { $0.type = rule }
                }
            }
        }
    }

    @Test("a header that a verifier would reject is rejected when the signer is created")
    func building() throws {
        var header = HeaderParameters(type: "JWT", contentType: "x", keyID: "a\"b\u{1}é")
        header.set("n", 7)
        header.set("s", "\u{1F600}\n")
        header.set("o", json: Array(#"{"a":[1]}"#.utf8))
        header.critical = ["o"]
        let token = try JWSSigner(key: key, algorithm: .hs256, header: header).sign("x")
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.understoodCritical = ["o"]
        let read = try JWSVerifier(keys: KeySet(key), policy: policy).verify(token).header
        #expect(read.keyID == "a\"b\u{1}é" && read.type == "JWT" && read.string("s") == "\u{1F600}\n")
        #expect(read.json("n") == Array("7".utf8) && read.json("o") == Array(#"{"a":[1]}"#.utf8))
        let faults: [(inout HeaderParameters) -> Void] = [
            { $0.set("alg", "HS512") }, { $0.set("x", json: Array("1,".utf8)) }, { $0.critical = ["absent"] },
            { $0.set("kid", 5) }, { $0.set("typ", "x") }, { $0.set("apu", "AA") }, { $0.set("zip", "DEF") },
            { $0.set("x", json: Array("1,\"y\":2".utf8)) }, { $0.set("x", json: []) },
            { $0.set("b64", json: Array("false".utf8)) }, { $0.agreementPartyU = [1] },
            {
                $0.set("x", 1)
                $0.set("x", 2)
            },
        ]
        for fault in faults {
            var header = HeaderParameters()
            fault(&header)
            #expect(throws: JOSEError.self) { try JWSSigner(key: key, algorithm: .hs256, header: header) }
        }
        #expect(throws: Never.self) { try JWSSigner(key: key, algorithm: .hs256, header: HeaderParameters()) }
    }
}
