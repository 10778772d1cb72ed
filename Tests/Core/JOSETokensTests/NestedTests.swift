import JOSE
import JOSETokens
import Testing

@Suite("Nested tokens") struct NestedTests {
    let signing: PrivateKey
    let encryption: PrivateKey
    let claims: ClaimPolicy

    init() throws {
        signing = try PrivateKey.generate(.p256, keyID: "s1")
        encryption = try PrivateKey.generate(.p256, keyID: "e1")
        claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
    }

    var policy: TokenPolicy {
        .nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]), claims: claims)
    }

    func verifier(_ policy: TokenPolicy? = nil) throws -> TokenVerifier {
        try TokenVerifier(
            policy ?? self.policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(encryption))
    }

    func inner(_ payload: String? = nil, _ header: HeaderParameters = .init(type: "JWT")) throws -> String {
        let payload = payload ?? #"{"iss":"https://id.example","aud":"shop","sub":"u","exp":9999999999}"#
        return try JWSSigner(key: signing, algorithm: .es256, header: header).sign(payload)
    }

    func outer(_ plaintext: String, _ header: HeaderParameters = .init(contentType: "JWT")) throws -> String {
        try JWEEncrypter(
            key: encryption.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header
        ).encrypt(plaintext)
    }

    @Test("a nested token is decrypted and verified in one call (RFC 7519, 11.2)") func good() throws {
        let token = try verifier().verify(outer(inner()))
        #expect(token.claims.subject == "u")
        #expect(token.header.algorithmName == "ES256" && token.encryptionHeader?.algorithmName == "ECDH-ES")
        #expect(token.header.keyID == "s1" && token.encryptionHeader?.keyID == "e1")
    }

    @Test("a token with one layer, or with three, is rejected as a nested token") func layers() throws {
        let verifier = try verifier()
        let good = try outer(inner())
        #expect(throws: Never.self) { try verifier.verify(good) }
        let parts = ParseFailure(.token, .parts)
        let signedAlone = try inner()
        #expect(throws: TokenError.jose(.malformed(parts), layer: .encryption)) { try verifier.verify(signedAlone) }
        for plaintext in [
            "", "{}", #"{"iss":"https://id.example","aud":"shop","exp":9999999999}"#, good,
        ] {
            let token = try outer(plaintext)
            #expect(throws: TokenError.jose(.malformed(parts), layer: .signature), "\(plaintext.prefix(9))") {
                try verifier.verify(token)
            }
        }
        let quoted = try outer("\"\(signedAlone)\"")
        #expect(throws: TokenError.jose(.malformed(ParseFailure(.signature, .base64URL)), layer: .signature)) {
            try verifier.verify(quoted)
        }
        // Three layers: the claims would be a token.
        let deep = try outer(inner(signedAlone))
        #expect(throws: TokenError.jose(.malformed(ParseFailure(.claims, .json)), layer: .signature)) {
            try verifier.verify(deep)
        }
    }

    @Test("the outer cty must be JWT, in any case and with or without application/ (RFC 7519, 5.2)")
    func contentType() throws {
        let verifier = try verifier()
        for cty in ["JWT", "jwt", "application/jwt"] {
            let token = try outer(inner(), HeaderParameters(contentType: cty))
            #expect(throws: Never.self, "\(cty)") { try verifier.verify(token) }
        }
        for cty in [nil, "", "JWTX", "text/jwt", "application/application/jwt"] {
            let token = try outer(inner(), HeaderParameters(contentType: cty))
            #expect(throws: TokenError.jose(.headerInvalid(.contentType), layer: .encryption), "\(cty ?? "absent")") {
                try verifier.verify(token)
            }
        }
        var lax = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        lax.contentType = .absentOr("JWT")
        let without = try outer(inner(), HeaderParameters())
        let tolerant = try self.verifier(
            .nested(outer: lax, inner: SignaturePolicy(algorithms: [.es256]), claims: claims))
        #expect(throws: Never.self) { try tolerant.verify(without) }
    }

    @Test("where cty may be absent or of any value, claims without a signature stay rejected (RFC 7519, 5.2)")
    func anyContentType() throws {
        var lax = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        let claims = #"{"iss":"https://id.example","aud":"shop","exp":9999999999}"#
        for rule in [TypeRule.absentOr("JWT"), .otherThan([])] {
            lax.contentType = rule
            let verifier = try self.verifier(
                .nested(outer: lax, inner: SignaturePolicy(algorithms: [.es256]), claims: self.claims))
            for header in [HeaderParameters(), HeaderParameters(contentType: "JWT")] {
                let good = try outer(inner(), header)
                #expect(throws: Never.self) { try verifier.verify(good) }
                for plaintext in [claims, "", "{}"] {
                    let token = try outer(plaintext, header)
                    #expect(throws: TokenError.jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)) {
                        try verifier.verify(token)
                    }
                }
                // Neither an unsigned token nor one that nobody trusted signed is a signed one.
                let parts = try inner().split(separator: ".")
                for forged in ["eyJhbGciOiJub25lIn0.\(parts[1]).", "\(parts[0]).\(parts[1])."] {
                    let token = try outer(forged, header)
                    #expect(throws: TokenError.self) { try verifier.verify(token) }
                }
            }
        }
        let other = try outer(inner(), HeaderParameters(contentType: "json"))
        let strict = try verifier()
        #expect(throws: TokenError.jose(.headerInvalid(.contentType), layer: .encryption)) { try strict.verify(other) }
        lax.contentType = .otherThan([])
        let lenient = try verifier(
            .nested(outer: lax, inner: SignaturePolicy(algorithms: [.es256]), claims: self.claims))
        #expect(throws: Never.self) { try lenient.verify(other) }
    }

    @Test("a claim in the outer header must equal the one in the token (RFC 7519, 5.3)") func copies() throws {
        let verifier = try verifier()
        let cases: [(String, ClaimName, good: [String], bad: [String])] = [
            (
                "iss", "iss", [#""https://id.example""#, #""https:\/\/id.example""#],
                [#""https://evil.example""#, "5", "null", #"["https://id.example"]"#]
            ),
            ("sub", "sub", [#""u""#], [#""v""#, "true"]),
            ("aud", "aud", [#""shop""#, #"["shop"]"#], [#""other""#, #"["shop","other"]"#, "[]", "7"]),
        ]
        for (name, claim, good, bad) in cases {
            for (values, isGood) in [(good, true), (bad, false)] {
                for value in values {
                    var header = HeaderParameters(contentType: "JWT")
                    header.set(name, json: Array(value.utf8))
                    let token = try outer(inner(), header)
                    if isGood {
                        #expect(throws: Never.self, "\(name) \(value)") { try verifier.verify(token) }
                    } else {
                        #expect(throws: TokenError.claim(.headerCopyDiffers(claim)), "\(name) \(value)") {
                            try verifier.verify(token)
                        }
                    }
                }
            }
        }
    }

    @Test("values of a wrong type in the outer header are no copies, even if the token repeats them (RFC 7519, 5.3)")
    func malformedCopies() throws {
        var every = claims
        every.reportsEveryFailure = true
        let outerLayer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        let verifier = try verifier(
            .nested(outer: outerLayer, inner: SignaturePolicy(algorithms: [.es256]), claims: every))
        func made(_ name: String, _ copy: String, _ value: String) throws -> String {
            var members = ["iss": #""https://id.example""#, "aud": #""shop""#, "sub": #""u""#, "exp": "9999999999"]
            members[name] = value
            var header = HeaderParameters(contentType: "JWT")
            header.set(name, json: Array(copy.utf8))
            return try outer(inner(ProfileFixture.text(members)), header)
        }
        for (name, value, first) in [
            ("aud", "5", .audienceMismatch), ("aud", "{}", .audienceMismatch), ("aud", "[5]", .audienceMismatch),
            ("aud", #"["shop",5]"#, .audienceMismatch), ("iss", "5", .issuerMismatch), ("sub", "5", .invalid("sub")),
            ("sub", "null", .invalid("sub")),
        ] as [(String, String, ClaimFailure)] {
            let token = try made(name, value, value)
            #expect(throws: TokenError.claims([first, .headerCopyDiffers(ClaimName(name))]), "\(name) \(value)") {
                try verifier.verify(token)
            }
        }
        let number = try made("aud", #"["shop",5]"#, #"["shop",""]"#)
        #expect(throws: TokenError.claims([.headerCopyDiffers("aud")])) { try verifier.verify(number) }
        for value in [#""shop""#, #"["shop",""]"#] {
            let token = try made("aud", value, value)
            #expect(throws: Never.self, "\(value)") { try verifier.verify(token) }
        }
    }

    @Test("each layer has its own allowed algorithms, keys and typ") func policies() throws {
        var inner = SignaturePolicy(algorithms: [.es256])
        inner.type = .exactly("at+jwt")
        let typed = try verifier(
            .nested(
                outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]), inner: inner,
                claims: claims))
        let plain = try outer(self.inner())
        let marked = try outer(self.inner(nil, HeaderParameters(type: "application/at+jwt")))
        #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature)) { try typed.verify(plain) }
        #expect(throws: Never.self) { try typed.verify(marked) }

        let swapped = try TokenVerifier(
            policy, verificationKeys: KeySet(encryption.publicKey), decryptionKeys: KeySet(encryption))
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try swapped.verify(plain) }
        let other = try verifier(
            .nested(
                outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a256gcm]),
                inner: SignaturePolicy(algorithms: [.es256]), claims: claims))
        #expect(throws: TokenError.jose(.algorithmNotAllowed(.contentEncryption), layer: .encryption)) {
            try other.verify(plain)
        }
        #expect(throws: Never.self) { try verifier().verify(plain) }
    }

    @Test("a nested token with any byte changed is rejected") func everyByte() throws {
        let verifier = try verifier()
        let token = Array(try outer(inner()).utf8)
        #expect(throws: Never.self) { try verifier.verify(token) }
        for place in token.indices where token[place] != UInt8(ascii: ".") {
            var changed = token
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: TokenError.self, "byte \(place)") { try verifier.verify(changed) }
        }
    }
}
