import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Threats: headers") struct HeaderThreats {
    private static let member = "https://x.test/ext"

    /// Verifies tokens with these header members: a JWS, a JWE, and either layer of a nested token, all with valid cryptography.
    private func outcomesEverywhere(_ members: String, _ understood: [String] = []) throws -> [(String, Refusal?)] {
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.understoodCritical = understood
        var encryption = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        encryption.understoodCritical = understood
        let header = #"{"alg":"HS256"\#(members)}"#
        let jws = try Forge.signed(header: header, payload: claims(), with: Keys.secret, .hs256)
        let outer = #"{"alg":"dir","enc":"A256GCM","cty":"JWT"\#(members)}"#
        let plain = #"{"alg":"dir","enc":"A256GCM","cty":"JWT"}"#
        func encrypted(_ header: String, _ text: String) throws -> String {
            try Forge.encrypted(header: header, plaintext: Array(text.utf8), with: Keys.secret, .dir, .a256gcm)
        }
        let jwe = try encrypted(outer, claims())
        let good = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims(), with: Keys.secret, .hs256)
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(Now.date)
        let nested = try TokenVerifier(
            .nested(outer: encryption, inner: signature, claims: rules), verificationKeys: KeySet(Keys.secret),
            decryptionKeys: KeySet(Keys.secret))
        let signed = try TokenVerifier(.signed(signature, claims: rules), verificationKeys: KeySet(Keys.secret))
        let hidden = try TokenVerifier(.encrypted(encryption, claims: rules), decryptionKeys: KeySet(Keys.secret))
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: signature)
        let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: encryption)
        let inside = try encrypted(plain, jws)
        let outside = try encrypted(outer, good)
        return [
            ("JWS", verdict { () throws(JOSEError) in try verifier.verify(jws) }),
            ("JWE", verdict { () throws(JOSEError) in try decrypter.decrypt(jwe) }),
            ("signed token", verdict { () throws(TokenError) in try signed.verify(jws) }),
            ("encrypted token", verdict { () throws(TokenError) in try hidden.verify(jwe) }),
            ("inner layer", verdict { () throws(TokenError) in try nested.verify(inside) }),
            ("outer layer", verdict { () throws(TokenError) in try nested.verify(outside) }),
        ]
    }

    private func expect(_ wanted: Refusal?, _ members: String, understood: [String] = []) throws {
        for (place, refusal) in try outcomesEverywhere(members, understood) {
            #expect(refusal == wanted, "\(place): \(members)")
        }
    }

    @Test("T37 an unknown name in crit is rejected in every layer (RFC 7515, 4.1.11)")
    func unknownCritical() throws {
        let name = Self.member
        for members in [
            #","crit":["\#(name)"],"\#(name)":true"#, #","crit":["exp"],"exp":1"#,
            #","crit":["\#(name)","exp"],"exp":1,"\#(name)":1"#,
            #","cr\u0069t":["\#(name)"],"\#(name)":null"#,
        ] {
            try expect(.criticalUnsupported, members)
            try expect(.criticalUnsupported, members, understood: ["other", name.uppercased(), ""])
        }
        try expect(accepted, #","\#(name)":true"#)
        try expect(accepted, #","crit":["\#(name)"],"\#(name)":true"#, understood: [name])
        try expect(accepted, #","crit":["\#(name)","exp"],"exp":1,"\#(name)":1"#, understood: ["exp", name])
    }

    @Test("T38 crit with a duplicate, or with a name that is absent, is rejected (RFC 7515, 4.1.11)")
    func formOfCritical() throws {
        for value in [
            "[]", "null", "true", "1", "{}", #""x""#, "[1]", "[null]", #"[["x"]]"#, #"["x",1]"#, #"["absent"]"#,
            #"[""]"#,
            #"["x","x"]"#, #"["x","\u0078"]"#, #"["alg"]"#, #"["crit"]"#, #"["kid"]"#, #"["x","typ"]"#, #"["enc"]"#,
            #"["jku"]"#,
            #"["x5t#S256"]"#, #"["epk"]"#, #"["zip"]"#, #"["p2c"]"#,
        ] {
            let more = #","x":1,"kid":"k","typ":"t","jku":"j","x5t#S256":"t""#
            try expect(
                .headerInvalid, #","crit":\#(value)\#(more)"#, understood: ["x", "alg", "kid", "typ", "", "absent"])
        }
        try expect(accepted, #","crit":["x"],"x":1"#, understood: ["x"])
    }

    @Test("T39 b64 false is rejected in a token, and without crit everywhere (RFC 7797, 6 and 7)")
    func unencodedPayload() throws {
        try expect(.headerInvalid, #","b64":false"#, understood: ["b64"])
        for value in [#""false""#, "0", "null", "[]", #""true""#] {
            try expect(.headerInvalid, #","crit":["b64"],"b64":\#(value)"#, understood: ["b64"])
        }
        let results = try outcomesEverywhere(#","crit":["b64"],"b64":false"#, ["b64"])
        for (place, refusal) in results where place == "signed token" || place == "inner layer" {
            #expect(refusal == .headerInvalid, "\(place)")
        }
        // A JWS that is no JWT may have an unencoded payload (RFC 7797, 5.2).
        for (place, refusal) in results { #expect((refusal == accepted) == (place == "JWS"), "\(place)") }
        for (place, refusal) in try outcomesEverywhere(#","crit":["b64"],"b64":true"#) {
            let isSignature = ["JWS", "signed token", "inner layer"].contains(place)
            #expect(refusal == (isSignature ? accepted : .criticalUnsupported), "\(place)")
        }
        try expect(accepted, #","crit":["b64"],"b64":true"#, understood: ["b64"])
        try expect(accepted, #","b64":true"#)
        // The payload is unencoded, in the compact form.
        let text = Forge.encoded(Array(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#.utf8)) + ".text"
        let token = try Forge.signed(text, with: Keys.secret, .hs256)
        #expect(outcome(of: token, [Keys.secret], [.hs256]) == accepted)
    }

    @Test(
        "T40 alg is read from the protected header only, and token verifiers accept no JSON serialization (RFC 7515, 7.2)"
    )
    func unprotectedAlgorithm() throws {
        for member in [#""kid":"1""#, ""] {
            let token = try Forge.signed(header: "{\(member)}", payload: claims(), with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid)
        }
        let good = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims(), with: Keys.secret, .hs256)
        let parts = good.split(separator: ".")
        let json = #"{"payload":"\#(parts[1])","header":{"alg":"HS256"},"signature":"\#(parts[2])"}"#
        #expect(outcome(of: json, [Keys.secret], [.hs256]) == .malformed)
        #expect(outcome(of: good, [Keys.secret], [.hs256]) == accepted)
    }

    @Test("T50 a registered member with the wrong JSON type is rejected (RFC 7515, 4.1; RFC 7516, 4.1)")
    func types() throws {
        let wrong: [String: [String]] = [
            "string": ["1", "true", "null", "[]", "{}", #"["x"]"#], "list": ["1", "true", "null", "{}", #""x""#],
            "object": ["1", "true", "null", "[]", #""x""#],
        ]
        let right = ["string": #""x""#, "list": #"["x"]"#, "object": #"{"x":1}"#]
        let kinds = [
            ("string", ["kid", "typ", "cty", "jku", "x5u", "x5t", "x5t#S256", "apu", "apv", "iv", "tag", "p2s"]),
            ("list", ["x5c"]),
            ("object", ["jwk", "epk"]),
        ]
        for (kind, names) in kinds {
            for name in names {
                for value in wrong[kind] ?? [] where !(name == "cty" && value == "null") {
                    // The encrypted forms have `cty` already.
                    let members = #","\#(name)":\#(value)"#
                    if name == "cty" {
                        let header = #"{"alg":"HS256"\#(members)}"#
                        let token = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
                        #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid)
                    } else {
                        try expect(.headerInvalid, members)
                    }
                }
                let value = right[kind] ?? ""
                if name == "kid" || name == "cty" { continue }
                try expect(accepted, #","\#(name)":\#(value)"#)
            }
        }
        for alg in ["1", "null", "[\"HS256\"]", "{}", "true"] {
            let token = try Forge.signed(header: #"{"alg":\#(alg)}"#, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .headerInvalid, "\(alg)")
        }
        for enc in ["1", "null", "[\"A256GCM\"]"] {
            let token = try Forge.encrypted(
                header: #"{"alg":"dir","enc":\#(enc)}"#, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
            #expect(outcome(of: token, [Keys.secret], [.dir]) == .headerInvalid, "\(enc)")
        }
    }

    @Test("T57 a token of one kind is rejected as a token of another (RFC 8725, 3.11)")
    func type() throws {
        func result(_ members: String, _ rule: TypeRule) throws -> Refusal? {
            var policy = SignaturePolicy(algorithms: [.hs256])
            policy.type = rule
            let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: policy)
            let token = try Forge.signed(
                header: #"{"alg":"HS256"\#(members)}"#, payload: "x", with: Keys.secret, .hs256)
            return verdict { () throws(JOSEError) in try verifier.verify(token) }
        }
        let rule = TypeRule.exactly("at+jwt")
        for value in [
            "JWT", "jwt", "at+jw", "at+jwtt", "at+jwt ", "text/at+jwt", "application/application/at+jwt", "", "/at+jwt",
            "at+jwt\\u0000", "\u{212A}",
        ] { #expect(try result(#","typ":"\#(value)""#, rule) == .typeMismatch, "\(value)") }
        #expect(try result("", rule) == .typeMismatch)
        #expect(try result(#","cty":"at+jwt""#, rule) == .typeMismatch)
        #expect(try result(#","typ":"at+jwt""#, .absent) == .typeMismatch)
        #expect(try result(#","typ":"JWT""#, .absentOr("at+jwt")) == .typeMismatch)
        for value in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+Jwt", "\\u0061t+jwt"] {
            #expect(try result(#","typ":"\#(value)""#, rule) == accepted, "\(value)")
            #expect(try result(#","typ":"\#(value)""#, .absentOr("at+jwt")) == accepted, "\(value)")
        }
        #expect(try result("", .absent) == accepted)
        #expect(try result("", .absentOr("at+jwt")) == accepted)
        #expect(try result(#","typ":"JWT""#, .any) == accepted)
    }

    @Test("T57 typ and cty distinguish kinds of tokens, also in a JWE (RFC 8725, 3.11; RFC 7519, 5.2)")
    func contentType() throws {
        func result(_ members: String, _ adjust: (inout EncryptionPolicy) -> Void) throws -> Refusal? {
            var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
            adjust(&policy)
            let token = try Forge.encrypted(
                header: #"{"alg":"dir","enc":"A256GCM"\#(members)}"#, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
            let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: policy)
            return verdict { () throws(JOSEError) in try decrypter.decrypt(token) }
        }
        for (name, rule) in [
            ("typ", { $0.type = .exactly("at+jwt") }), ("cty", { $0.contentType = .exactly("at+jwt") }),
        ] as [(String, (inout EncryptionPolicy) -> Void)] {
            let wanted: Refusal = name == "typ" ? .typeMismatch : .headerInvalid
            for value in ["JWT", "at+jw", "at+jwtt", "at+jwt ", "text/at+jwt", "", "at+jwt\\u0000"] {
                #expect(try result(#","\#(name)":"\#(value)""#, rule) == wanted, "\(name) \(value)")
            }
            #expect(try result("", rule) == wanted)
            #expect(try result(#","\#(name == "typ" ? "cty" : "typ")":"at+jwt""#, rule) == wanted)
            for value in ["at+jwt", "application/at+jwt", "AT+JWT"] {
                #expect(try result(#","\#(name)":"\#(value)""#, rule) == accepted, "\(name) \(value)")
            }
        }
    }
}
