import Foundation
import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Threats: choice of algorithm and key") struct AlgorithmThreats {
    @Test("T01 alg none in any spelling is rejected (RFC 8725, 2.1)")
    func none() throws {
        #expect(SignatureAlgorithm(name: "none") == nil)
        #expect(!SignatureAlgorithm.all.contains { $0.name.lowercased() == "none" })
        let keys = Keys.signing.map(\.1.shown)
        for spelling in [
            "none", "None", "NONE", "nOnE", "none ", " none", "none\\u0000", "\\u006eone", "no\\u006ee", "",
            "\\u0000none",
            "n\u{43e}ne", "none\\n",
        ] {
            let input = Forge.input(header: #"{"alg":"\#(spelling)"}"#, payload: claims())
            let leftOver = try Forge.signed(input, with: Keys.secret, .hs256)
            for token in [input + ".", leftOver] {
                #expect(outcome(of: token, keys, SignatureAlgorithm.all) == .algorithmNotAllowed, "\(spelling)")
                #expect(outcome(of: token, [], SignatureAlgorithm.all) == .algorithmNotAllowed, "\(spelling), no key")
                #expect(outcome(of: token, keys, []) == .algorithmNotAllowed, "\(spelling), empty list")
            }
        }
        let control = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: claims(), with: Keys.secret, .hs256)
        #expect(outcome(of: control, [Keys.secret], SignatureAlgorithm.all) == accepted)
    }

    @Test("T02 a public key is never used as an HMAC secret, in any encoding (RFC 8725, 2.1)")
    func publicKeyAsSecret() throws {
        for (algorithm, key) in [(SignatureAlgorithm.rs256, Keys.rsa), (.es256, Keys.p256), (.edDSA, Keys.ed25519)] {
            let known = try #require(key.publicKey)
            var forms: [(String, [UInt8])] = [
                ("PEM", Array(try known.pem().utf8)),
                ("PEM without its last line end", Array(try known.pem().utf8.dropLast())),
                ("PEM with CRLF", Array(try known.pem().replacing("\n", with: "\r\n").utf8)),
                ("PEM after a byte order mark", [0xEF, 0xBB, 0xBF] + Array(try known.pem().utf8)),
                ("DER", try known.der()), ("JWK", Array(known.jwk().utf8)),
                ("JWK Set", Array(KeySet(known).jwks().utf8)), ("the name", Array("\(known)".utf8)),
            ]
            if case .rsa = known.kind {
                forms.append(("PKCS#1", Array(try known.pem(.pkcs1).utf8)))
                forms.append(("PKCS#1 as DER", try known.der(.pkcs1)))
            }
            if known.kind == .ed25519 { forms.append(("raw", Array(try known.der().suffix(32)))) }
            if known.kind == .p256 {
                // An SPKI ends with the point.
                let point = Array(try known.der().suffix(65))
                let half = [2 + point[64] % 2] + point[1...32]
                forms += [("raw point", point), ("raw point without its 4", Array(point.dropFirst()))]
                forms += [("compressed point", half), ("x", Array(point[1...32]))]
            }
            let shell = try openSSH(known)
            forms += [("OpenSSH", shell), ("OpenSSH, its inner bytes", Array(shell.split(separator: 32)[1]))]
            for (name, secret) in forms {
                let input = Forge.input(header: #"{"alg":"HS256"}"#, payload: claims())
                let mac = try #require(try Forge.mac(of: input, key: secret, .hs256))
                let token = Forge.token(input, signature: mac)
                #expect(
                    outcome(of: token, [.publicKey(known)], [algorithm, .hs256]) == .keyMismatch,
                    "\(algorithm), \(name)")
                #expect(
                    outcome(of: token, [key], [algorithm, .hs256]) == .keyMismatch, "\(algorithm), \(name), private")
                // The MAC is the one that a confused verifier would compute.
                if secret.count >= 32 {
                    let confused = JWK.symmetricKey(try SecretKey(bytes: secret))
                    #expect(outcome(of: token, [confused], [.hs256]) == accepted, "\(algorithm), \(name)")
                }
            }
            let control = try Forge.signed(header: #"{"alg":"\#(algorithm)"}"#, payload: claims(), with: key, algorithm)
            #expect(outcome(of: control, [.publicKey(known)], [algorithm, .hs256]) == accepted)
        }
    }

    /// Returns the key in the format of `ssh-keygen` (RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709, 4): a name, a space, base64.
    private func openSSH(_ key: PublicKey) throws -> [UInt8] {
        let jwk = try JSON(key.jwk().utf8)
        func part(_ name: String) throws -> [UInt8] { try #require(jwk[name]?.string.flatMap { bytes(base64URL: $0) }) }
        func string(_ bytes: [UInt8]) -> [UInt8] { [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        let (name, body): (String, [UInt8])
        switch key.kind {
        case .rsa: (name, body) = ("ssh-rsa", string(try part("e")) + string([0] + (try part("n"))))
        case .p256:
            name = "ecdsa-sha2-nistp256"
            body = string(Array("nistp256".utf8)) + string([4] + (try part("x")) + (try part("y")))
        default: (name, body) = ("ssh-ed25519", string(try part("x")))
        }
        let text = Data(string(Array(name.utf8)) + body).base64EncodedString()
        return Array("\(name) \(text) a@b\n".utf8)
    }

    @Test("T03 an HMAC token is verified with symmetric keys only, even if its key is empty (RFC 8725, 3.1)")
    func fallThrough() throws {
        let input = Forge.input(header: #"{"alg":"HS256"}"#, payload: claims())
        let mac = try #require(try Forge.mac(of: input, key: [], .hs256))
        for key in [
            Keys.rsa, Keys.p256, Keys.p384, Keys.p521, Keys.secp256k1, Keys.ed25519, Keys.ed448, Keys.x25519, Keys.x448,
        ] {
            #expect(
                outcome(of: Forge.token(input, signature: mac), [key.shown], SignatureAlgorithm.all) == .keyMismatch)
        }
        #expect(outcome(of: try Forge.signed(input, with: Keys.secret, .hs256), [Keys.secret], [.hs256]) == accepted)
    }

    @Test("T04 an empty HMAC key is rejected before a MAC is computed (RFC 7518, 3.2)")
    func emptySecret() throws {
        #expect(throws: JOSEError.keyUnsuitable(.secretEmpty)) { try SecretKey(bytes: []) }
        #expect(throws: JOSEError.keyUnsuitable(.secretEmpty)) { try SecretKey(jwk: #"{"kty":"oct","k":""}"#) }
        let input = Forge.input(header: #"{"alg":"HS256","kid":"a"}"#, payload: claims())
        let token = Forge.token(input, signature: try #require(try Forge.mac(of: input, key: [], .hs256)))
        let empty = try KeySet(parsing: #"{"keys":[{"kty":"oct","kid":"a","k":""}]}"#)
        let policy = SignaturePolicy(algorithms: [.hs256])
        #expect(empty.keys.isEmpty)
        #expect(
            verdict { () throws(JOSEError) in try JWSVerifier(keys: empty, policy: policy).verify(token) }
                == .keyTooSmall)
        #expect(outcome(of: token, [], [.hs256]) == .noKey)
        let control = try Forge.signed(input, with: Keys.secret, .hs256)
        #expect(outcome(of: control, [Keys.secret.bound(keyID: "a")], [.hs256]) == accepted)
    }

    @Test("T05 keys that are too small are rejected (RFC 7518, 3.2 and 3.3)")
    func smallKeys() throws {
        for (algorithm, least) in [(SignatureAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)] {
            let secret = (0..<UInt8(least)).map { $0 &* 7 &+ 1 }
            let header = #"{"alg":"\#(algorithm)"}"#
            let input = Forge.input(header: header, payload: "x")
            for (count, wanted) in [
                (1, Refusal.keyTooSmall), (16, .keyTooSmall), (least - 1, .keyTooSmall), (least, nil),
            ] {
                let key = Array(secret[..<count])
                let mac = try #require(try Forge.mac(of: input, key: key, algorithm))
                let held = JWK.symmetricKey(try SecretKey(bytes: key))
                #expect(
                    outcome(of: Forge.token(input, signature: mac), [held], [algorithm]) == wanted,
                    "\(algorithm), \(count)")
                let signer = verdict { () throws(JOSEError) in
                    try JWSSigner(key: SecretKey(bytes: key), algorithm: algorithm)
                }
                #expect(signer == wanted, "\(algorithm), \(count)")
            }
        }
        let data = Keys.data
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: data.smallKey) } == .keyTooSmall)
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: data.smallPrivateKey) } == .keyTooSmall)
        #expect(verdict { () throws(JOSEError) in try PrivateKey.generate(.rsa(bits: 1024)) } == .keyTooSmall)
        let set = try KeySet(parsing: #"{"keys":[\#(data.smallKey)]}"#)
        let policy = SignaturePolicy(algorithms: [.rs256])
        #expect(
            verdict { () throws(JOSEError) in try JWSVerifier(keys: set, policy: policy).verify(data.smallToken) }
                == .keyTooSmall)
        let control = try Forge.signed(header: #"{"alg":"RS256"}"#, payload: "threat", with: Keys.rsa, .rs256)
        #expect(outcome(of: control, [Keys.rsa.shown], [.rs256]) == accepted)
    }

    @Test("T06 a key in the header is never used (RFC 7515, 4.1.3)")
    func headerKey() throws {
        let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        for (algorithm, attacker, trusted, jwk) in [
            (SignatureAlgorithm.es256, Keys.made(.p256), Keys.p256, nil as String?),
            (.edDSA, Keys.made(.ed25519), Keys.ed25519, nil),
            (
                .hs256, try JWK(parsing: #"{"kty":"oct","k":"\#(secret)"}"#), Keys.secret,
                #"{"kty":"oct","k":"\#(secret)"}"#
            ),
        ] {
            var forms = [try jwk ?? #require(attacker.publicKey).jwk()]
            if case .privateKey(let key) = attacker {
                forms.append(String(decoding: try key.exportPrivateJWK(), as: UTF8.self))
            }
            for form in forms {
                let header = #"{"alg":"\#(algorithm)","jwk":\#(form)}"#
                let token = try Forge.signed(header: header, payload: claims(), with: attacker, algorithm)
                #expect(outcome(of: token, [trusted.shown], [algorithm]) == .signatureInvalid, "\(algorithm)")
                #expect(outcome(of: token, [], [algorithm]) == .noKey, "\(algorithm)")
                #expect(outcome(of: token, [attacker.shown], [algorithm]) == accepted, "\(algorithm)")
                let control = try Forge.signed(header: header, payload: claims(), with: trusted, algorithm)
                #expect(outcome(of: control, [trusted.shown], [algorithm]) == accepted, "\(algorithm)")
            }
        }
    }

    @Test("T08 a kid is compared byte by byte, and never used as a path or URL (RFC 8725, 3.10)")
    func keyID() throws {
        let key = Keys.secret.bound(keyID: "a")
        func token(_ kid: String) throws -> String {
            try Forge.signed(header: #"{"alg":"HS256","kid":"\#(kid)"}"#, payload: claims(), with: key, .hs256)
        }
        for kid in [
            "../../dev/null", "/dev/null", "' OR 1=1 --", "a\\u0000", "a\\u0000b", "A", "", " a", "a ", "a/../a", "%61",
            "https://attacker.test/a", "file:///dev/null", String(repeating: "a", count: 10_000),
        ] { #expect(outcome(of: try token(kid), [key], [.hs256]) == .noKey, "\(kid.prefix(30))") }
        #expect(outcome(of: try token(String(repeating: "a", count: 20_000)), [key], [.hs256]) == .tooLarge)
        #expect(outcome(of: try token("a"), [key], [.hs256]) == accepted)
        #expect(outcome(of: try token("\\u0061"), [key], [.hs256]) == accepted)
    }

    @Test("T09 a key of another issuer with the same kid verifies nothing (RFC 8725, 3.8)")
    func otherIssuer() throws {
        let ours = Keys.symmetric(32).bound(keyID: "1")
        let theirs = Keys.symmetric(32).bound(keyID: "1")
        let token = try Forge.signed(header: #"{"alg":"HS256","kid":"1"}"#, payload: claims(), with: ours, .hs256)
        let policy = SignaturePolicy(algorithms: [.hs256])
        let first = try JWSVerifier(keys: KeySet(ours), policy: policy)
        let second = try JWSVerifier(keys: KeySet(theirs), policy: policy)
        for _ in 0..<3 {
            #expect(verdict { () throws(JOSEError) in try first.verify(token) } == accepted)
            #expect(verdict { () throws(JOSEError) in try second.verify(token) } == .signatureInvalid)
        }
    }

    @Test("T10 the verification result of one token is never used for another")
    func noResultIsKept() throws {
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: SignaturePolicy(algorithms: [.hs256]))
        let header = #"{"alg":"HS256","kid":"x"}"#
        let good = try Forge.signed(header: header, payload: claims(("sub", #""a""#)), with: Keys.secret, .hs256)
        #expect(try verifier.verify(good).payload == Array(claims(("sub", #""a""#)).utf8))
        let mac = try #require(Forge.decoded(String(good.split(separator: ".")[2])))
        let other = Forge.input(header: header, payload: claims(("sub", #""b""#)))
        let input = Forge.input(header: header, payload: claims(("sub", #""a""#)))
        for (input, mac) in [(other, mac), (input, mac + [0]), (input, mac.dropLast()), (input + "AAAA", mac)] {
            let token = Forge.token(input, signature: mac)
            #expect(verdict { () throws(JOSEError) in try verifier.verify(token) } == .signatureInvalid)
        }
        let control = try Forge.signed(other, with: Keys.secret, .hs256)
        #expect(try verifier.verify(control).payload == Array(claims(("sub", #""b""#)).utf8))
    }

    @Test("T60 a key is looked up only if the algorithm is allowed")
    func allowListFirst() throws {
        let token = try Forge.signed(header: #"{"alg":"HS256","kid":"x"}"#, payload: "", with: Keys.secret, .hs256)
        #expect(outcome(of: token, [Keys.rsa], [.rs256]) == .algorithmNotAllowed)
        #expect(outcome(of: token, [], [.rs256]) == .algorithmNotAllowed)
        #expect(outcome(of: token, [Keys.rsa], [.hs256]) == .keyMismatch)
        #expect(outcome(of: token, [Keys.secret.bound(keyID: "x")], [.hs256]) == accepted)
    }

    @Test("T65 an empty list of algorithms rejects every token (RFC 8725, 3.1)")
    func emptyList() throws {
        let token = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: "x", with: Keys.secret, .hs256)
        #expect(outcome(of: token, [Keys.secret], []) == .algorithmNotAllowed)
        #expect(outcome(of: token, [Keys.secret], [.hs256]) == accepted)
        let jwe = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM"}"#, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
        #expect(outcome(of: jwe, [Keys.secret], [], [.a256gcm]) == .algorithmNotAllowed)
        #expect(outcome(of: jwe, [Keys.secret], [.dir], []) == .algorithmNotAllowed)
        #expect(outcome(of: jwe, [Keys.secret], [.dir], [.a256gcm]) == accepted)
    }
}
