import Foundation
import JOSE
import JOSESupport
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Traps: text, numbers, empty buffers") struct SwiftTraps {
    @Test("X01 texts are compared by bytes, not by Unicode equivalence (RFC 8259, 8.3)")
    func canonicalEquivalence() throws {
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        let kelvin = "\u{212A}"
        #expect(composed == decomposed && kelvin == "K")
        for (ours, theirs) in [(composed, decomposed), (decomposed, composed), ("K", kelvin), (kelvin, "K")] {
            func result(_ name: String, _ value: String, _ adjust: @escaping (inout ClaimPolicy) -> Void) throws
                -> Refusal?
            {
                try outcome(ofClaims: claims((name, "\"\(value)\"")), adjust)
            }
            #expect(try result("iss", theirs) { $0.issuer = .exactly(ours) } == .issuerMismatch)
            #expect(try result("iss", ours) { $0.issuer = .exactly(ours) } == accepted)
            #expect(try result("iss", theirs) { $0.issuer = .oneOf([ours, "x"]) } == .issuerMismatch)
            #expect(try result("aud", theirs) { $0.audience = .exactly(ours) } == .audienceMismatch)
            #expect(try result("aud", ours) { $0.audience = .exactly(ours) } == accepted)
            for (name, set) in [
                ("sub", { $0.subject = ours }), ("nonce", { $0.nonce = ours }), ("azp", { $0.authorizedParty = ours }),
                ("acr", { $0.acceptedACR = [ours] }),
            ] as [(String, (inout ClaimPolicy) -> Void)] {
                #expect(try result(name, theirs, set) == .claimInvalid, "\(name)")
                #expect(try result(name, ours, set) == accepted, "\(name)")
            }
            #expect(try outcome(ofClaims: claims((theirs, "1"))) { $0.required = [ClaimName(ours)] } == .claimMissing)
            #expect(try outcome(ofClaims: claims((ours, "1"))) { $0.required = [ClaimName(ours)] } == accepted)
            #expect(try outcome(ofClaims: claims((theirs, "1"))) { $0.forbidden = [ClaimName(ours)] } == accepted)
            // The names differ in their bytes, so that neither is a duplicate.
            #expect(try outcome(ofClaims: claims((theirs, "1"), (ours, "1"))) == accepted)

            let key = Keys.secret.bound(keyID: ours)
            for (kid, wanted) in [(theirs, Refusal.noKey), (ours, nil)] {
                let token = try Forge.signed(
                    header: #"{"alg":"HS256","kid":"\#(kid)"}"#, payload: "x", with: key, .hs256)
                #expect(outcome(of: token, [key], [.hs256]) == wanted)
            }
            var policy = SignaturePolicy(algorithms: [.hs256])
            (policy.type, policy.understoodCritical) = (.exactly("x/" + ours), [ours])
            let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: policy)
            for (typ, crit, wanted) in [
                (theirs, ours, Refusal.typeMismatch), (ours, theirs, .criticalUnsupported), (ours, ours, nil),
            ] {
                let header = #"{"alg":"HS256","typ":"x/\#(typ)","crit":["\#(crit)"],"\#(crit)":1}"#
                let token = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
                // The Kelvin sign is not ASCII, and is not case-folded to k.
                #expect(verdict { () throws(JOSEError) in try verifier.verify(token) } == wanted)
            }
        }
        #expect(SignatureAlgorithm(name: "HS256\u{301}") == nil && KeyManagementAlgorithm(name: "A128\u{212A}W") == nil)
    }

    @Test("X02 parts are separated by bytes: a combining mark on a dot, or CRLF, hides no dot")
    func characters() throws {
        let good = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims(), with: Keys.secret, .hs256)
        #expect("a.\u{301}b".split(separator: ".").count == 1)
        for text in [
            good.replacing(".", with: ".\u{301}"), good.replacing(".", with: "\u{301}."), good + "\r\n",
            "\u{FEFF}" + good,
            good.replacing(".", with: ".\r\n"), good.replacing(".", with: "\u{2024}"),
            good.replacing(".", with: ".\u{200D}"),
        ] {
            #expect(outcome(of: text, [Keys.secret], [.hs256]) == .malformed)
            #expect(
                verdict { () throws(JOSEError) in try UnverifiedToken(text) } == .malformed || text == good + "\r\n")
        }
        #expect(outcome(of: good, [Keys.secret], [.hs256]) == accepted)
    }

    @Test("X03 no number in a token or policy causes a trap")
    func integers() throws {
        let numbers = [
            "1e19", "-1e19", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "18446744073709551616", "1e308", "-0.0",
            "1e-400", "5e-324", "4294967296", "2147483648", "0e0",
        ]
        for number in numbers {
            for name in ["exp", "nbf", "iat", "auth_time", "x"] {
                _ = try outcome(ofClaims: claims((name, number))) { $0.maximumAge = .seconds(9_000_000_000_000_000) }
            }
            for member in ["p2c", "x", "kid", "b64", "crit", "zip", "iv", "epk"] {
                let header = #"{"alg":"HS256","\#(member)":\#(number)}"#
                let token = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
                _ = outcome(of: token, [Keys.secret], [.hs256])
            }
            let jwk = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw","x":\#(number),"iat":\#(number)}"#
            #expect(verdict { () throws(JOSEError) in try JWK(parsing: jwk) } == accepted, "\(number)")
            let issuer = try TestIssuer()
            let token = try issuer.forged(claims: issuer.claims(adding: #","x":\#(number)"#))
            let claims = try issuer.verifier().verify(token).claims
            _ = (
                claims.integer("x"), claims.number("x"), claims.json("x"), claims.strings("x"), claims.bool("x"),
                claims.string("x")
            )
            #expect(claims.integer("x") == Int64(number), "\(number)")
        }
        for time in [Double.infinity, -.infinity, .nan, 1e300, -1e300, 9.1e15, -1, .leastNonzeroMagnitude] {
            let (date, duration) = (NumericDate(secondsSince1970: time), Duration(saturatingSeconds: time))
            _ = try? TestIssuer(clock: TestClock(date)).issue()
            _ = try? outcome(ofClaims: claims()) { ($0.maximumAge, $0.maximumAuthenticationAge) = (duration, duration) }
            _ = try? outcome(ofClaims: claims()) { $0.clock = .custom { date } }
            _ = verdict { () throws(TokenError) in
                let policy = TokenPolicy.signed(
                    SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "a", audience: "b"))
                return try TokenIssuer(policy, signingKey: Keys.secret, lifetime: duration).issue(["x": .number(time)])
            }
        }
        // A clock that returns no valid time is an error: otherwise comparisons with it would accept the token.
        for seconds in [Double.nan, .infinity, -.infinity, 1e17] {
            let time = NumericDate(secondsSince1970: seconds)
            #expect(try outcome(ofClaims: claims(("exp", "1"))) { $0.clock = .custom { time } } == .other)
            #expect(try outcome(ofClaims: claims()) { $0.clock = .custom { time } } == .other)
        }
        #expect(try outcome(ofClaims: claims()) { $0.clock = .custom { Now.date } } == accepted)
    }

    @Test("X03 limits of any value accept or reject, and never trap")
    func limits() throws {
        let jws = try Forge.signed(header: #"{"alg":"HS256","kid":"a"}"#, payload: claims(), with: Keys.secret, .hs256)
        for content in [ContentEncryption.a256gcm, .a128cbcHS256] {
            let jwe = try Forge.encrypted(
                header: #"{"alg":"dir","enc":"\#(content)"}"#, plaintext: [1, 2], with: Keys.secret, .dir, content)
            for value in [
                Int.max, Int.max - 8, Int(Int32.max) + 1, Int(Int32.max), 1 << 20, 0, -1, Int.min, Int.min + 8,
            ] {
                var limits = ParsingLimits.standard
                (limits.tokenBytes, limits.headerBytes, limits.plaintextBytes) = (value, value, value)
                (limits.signatureBytes, limits.candidateKeys) = (value, value)
                (limits.jsonDepth, limits.objectMembers, limits.keysInSet) = (value, value, value)
                var signature = SignaturePolicy(algorithms: [.hs256])
                signature.limits = limits
                var encryption = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [content])
                encryption.limits = limits
                let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: signature)
                let decrypter = try JWEDecrypter(keys: KeySet(Keys.secret), policy: encryption)
                let isLarge = value > 1000
                let set = #"{"keys":[{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}]}"#
                #expect(
                    (verdict { () throws(JOSEError) in try verifier.verify(jws) } == accepted) == isLarge, "\(value)")
                #expect(
                    (verdict { () throws(JOSEError) in try decrypter.decrypt(jwe) } == accepted) == isLarge, "\(value)")
                #expect(
                    (verdict { () throws(JOSEError) in try UnverifiedToken(jws, limits: limits) } == accepted)
                        == isLarge, "\(value)")
                #expect(
                    (verdict { () throws(JOSEError) in try KeySet(parsing: set, limits: limits) } == accepted)
                        == isLarge, "\(value)")
            }
        }
    }

    @Test("X03 a header with more than 65 535 members is read completely")
    func manyMembers() throws {
        var policy = SignaturePolicy(algorithms: [.hs256])
        (policy.limits.tokenBytes, policy.limits.headerBytes, policy.limits.objectMembers) = (8 << 20, 8 << 20, 200_000)
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: policy)
        for count in [32_766, 32_768, 65_535, 65_537, 70_000] {
            let many = (0..<count).map { #""\#($0)":0,"# }.joined()
            for (last, wanted) in [
                (#""crit":["x"],"x":1"#, Refusal.criticalUnsupported), (#""b64":false"#, .headerInvalid),
                (#""kid":"x""#, nil), (#""kid":1"#, .headerInvalid),
            ] {
                let token = try Forge.signed(
                    header: "{\(many)\(last),\"alg\":\"HS256\"}", payload: "x", with: Keys.secret, .hs256)
                #expect(verdict { () throws(JOSEError) in try verifier.verify(token) } == wanted, "\(count), \(last)")
            }
        }
    }

    @Test("X06 a NUL byte does not end a text")
    func nul() throws {
        for (name, refusal) in [("iss", Refusal.issuerMismatch), ("aud", .audienceMismatch)] {
            let good = name == "iss" ? "https://i.test" : "me"
            for value in [good + #"\u0000"#, #"\u0000"# + good, good + #"\u0000x"#] {
                #expect(try outcome(ofClaims: claims((name, "\"\(value)\""))) == refusal)
            }
            #expect(try outcome(ofClaims: claims((name, "\"\(good)\""))) == accepted)
        }
        #expect(try outcome(ofClaims: claims((#"exp\u0000"#, "1"))) == accepted)
        #expect(try outcome(ofClaims: claims(("sub", #""a\u0000b""#))) { $0.subject = "a\0b" } == accepted)
        #expect(try outcome(ofClaims: claims(("sub", #""a\u0000b""#))) { $0.subject = "a" } == .claimInvalid)
        #expect(try outcome(ofClaims: claims(("sub", #""a\u0000b""#))) { $0.subject = "a\0c" } == .claimInvalid)
        for alg in [#"HS256\u0000"#, #"\u0000HS256"#, #"HS256\u0000x"#] {
            let token = try Forge.signed(header: #"{"alg":"\#(alg)"}"#, payload: "x", with: Keys.secret, .hs256)
            #expect(outcome(of: token, [Keys.secret], [.hs256]) == .algorithmNotAllowed)
        }
        let pem = try #require(Keys.p256.publicKey).pem()
        // Any text may follow the block (RFC 7468, 2).
        for text in [
            "\0" + pem, pem.replacing("\n", with: "\0"), pem.replacing("PUBLIC", with: "PUBLIC\0"),
        ] {
            #expect(verdict { () throws(JOSEError) in try PublicKey(pem: text) } != accepted)
        }
        #expect(verdict { () throws(JOSEError) in try PublicKey(pem: pem) } == accepted)
        #expect(SignatureAlgorithm(name: "HS256\0") == nil)
        let named = try #require(Keys.p256.bound(keyID: "a\0b").publicKey)
        #expect(try PublicKey(jwk: named.jwk()).keyID == "a\0b")
    }

    @Test("X07 every call accepts empty input without a fault")
    func empty() throws {
        for (algorithm, key) in Keys.signing {
            let token = try Forge.signed(header: #"{"alg":"\#(algorithm)"}"#, payload: "", with: key, algorithm)
            #expect(outcome(of: token, [key.shown], [algorithm]) == accepted, "\(algorithm)")
            #expect(outcome(of: token.split(separator: ".")[0] + "..", [key.shown], [algorithm]) == .signatureInvalid)
        }
        for content in ContentEncryption.all {
            let key = Keys.symmetric(content.keyBytes)
            guard case .symmetricKey(let symmetric) = key else { continue }
            let encrypter = try JWEEncrypter(key: symmetric, keyManagement: .dir, contentEncryption: content)
            let decrypter = try JWEDecrypter(
                keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.dir], contentEncryption: [content]))
            let token = try encrypter.encrypt([])
            #expect(try decrypter.decrypt(token).plaintext == [])
            var parts = token.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
            for place in [2, 3, 4] where !parts[place].isEmpty {
                let whole = parts[place]
                parts[place] = ""
                let changed = parts.joined(separator: ".")
                #expect(
                    verdict { () throws(JOSEError) in try decrypter.decrypt(changed) } != accepted,
                    "\(content), \(place)")
                parts[place] = whole
            }
        }
        #expect(outcome(of: "", [], []) == .malformed)
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: "") } == .malformed)
        #expect(verdict { () throws(JOSEError) in try KeySet(parsing: "") } == .malformed)
        #expect(verdict { () throws(JOSEError) in try PublicKey(pem: "") } == .malformed)
        #expect(verdict { () throws(JOSEError) in try PublicKey(der: [UInt8]()) } == .malformed)
        #expect(verdict { () throws(JOSEError) in try PrivateKey(pem: "", passphrase: []) } == .malformed)
        #expect(verdict { () throws(JOSEError) in try PrivateKey(der: [UInt8](), passphrase: []) } == .malformed)
        #expect(KeySet([]).keys.isEmpty)
        #expect(Forge.decoded("") == [] && Forge.encoded([]) == "")
    }
}
