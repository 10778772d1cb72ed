import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Threats: leaks of secrets") struct SecretThreats {
    private static let canary = "canary-7f3a91"

    /// Returns all texts that a log could contain of a value: its description, debug description, dump, and mirror down to the
    /// leaves.
    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var leaves = ""
        func walk(_ mirror: Mirror, _ depth: Int) {
            guard depth < 12 else { return }
            for child in mirror.children {
                leaves += "\(child.label ?? ""): \(child.value); \(String(reflecting: child.value))\n"
                walk(Mirror(reflecting: child.value), depth + 1)
            }
        }
        walk(Mirror(reflecting: value), 0)
        return ["\(value)", String(reflecting: value), dumped, leaves]
    }

    /// Returns whether a text contains `secret`: as it is, in hexadecimal, in base64url, or as the list of its bytes.
    private func shows(_ text: String, _ secret: [UInt8]) -> Bool {
        let inner = Array(secret.dropFirst(3).prefix(9))
        if text.utf8.count >= secret.count, let plain = String(validating: secret, as: UTF8.self), text.contains(plain)
        {
            return true
        }
        let lower = text.lowercased()
        if lower.contains(hex(secret.prefix(8))) || lower.contains(hex(inner)) { return true }
        // The search uses six bytes at each of the three offsets of base64.
        for start in 0..<3 where secret.count >= start + 6 {
            if text.contains(base64URL(secret[start..<(start + 6)])) { return true }
        }
        let numbers = text.split { !$0.isASCII || !$0.isNumber }.compactMap { UInt8($0) }
        guard numbers.count >= inner.count else { return false }
        return (0...(numbers.count - inner.count)).contains { numbers[$0..<($0 + inner.count)].elementsEqual(inner) }
    }

    private func expectHidden(_ value: Any, _ secrets: [[UInt8]], _ name: String) {
        for text in texts(value) {
            for (index, secret) in secrets.enumerated() {
                let shown = shows(text, secret)
                #expect(!shown, "\(name) shows secret \(index)")
            }
        }
    }

    @Test("T58 a wrong byte anywhere in a tag is rejected with the same error")
    func comparison() throws {
        for algorithm in [SignatureAlgorithm.hs256, .hs384, .hs512] {
            let input = Forge.input(header: #"{"alg":"\#(algorithm)"}"#, payload: "x")
            let good = try Forge.signature(of: Array(input.utf8), with: Keys.longSecret, algorithm)
            for place in good.indices {
                var wrong = good
                wrong[place] ^= 0x10
                #expect(
                    outcome(of: Forge.token(input, signature: wrong), [Keys.longSecret], [algorithm])
                        == .signatureInvalid)
            }
            for count in 0..<good.count {
                let cut = Forge.token(input, signature: Array(good[..<count]))
                #expect(outcome(of: cut, [Keys.longSecret], [algorithm]) == .signatureInvalid)
            }
            #expect(outcome(of: Forge.token(input, signature: good), [Keys.longSecret], [algorithm]) == accepted)
        }
    }

    @Test("T59 no error contains the token, the key or the expected value (RFC 8725, 2.4)")
    func errors() throws {
        let canary = Self.canary
        for kind in [TestIssuer.Form.signed, .nested] {
            let issuer = try TestIssuer(
                kind, issuer: "https://\(canary).test", audience: canary, signature: .hs256, keyManagement: .a128kw)
            let verifier = try issuer.verifier()
            let good = try issuer.forged()
            let parts = good.split(separator: ".").map { String($0) }
            var secrets = [Array(canary.utf8)]
            for part in parts { secrets.append(try #require(Forge.decoded(part))) }
            guard case .symmetricKey(let key) = issuer.signingKey,
                case .string(let k)? = try JSON(key.exportSecretJWK())["k"]
            else { return }
            secrets.append(try #require(bytes(base64URL: k)))
            var seen: Set<Refusal> = []
            for token in try issuer.hostileTokens() {
                do throws(TokenError) {
                    _ = try verifier.verify(token.text)
                } catch {
                    seen.insert(Refusal(error))
                    expectHidden(error, secrets, "\(token)")
                }
            }
            #expect(seen.count >= 9)
            // The search finds a text that contains the secret.
            #expect(shows("\(try verifier.verify(good).claims.audience)", Array(canary.utf8)))
            #expect(
                shows("\(secrets[1])", secrets[1]) && shows(hex(secrets[1]), secrets[1]) && shows(parts[0], secrets[1]))
        }
    }

    @Test("X15 errors of keys and descriptions of key sets contain nothing of the input")
    func keyErrors() throws {
        let canary = Self.canary
        let secret = Array((canary + canary + canary).utf8)
        let text = base64URL(secret)
        for jwk in [
            #"{"kty":"\#(canary)"}"#, #"{"kty":"oct","k":"\#(text)="}"#, #"{"kty":"EC","crv":"\#(canary)"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(text)","y":"\#(text)","d":"\#(text)"}"#,
            #"{"kty":"oct","k":"\#(text)","x":}"#,
            #"{"kty":"RSA","n":"\#(text)","e":"AQAB","d":"\#(text)"}"#, #"{"kty":"oct","k":"\#(text)","use":1}"#, text,
        ] {
            do throws(JOSEError) {
                _ = try JWK(parsing: jwk)
                Issue.record("accepted")
            } catch {
                expectHidden(error, [secret, Array(canary.utf8)], "\(jwk.prefix(20))")
            }
            do throws(JOSEError) {
                let set = try KeySet(parsing: #"{"keys":[\#(jwk)]}"#)
                expectHidden(set, [secret, Array(canary.utf8)], "set of \(jwk.prefix(20))")
            } catch {
                expectHidden(error, [secret, Array(canary.utf8)], "set of \(jwk.prefix(20))")
            }
        }
        for pem in ["-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n", canary] {
            do throws(JOSEError) {
                _ = try PrivateKey(pem: pem, passphrase: Array(canary.utf8))
                Issue.record("accepted")
            } catch {
                expectHidden(error, [secret, Array(canary.utf8)], "PEM")
            }
        }
        #expect(verdict { () throws(JOSEError) in try JWK(parsing: #"{"kty":"oct","k":"\#(text)"}"#) } == accepted)
    }

    @Test("T68 the description of a key contains its kind and its kid only")
    func keys() throws {
        let pairs = [Keys.mlDSA44].compactMap { $0 }
        for key in [
            Keys.rsa, Keys.p256, Keys.p384, Keys.p521, Keys.secp256k1, Keys.ed25519, Keys.ed448, Keys.x25519, Keys.x448,
            Keys.secret, Keys.longSecret,
        ] + pairs {
            let named = key.bound(keyID: "the-name")
            let exported: [UInt8]
            switch named {
            case .privateKey(let key): exported = try key.exportPrivateJWK()
            case .symmetricKey(let key): exported = key.exportSecretJWK()
            case .publicKey: continue
            }
            let json = try JSON(exported)
            let secrets = ["d", "k", "p", "q", "dp", "dq", "qi", "priv"].compactMap {
                json[$0]?.string.flatMap { bytes(base64URL: $0) }
            }
            #expect(!secrets.isEmpty)
            let set = KeySet([named, named.shown])
            var values: [(String, Any)] = [
                ("JWK", named), ("set", set), ("optional", Optional(named) as Any), ("list", [named]),
            ]
            switch named {
            case .privateKey(let key):
                values.append(("private key", key))
                values.append(("public half", key.publicKey))
                if ![.x25519, .x448].contains(named.kind), case .privateKey(let raw) = named {
                    let algorithm = try #require(Keys.signing.first { $0.1.kind == named.kind }).0
                    values.append(("signer", try JWSSigner(key: raw, algorithm: algorithm)))
                }
            case .symmetricKey(let key):
                values.append(("symmetric key", key))
                values.append(("signer", try JWSSigner(key: key, algorithm: .hs256)))
            case .publicKey: break
            }
            values.append(
                (
                    "verifier",
                    JWSVerifier(unexaminedKeys: set, policy: SignaturePolicy(algorithms: SignatureAlgorithm.all))
                ))
            let policy = EncryptionPolicy(
                keyManagement: KeyManagementAlgorithm.all, contentEncryption: ContentEncryption.all)
            values.append(("decrypter", JWEDecrypter(unexaminedKeys: set, policy: policy)))
            for (name, value) in values { expectHidden(value, secrets, "\(named.kind) \(name)") }
            #expect("\(named)".contains("the-name") && "\(named)".contains("\(named.kind)"))
        }
        // A `kid` cannot add a line of its own (row K26).
        let rude = Keys.secret.bound(keyID: "a\n2024 ERROR \u{1B}[2J" + String(repeating: "x", count: 500))
        #expect("\(rude)".utf8.count < 120 && !"\(rude)".utf8.contains { $0 < 0x20 })
    }

    @Test("T68 descriptions of verifiers, tokens and policies contain neither keys nor contents of tokens")
    func values() throws {
        let canary = Self.canary
        let secrets = [Array(canary.utf8)]
        for form in TestIssuer.Form.allCases {
            let issuer = try TestIssuer(form, signature: .hs256, keyManagement: .dir) { policy in
                policy.nonce = canary
                policy.accessToken = form == .encrypted ? nil : canary
                policy.code = form == .encrypted ? nil : canary
                policy.subject = canary
            }
            let verifier = try issuer.verifier()
            let issued = try issuer.issue(["email": .string(canary), "nested": ["x": .string(canary)]])
            let token = try verifier.verify(issued)
            #expect(token.claims.string("email") == canary)
            expectHidden(token, secrets, "\(form) verified token")
            expectHidden(token.claims, secrets, "\(form) claims")
            expectHidden(verifier, secrets, "\(form) verifier")
            expectHidden(issuer.policy, secrets, "\(form) policy")
            expectHidden(issuer.policy.claims, secrets, "\(form) claim policy")
            expectHidden(verifier.explain(issued), secrets, "\(form) explanation")
        }
        let text = Array(canary.utf8) + Array(repeating: 65, count: 20)
        let jws = try Forge.signed(
            header: Array(#"{"alg":"HS256","x":"\#(canary)"}"#.utf8), payload: text, with: Keys.secret, .hs256)
        let verified = try JWSVerifier(keys: KeySet(Keys.secret), policy: SignaturePolicy(algorithms: [.hs256])).verify(
            jws)
        expectHidden(verified, secrets, "verified JWS")
        expectHidden(verified.header, secrets, "header")
        expectHidden(
            try UnverifiedToken(
                try Forge.signed(
                    header: #"{"alg":"HS256"}"#, payload: claims(("sub", #""\#(canary)""#)), with: Keys.secret, .hs256)),
            secrets, "unverified")
        let jwe = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM"}"#, plaintext: text, with: Keys.secret, .dir, .a256gcm)
        let policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        let decrypted = try JWEDecrypter(keys: KeySet(Keys.secret), policy: policy).decrypt(jwe)
        #expect(decrypted.plaintext == text)
        expectHidden(decrypted, secrets, "decrypted JWE")
        let claims: ClaimsBuilder = ["email": .string(canary)]
        expectHidden(claims, secrets, "claims to be issued")
    }
}
