import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("A verifier that could accept no token fails when it is made") struct ConfigurationTests {
    private let ec: PrivateKey
    private let rsa: PrivateKey
    private let claims = ClaimPolicy(issuer: "https://i.test", audience: "a")

    init() throws {
        ec = try PrivateKey.generate(.p256, keyID: "ec")
        rsa = try PrivateKey.stored(keyID: "rsa")
    }

    private func fault(_ make: () throws(TokenError) -> some Any) -> TokenError? {
        do throws(TokenError) {
            _ = try make()
            return nil
        } catch { return error }
    }

    private func fault(_ make: () throws(JOSEError) -> some Any) -> JOSEError? {
        do throws(JOSEError) {
            _ = try make()
            return nil
        } catch { return error }
    }

    @Test("no algorithm, no key and no key that fits are rejected by a verifier of tokens, with the layer")
    func tokens() throws {
        let signed = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        func verifier(_ policy: TokenPolicy, _ keys: KeySet, _ decryption: KeySet = .empty) -> TokenError? {
            fault { () throws(TokenError) in
                try TokenVerifier(policy, verificationKeys: keys, decryptionKeys: decryption)
            }
        }
        func error(_ fault: ConfigurationFault, _ layer: TokenLayer = .signature) -> TokenError {
            .jose(.configurationInvalid(fault), layer: layer)
        }
        #expect(verifier(signed, KeySet(ec.publicKey)) == nil)
        #expect(verifier(signed, .empty) == error(.noKeys))
        #expect(verifier(signed, KeySet(rsa.publicKey)) == error(.noSuitableKey(.kind)))
        // One key that fits suffices.
        #expect(verifier(signed, KeySet([.publicKey(rsa.publicKey), .publicKey(ec.publicKey)])) == nil)
        let none = TokenPolicy.signed(SignaturePolicy(algorithms: []), claims: claims)
        #expect(verifier(none, KeySet(ec.publicKey)) == error(.noAlgorithms))
        let p384 = try PrivateKey.generate(.p384)
        #expect(verifier(signed, KeySet(p384.publicKey)) == error(.noSuitableKey(.curve)))

        let outer = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm])
        let nested = TokenPolicy.nested(outer: outer, inner: SignaturePolicy(algorithms: [.es256]), claims: claims)
        #expect(verifier(nested, KeySet(ec.publicKey), KeySet(rsa)) == nil)
        #expect(verifier(nested, KeySet(ec.publicKey)) == error(.noKeys, .encryption))
        #expect(verifier(nested, KeySet(ec.publicKey), KeySet(ec)) == error(.noSuitableKey(.kind), .encryption))
        // A public key decrypts nothing.
        #expect(
            verifier(nested, KeySet(ec.publicKey), KeySet(rsa.publicKey))
                == error(.noSuitableKey(.publicKey), .encryption))
        #expect(verifier(nested, .empty, KeySet(rsa)) == error(.noKeys))
        let noContent = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [])
        #expect(
            verifier(.encrypted(noContent, claims: claims), .empty, KeySet(rsa)) == error(.noAlgorithms, .encryption))
        #expect(verifier(.encrypted(outer, claims: claims), .empty, KeySet(rsa)) == nil)
    }

    @Test("each of several issuers needs a key that fits") func severalIssuers() throws {
        func verifier(_ keys: KeySet) -> TokenError? {
            fault { () throws(TokenError) in
                let good = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
                let other = TokenPolicy.signed(
                    SignaturePolicy(algorithms: [.rs256]),
                    claims: ClaimPolicy(issuer: "https://j.test", audience: "a"))
                return try TokenVerifier(issuers: [
                    TrustedIssuer(good, keys: KeySet(ec.publicKey)), TrustedIssuer(other, keys: keys),
                ])
            }
        }
        #expect(verifier(KeySet(rsa.publicKey)) == nil)
        #expect(
            verifier(KeySet(ec.publicKey))
                == .jose(.configurationInvalid(.noSuitableKey(.kind)), layer: .signature))
    }

    @Test("keys that may change are not examined") func notExamined() throws {
        let signed = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        let changing = ChangingKeys(.empty)
        let verifier = try TokenVerifier(signed, verificationKeys: changing)
        let token = try TokenIssuer(signed, signingKey: ec).issue(["sub": "u"])
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verifier.verify(token) }
        changing.set(KeySet(ec.publicKey))
        #expect(try verifier.verify(token).claims.subject == "u")
        #expect(throws: Never.self) {
            try JWSVerifier(keys: ChangingKeys(.empty), policy: SignaturePolicy(algorithms: [.es256]))
        }
    }

    @Test("trusted certificates need no keys, unless the policy accepts MACs only, of which no certificate has a key")
    func certificates() throws {
        let root = try CertificateMaker().issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let trust = try CertificateTrust(roots: [Certificate(pem: root.pem)])
        func verifier(_ algorithms: [SignatureAlgorithm], _ trust: CertificateTrust?) -> JOSEError? {
            fault { () throws(JOSEError) in
                try JWSVerifier(keys: KeySet.empty, policy: SignaturePolicy(algorithms: algorithms), trust: trust)
            }
        }
        #expect(verifier([.es256], trust) == nil)
        #expect(verifier([.hs256, .es256], trust) == nil)
        #expect(verifier([.hs256], trust) == .configurationInvalid(.noKeys))
        #expect(verifier([.es256], nil) == .configurationInvalid(.noKeys))
    }

    @Test("a key for dir has the size of an accepted content encryption, and the alg of one if it names one")
    func direct() throws {
        func decrypter(_ key: SecretKey, _ content: ContentEncryption) -> JOSEError? {
            fault { () throws(JOSEError) in
                try JWEDecrypter(
                    keys: KeySet(key), policy: EncryptionPolicy(keyManagement: [.dir], contentEncryption: [content]))
            }
        }
        var short = try SecretKey.generate(bits: 128)
        #expect(decrypter(short, .a128gcm) == nil)
        #expect(decrypter(short, .a256gcm) == .configurationInvalid(.noSuitableKey(.size)))
        short.algorithm = "A128GCM"
        #expect(decrypter(short, .a128gcm) == nil)
        var long = try SecretKey.generate(bits: 256)
        long.algorithm = "A128CBC-HS256"
        #expect(decrypter(long, .a128cbcHS256) == nil)
        #expect(decrypter(long, .a256gcm) == .configurationInvalid(.noSuitableKey(.algorithm)))
    }

    @Test("of several keys that do not fit, one of the right kind gives the reason") func reasons() throws {
        let p384 = try PrivateKey.generate(.p384)
        func verifier(_ keys: [PublicKey]) -> JOSEError? {
            fault { () throws(JOSEError) in
                try JWSVerifier(
                    keys: KeySet(keys.map { .publicKey($0) }), policy: SignaturePolicy(algorithms: [.es256]))
            }
        }
        #expect(verifier([rsa.publicKey, p384.publicKey]) == .configurationInvalid(.noSuitableKey(.curve)))
        #expect(verifier([rsa.publicKey, p384.publicKey, ec.publicKey]) == nil)
    }

    @Test("a decrypter with external keys and a verifier of DPoP proofs are checked as well") func others() throws {
        func decrypter(_ algorithms: [KeyManagementAlgorithm], _ keys: any KeySource = KeySet.empty) -> JOSEError? {
            fault { () throws(JOSEError) in
                try JWEDecrypter(
                    keys: keys, externalKeys: [.agreement(RemoteAgreement(ec))],
                    policy: EncryptionPolicy(keyManagement: algorithms, contentEncryption: [.a128gcm]))
            }
        }
        #expect(decrypter([.ecdhES]) == nil)
        #expect(decrypter([]) == .configurationInvalid(.noAlgorithms))
        #expect(decrypter([.rsaOAEP]) == .configurationInvalid(.noSuitableKey(.kind)))
        #expect(decrypter([.rsaOAEP], rsa) == nil)
        #expect(decrypter([.rsaOAEP], ChangingKeys(.empty)) == nil)
        #expect(fault { () throws(TokenError) in try DPoPVerifier(algorithms: [.es256], replayStore: nil) } == nil)
        #expect(
            fault { () throws(TokenError) in try DPoPVerifier(algorithms: [.hs256], replayStore: nil) }
                == .jose(.configurationInvalid(.noAlgorithms), layer: .signature))
    }

    @Test("verifiers of single layers and of SD-JWTs are checked as well") func layers() throws {
        let policy = SignaturePolicy(algorithms: [.es256])
        #expect(fault { () throws(JOSEError) in try JWSVerifier(keys: ec.publicKey, policy: policy) } == nil)
        #expect(
            fault { () throws(JOSEError) in try JWSVerifier(keys: rsa.publicKey, policy: policy) }
                == .configurationInvalid(.noSuitableKey(.kind)))
        #expect(
            fault { () throws(JOSEError) in try JWSVerifier(keys: KeySet.empty, policy: policy) }
                == .configurationInvalid(.noKeys))
        let encryption = EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm])
        #expect(fault { () throws(JOSEError) in try JWEDecrypter(keys: rsa, policy: encryption) } == nil)
        #expect(
            fault { () throws(JOSEError) in try JWEDecrypter(keys: KeySet.empty, policy: encryption) }
                == .configurationInvalid(.noKeys))
        #expect(
            fault { () throws(TokenError) in
                try SDJWTVerifier(policy, claims: claims, verificationKeys: ec.publicKey)
            } == nil)
        #expect(
            fault { () throws(TokenError) in try SDJWTVerifier(policy, claims: claims) }
                == .jose(.configurationInvalid(.noKeys), layer: .signature))
    }

    @Test("the error says what is missing, and has the code configuration_invalid") func description() {
        let error = TokenError.jose(.configurationInvalid(.noSuitableKey(.curve)), layer: .signature)
        #expect(error.code == "configuration_invalid" && !error.isRetryable)
        #expect(
            "\(error)".hasPrefix(
                "signature layer: no token could be accepted: no key fits an algorithm of the policy: "))
    }
}
