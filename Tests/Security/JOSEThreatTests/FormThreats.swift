import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Threats: ambiguous serializations") struct FormThreats {
    private func good(_ payload: String = claims()) throws -> String {
        try Forge.signed(header: #"{"alg":"HS256"}"#, payload: payload, with: Keys.secret, .hs256)
    }

    private func results(_ text: String) -> [Refusal?] {
        [
            outcome(of: text, [Keys.secret], [.hs256]), outcome(of: text, [Keys.secret], [.dir]),
            verdict { () throws(JOSEError) in try UnverifiedToken(text) },
        ]
    }

    @Test("T41 a text that could be JSON and compact at once is rejected (RFC 7515, 7.1)")
    func polyglot() throws {
        let good = try good()
        let parts = good.split(separator: ".").map { String($0) }
        let evil = Forge.encoded(Array(claims(("iss", #""https://evil.test""#)).utf8))
        for text in [
            #"{"  \#(parts[0]).\#(evil).":"","protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#,
            #"{"\#(parts[0]).\#(evil).\#(parts[2])":"","protected":"\#(parts[0])"}"#,
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])","x":"."}"#,
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#,
            #"{"x":"a.b.c"}"#, #"{"x":"a.b.c.d.e"}"#, "[\"\(good)\"]", "\"\(good)\"", "{\(good)}",
            "{}" + good,
        ] { #expect(results(text).allSatisfy { $0 == .malformed }, "\(text.prefix(30))") }
        // `UnverifiedToken` does not look at the signature.
        #expect(outcome(of: good + "{}", [Keys.secret], [.hs256]) == .malformed)
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: SignaturePolicy(algorithms: [.hs256]))
        // The returned payload equals the signed one, byte for byte.
        #expect(try verifier.verify(good).payload == Array(claims().utf8))
        #expect(Forge.encoded(try verifier.verify(good).payload) == parts[1])
    }

    @Test("T42 a compact token with several signatures is rejected (RFC 7515, 7.2.1)")
    func generalForm() throws {
        let good = try good()
        let parts = good.split(separator: ".").map { String($0) }
        let signature = #"{"protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
        for list in ["[]", "[\(signature)]", "[\(signature),\(signature)]", "null"] {
            #expect(
                results(#"{"payload":"\#(parts[1])","signatures":\#(list)}"#).allSatisfy { $0 == .malformed }, "\(list)"
            )
        }
        #expect(outcome(of: good, [Keys.secret], [.hs256]) == accepted)
    }

    @Test("T43 JSON serializations with missing members or members of a wrong type are malformed (RFC 7515, 7.2)")
    func missingMembers() throws {
        for text in [
            "{}", "[]", "null", "true", "0", "\"\"", #"{"payload":null}"#, #"{"payload":1,"signatures":1}"#,
            #"{"signatures":{}}"#,
            #"{"ciphertext":null}"#, #"{"protected":1,"iv":2,"ciphertext":3,"tag":4}"#, #"{"recipients":[null]}"#,
            #"{"recipients":[{"header":null}],"ciphertext":""}"#, "", ".", "..", "...", "....", ".....", "\0\0",
        ] {
            let refusals = results(text)
            // Empty parts have the right form, and a header that is not JSON.
            #expect(refusals.allSatisfy { $0 == .malformed }, "\(text)")
        }
        #expect(outcome(of: try good(), [Keys.secret], [.hs256]) == accepted)
    }

    @Test("T44 verifiers accept only a JWS and decrypters only a JWE (RFC 8725, 2.3)")
    func confusion() throws {
        let recipient = Keys.p256
        let jwe = try Forge.encrypted(
            header: #"{"alg":"ECDH-ES","enc":"A256GCM","epk":{}}"#, plaintext: Array(claims().utf8), with: recipient,
            .ecdhES,
            .a256gcm)
        #expect(outcome(of: jwe, [recipient], SignatureAlgorithm.all) == .malformed)
        let jws = try Forge.signed(header: #"{"alg":"ES256"}"#, payload: claims(), with: recipient, .es256)
        #expect(outcome(of: jws, [recipient], KeyManagementAlgorithm.all) == .malformed)
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(Now.date)
        let signed = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: rules), verificationKeys: KeySet(recipient),
            decryptionKeys: KeySet(recipient))
        let encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a256gcm])
        let encrypted = try TokenVerifier(
            .encrypted(encryption, claims: rules), verificationKeys: KeySet(recipient),
            decryptionKeys: KeySet(recipient))
        #expect(verdict { () throws(TokenError) in try signed.verify(jwe) } == .malformed)
        #expect(verdict { () throws(TokenError) in try encrypted.verify(jws) } == .malformed)
        #expect(verdict { () throws(TokenError) in try signed.verify(jws) } == accepted)
        #expect(verdict { () throws(TokenError) in try encrypted.verify(jwe) } == accepted)
        // A key for signatures does not decrypt, although it could.
        #expect(outcome(of: jwe, [recipient.bound(use: .signature)], [.ecdhES]) == .keyMismatch)
        #expect(outcome(of: jwe, [recipient], [.ecdhES]) == accepted)
    }

    @Test("T45 a nested token whose content is not an allowed JWS is rejected (RFC 8725, 2.3)")
    func innerToken() throws {
        let issuer = try TestIssuer(
            .nested, signature: .es256, keyManagement: .ecdhESA128KW, contentEncryption: .a128cbcHS256)
        let verifier = try issuer.verifier()
        let input = Forge.input(header: issuer.signatureHeader(), payload: issuer.claims())
        let jws = try Forge.signed(input, with: issuer.signingKey, .es256)
        let parts = jws.split(separator: ".").map { String($0) }
        let none = Forge.input(header: #"{"alg":"none"}"#, payload: issuer.claims())
        let hs = Forge.input(header: #"{"alg":"HS256"}"#, payload: issuer.claims())
        let hostile: [(String, Refusal)] = [
            (none + ".", .algorithmNotAllowed), (none + "." + parts[2], .algorithmNotAllowed),
            (try Forge.signed(hs, with: Keys.secret, .hs256), .algorithmNotAllowed), (issuer.claims(), .malformed),
            ("", .malformed),
            (" ", .malformed), ("\"\(jws)\"", .malformed), (" " + jws, .malformed), (jws + "\n", .malformed),
            (jws + ".", .malformed),
            (#"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#, .malformed),
            (parts[0] + "." + parts[1], .malformed), (parts[0] + "." + parts[1] + ".", .signatureInvalid),
            (try issuer.outer(jws), .malformed), (try Forge.signed(input, with: Keys.p256, .es256), .signatureInvalid),
            (parts[0] + "..", .signatureInvalid), ("..", .malformed),
        ]
        for (inner, wanted) in hostile {
            let token = try issuer.outer(inner)
            let refusal = verdict { () throws(TokenError) in try verifier.verify(token) }
            #expect(refusal == wanted, "\(inner.prefix(40))")
        }
        let control = try issuer.outer(jws)
        #expect(verdict { () throws(TokenError) in try verifier.verify(control) } == accepted)
        #expect(verdict { () throws(TokenError) in try verifier.verify(jws) } == .malformed)
    }

    @Test("T47 a duplicate name is rejected at any depth (RFC 7515, 4)")
    func duplicates() throws {
        let members = [
            #""x":1,"x":1"#, #""x":1,"\u0078":2"#, #""x":{"y":1,"y":2}"#, #""x":[[{"y":1,"\u0079":1}]]"#, #""":1,"":2"#,
            #""\ud83d\ude00":1,"😀":2"#, #""x\/y":1,"x/y":2"#, #""x\u0000":1,"x\u0000":2"#, #""é":1,"\u00e9":1"#,
        ]
        for member in members {
            let header = try Forge.signed(
                header: #"{"alg":"HS256",\#(member)}"#, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: header, [Keys.secret], [.hs256]) == .malformed, "\(member)")
            #expect(try outcome(ofClaims: claims().dropLast() + "," + member + "}") == .malformed, "\(member)")
            let jwk = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw",\#(member)}"#
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == .malformed, "\(member)")
            let set = #"{"keys":[\#(jwk)]}"#
            #expect(verdict { () throws(JOSEError) in try KeySet(parsing: set) } == .malformed, "\(member)")
        }
        for name in ["alg", "exp", "iss", "k", "keys"] {
            let twice = #"{"\#(name)":"x","\#(name)":"x"}"#
            let token = try Forge.signed(header: twice, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .malformed)
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: twice) } == .malformed)
            #expect(verdict { () throws(JOSEError) in try KeySet(parsing: twice) } == .malformed)
        }
        // The object has many names, so that not all pairs are compared.
        let many = (0..<500).map { #","n\#($0)":\#($0)"# }.joined()
        #expect(try outcome(ofClaims: claims().dropLast() + many + #","n250":1}"#) == .malformed)
        #expect(try outcome(ofClaims: claims().dropLast() + many + #","n500":1}"#) == accepted)
        // Names are different if they are in different objects, differ in case, or are only canonically equal.
        for member in [
            #""x":{"x":{"x":1}}"#, #""x":1,"X":2"#, #""x":[{"y":1},{"y":2}]"#, "\"\u{e9}\":1,\"e\u{301}\":2",
        ] {
            #expect(try outcome(ofClaims: claims().dropLast() + "," + member + "}") == accepted, "\(member)")
        }
    }

    /// Texts that some lenient JSON parsers accept, and that are not JSON.
    private static let notJSON: [(String, [UInt8])] = [
        ("NaN", Array(#"{"alg":"HS256","x":NaN}"#.utf8)), ("Infinity", Array(#"{"alg":"HS256","x":-Infinity}"#.utf8)),
        ("a comment", Array(#"{"alg":"HS256"/*x*/}"#.utf8)), ("a line comment", Array("{\"alg\":\"HS256\"//\n}".utf8)),
        ("a trailing comma", Array(#"{"alg":"HS256",}"#.utf8)), ("two commas", Array(#"{"alg":"HS256",,"x":1}"#.utf8)),
        ("no comma", Array(#"{"alg":"HS256" "x":1}"#.utf8)), ("a name without quotes", Array(#"{alg:"HS256"}"#.utf8)),
        ("single quotes", Array("{'alg':'HS256'}".utf8)), ("hexadecimal", Array(#"{"alg":"HS256","x":0x1}"#.utf8)),
        ("a leading zero", Array(#"{"alg":"HS256","x":-01}"#.utf8)),
        ("a bare point", Array(#"{"alg":"HS256","x":.5}"#.utf8)),
        ("an empty exponent", Array(#"{"alg":"HS256","x":1e}"#.utf8)),
        ("a capital literal", Array(#"{"alg":"HS256","x":True}"#.utf8)),
        ("a raw tab in a string", Array("{\"alg\":\"HS256\",\"x\":\"\t\"}".utf8)),
        ("DEL's neighbour", [0x7B, 0x22, 0x1F, 0x22, 0x3A, 0x31, 0x7D]),
        ("a NUL after it", Array("{\"alg\":\"HS256\"}\0".utf8)),
        ("a NUL in a string", Array("{\"alg\":\"HS256\0\"}".utf8)),
        ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(#"{"alg":"HS256"}"#.utf8)),
        ("a vertical tab", Array("\u{B}{\"alg\":\"HS256\"}".utf8)),
        ("a no-break space", Array("{\"alg\":\u{A0}\"HS256\"}".utf8)),
        ("text after it", Array(#"{"alg":"HS256"}x"#.utf8)),
        ("a second object", Array(#"{"alg":"HS256"}{"alg":"none"}"#.utf8)),
        ("a list", Array(#"[{"alg":"HS256"}]"#.utf8)),
        ("a string", Array(#""HS256""#.utf8)), ("an open string", Array(#"{"alg":"HS256"#.utf8)), ("nothing", []),
        ("a brace", [0x7B]),
        ("UTF-16", Array(#"{"alg":"HS256"}"#.utf8).flatMap { [$0, 0] }),
        ("UTF-16, big-endian", Array(#"{"alg":"HS256"}"#.utf8).flatMap { [0, $0] }),
        ("UTF-32", Array(#"{"alg":"HS256"}"#.utf8).flatMap { [$0, 0, 0, 0] }),
        ("overlong UTF-8", Array(#"{"alg":"HS256","x":""#.utf8) + [0xC0, 0xAF, 0x22, 0x7D]),
        ("overlong, three bytes", Array(#"{"x":""#.utf8) + [0xE0, 0x80, 0xAF, 0x22, 0x7D]),
        ("a surrogate in UTF-8", Array(#"{"x":""#.utf8) + [0xED, 0xA0, 0x80, 0x22, 0x7D]),
        ("beyond Unicode", Array(#"{"x":""#.utf8) + [0xF4, 0x90, 0x80, 0x80, 0x22, 0x7D]),
        ("a cut sequence", Array(#"{"x":""#.utf8) + [0xE2, 0x82, 0x22, 0x7D]),
        ("a lone high surrogate", Array(#"{"x":"\ud800"}"#.utf8)),
        ("a lone low surrogate", Array(#"{"x":"\udfff"}"#.utf8)),
        ("two high surrogates", Array(#"{"x":"\ud800\ud800"}"#.utf8)),
        ("a surrogate before text", Array(#"{"x":"\ud800A"}"#.utf8)), ("a short escape", Array(#"{"x":"\u12"}"#.utf8)),
        ("an escape that is none", Array(#"{"x":"\a"}"#.utf8)), ("a brace too many", Array(#"{"alg":"HS256"}}"#.utf8)),
    ]

    @Test("T48 headers, claims and keys that are not strict JSON are rejected (RFC 8259; RFC 8725, 2.6)")
    func strictJSON() throws {
        for (name, bytes) in Self.notJSON {
            let header = try Forge.signed(header: bytes, payload: Array(claims().utf8), with: Keys.secret, .hs256)
            #expect(outcome(of: header, [Keys.secret], [.hs256]) == .malformed, "header: \(name)")
            #expect(
                verdict { () throws(JOSEError) in try UnverifiedToken(header) } == .malformed, "unverified: \(name)")
            let payload = try Forge.signed(
                header: Array(#"{"alg":"HS256"}"#.utf8), payload: bytes, with: Keys.secret, .hs256)
            #expect(try outcome(ofToken: payload) == .malformed, "claims: \(name)")
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: bytes) } == .malformed, "key: \(name)")
            #expect(verdict { () throws(JOSEError) in try KeySet(parsing: bytes) } == .malformed, "key set: \(name)")
        }
        for header in [" {\t\"alg\"\r:\n\"HS256\" } ", #"{"\u0061lg":"\u0048S256","x":"\ud83d\ude00\u0000\/"}"#] {
            let control = try Forge.signed(header: header, payload: claims(), with: Keys.secret, .hs256)
            #expect(outcome(of: control, [Keys.secret], [.hs256]) == accepted, "\(header)")
        }
    }

    @Test("T49 only canonical base64url is accepted (RFC 7515, 2; RFC 4648, 3.5)")
    func base64URL() throws {
        let issuer = try TestIssuer(.nested, signature: .hs256, keyManagement: .a128kw, contentEncryption: .a128gcm)
        let verifier = try issuer.verifier()
        func result(_ token: String) -> Refusal? { verdict { () throws(TokenError) in try verifier.verify(token) } }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        func spoiled(_ text: String) -> [String] {
            var forms = ["=", "==", "\n", "\r\n", " ", "\t", "\0", "+", "/", "\u{e9}", "\u{212A}"].map { text + $0 }
            forms += ["=", "\n", " ", "\0", "+", "/", ",", "~"].map { $0 + text }
            forms += ["\n", " ", "\0", "=", "/"].map { text.prefix(5) + $0 + text.dropFirst(5) }
            if text.utf8.count % 4 == 0 { forms.append(text + "A") }
            if text.utf8.count % 4 != 0, let last = text.last, let place = alphabet.firstIndex(of: last) {
                forms.append(text.dropLast() + String(alphabet[place | 1]))
            }
            return forms
        }
        // The payloads have every length modulo 3, and the changed text is signed.
        for payload in [issuer.claims(), issuer.claims(adding: #","x":1"#), issuer.claims(adding: #","x":12"#)] {
            let header = Forge.encoded(Array(issuer.signatureHeader().utf8))
            let text = Forge.encoded(Array(payload.utf8))
            let good = try Forge.signed("\(header).\(text)", with: issuer.signingKey, .hs256)
            for input in spoiled(header).map({ "\($0).\(text)" }) + spoiled(text).map({ "\(header).\($0)" }) {
                let inner = try Forge.signed(input, with: issuer.signingKey, .hs256)
                #expect(result(try issuer.outer(inner)) == .malformed, "\(input.prefix(60))")
            }
            let signature = String(good.split(separator: ".")[2])
            for form in spoiled(signature) {
                #expect(result(try issuer.outer("\(header).\(text).\(form)")) == .malformed, "\(form)")
            }
            let outer = try issuer.outer(good)
            let parts = outer.split(separator: ".").map { String($0) }
            for place in 0..<5 {
                for form in spoiled(parts[place]) {
                    var changed = parts
                    changed[place] = form
                    #expect(result(changed.joined(separator: ".")) == .malformed, "part \(place): \(form.suffix(20))")
                }
            }
            #expect(result(outer) == accepted)
        }
        let key = "AAECAwQFBgcICQoLDA0ODw"
        // Control characters are not allowed in JSON.
        for form in spoiled(key) where !form.utf8.contains(where: { $0 < 0x20 }) {
            let jwk = #"{"kty":"oct","k":"\#(form)"}"#
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == .keyInvalid, "\(form)")
        }
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: #"{"kty":"oct","k":"\#(key)"}"#) } == accepted)
    }
}
