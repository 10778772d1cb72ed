import JOSE
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("Samples: keys") struct KeySamples {
    @Test("keys are generated, read, named and written") func keys() throws {
        // Sample: generate keys
        let signing = try PrivateKey.generate(.p256, keyID: "2026-11")
        let decryption = try PrivateKey.generate(.rsa(bits: 3072), keyID: "e-2026")
        let secret = try SecretKey.generate(bits: 256, keyID: "cookies")
        // Sample: end
        #expect(secret.kind == .octets(bits: 256) && decryption.kind == .rsa(bits: 3072))

        // Sample: bind a key
        var bound = signing
        bound.use = .signature
        bound.algorithm = SignatureAlgorithm.es256.name
        bound.keyID = try bound.publicKey.thumbprintURI()
        // Sample: end
        #expect(throws: JOSEError.keyUnsuitable(.kind)) { try JWSSigner(key: bound, algorithm: .rs256) }
        _ = try JWSSigner(key: bound, algorithm: .es256)

        // Sample: publish keys
        let published = KeySet([.privateKey(signing), .privateKey(decryption)]).jwks()
        let one = signing.publicKey.jwk()
        // Sample: end
        #expect(try KeySet(parsing: published, as: .publicOnly).keys.count == 2)
        #expect(try PublicKey(jwk: one) == signing.publicKey)

        let passphrase = Array("correct horse".utf8)
        // Sample: export keys
        let jwk = try signing.exportPrivateJWK()
        let pem = try signing.exportPrivatePEM(.pkcs8)
        let secretJWK = secret.exportSecretJWK()
        // Sample: end

        // Sample: read keys
        let fromJWK = try PrivateKey(jwk: jwk.span)
        let fromPEM = try PrivateKey(pem: pem.span, passphrase: passphrase)
        let fromSecret = try SecretKey(jwk: secretJWK.span)
        let whichever = try JWK(parsing: jwk)
        // Sample: end
        #expect(fromJWK == signing && fromPEM == signing && fromSecret == secret && whichever.keyID == "2026-11")

        // Sample: name a key
        var named = try PrivateKey(pem: pem.span, passphrase: passphrase)
        named.keyID = "2026-11"
        let namedSet = KeySet(named).jwks()
        // Sample: end
        #expect(fromPEM.keyID == nil)
        #expect(try KeySet(parsing: namedSet, as: .publicOnly).keys.first?.keyID == "2026-11")

        let text = #"{"keys":[\#(one),{"kty":"EC","crv":"P-999","kid":"new"}]}"#
        // Sample: read a set
        let set = try KeySet(parsing: text, as: .publicOnly)
        for key in set.unusable {
            print("set aside: \(key)")
        }
        // Sample: end
        #expect(set.keys.count == 1 && set.unusable.first?.keyID == "new")
    }

    @Test("a trust with revocation data rejects revoked certificates") func revocation() throws {
        let maker = try CertificateMaker()
        let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let issuer = try maker.issue("Issuer", by: root, extensions: CertificateMaker.Extensions.authority, days: 365)
        let leaves = try ["good", "bad"].map {
            try maker.issue($0, by: issuer, extensions: CertificateMaker.Extensions.leaf)
        }
        let roots = [try Certificate(pem: root.pem)]
        let rootList = try maker.revocationList(by: root)
        let issuerList = try maker.revocationList(by: issuer, revoked: [leaves[1]])
        // Sample: revocation data
        let revocation = try CertificateRevocation(lists: [rootList, issuerList], responses: [], rule: .required)
        let trust = try CertificateTrust(roots: roots, revocation: revocation)
        // Sample: end
        try trust.verify(CertificateChain(pem: leaves[0].pem + issuer.pem))
        #expect(throws: JOSEError.certificateInvalid(.revoked)) {
            try trust.verify(CertificateChain(pem: leaves[1].pem + issuer.pem))
        }
    }

    @Test("key rotation rejects no valid token") func rotation() throws {
        let old = try PrivateKey.generate(.p256, keyID: "2026-10")
        let new = try PrivateKey.generate(.p256, keyID: "2026-11")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        // Sample: publish the next key
        let published = KeySet([.privateKey(old), .privateKey(new)]).jwks()
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(old))
        // Sample: end

        // Sample: replace a verifier
        final class Gate: Sendable {
            private let current: Mutex<TokenVerifier>
            private let policy: TokenPolicy

            init(_ policy: TokenPolicy, jwks: String) throws {
                self.policy = policy
                current = Mutex(try Self.verifier(policy, jwks))
            }

            func verify(_ token: String) throws(TokenError) -> VerifiedToken {
                let verifier = current.withLock { $0 }
                return try verifier.verify(token)
            }

            /// A set that does not parse changes nothing.
            func replaceKeys(_ jwks: String) throws {
                let next = try Self.verifier(policy, jwks)
                current.withLock { $0 = next }
            }

            private static func verifier(_ policy: TokenPolicy, _ jwks: String) throws -> TokenVerifier {
                try TokenVerifier(policy, verificationKeys: KeySet(parsing: jwks, as: .publicOnly))
            }
        }
        // Sample: end
        let presentKeys = try KeySet(parsing: KeySet(old).jwks())
        // Sample: compare key sets
        let fetched = try KeySet(parsing: published, as: .publicOnly)
        let difference = fetched.difference(from: presentKeys)
        for change in difference.replaced {
            print("alarm: another key under the name \(change.keyID ?? "-")")
        }
        // Sample: end
        #expect(difference.added.count == 1 && difference.replaced.isEmpty)

        let limiter = try Gate(policy, jwks: KeySet(old).jwks())
        _ = try limiter.verify(issuer.issue())
        let next = try TokenIssuer(policy, signingKey: .privateKey(new)).issue()
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try limiter.verify(next) }
        #expect(throws: JOSEError.self) { try limiter.replaceKeys("{}") }
        try limiter.replaceKeys(published)
        _ = try limiter.verify(next)
        _ = try limiter.verify(issuer.issue())
    }

    @Test("an old key still decrypts beside a new one") func decryptionKeys() throws {
        let policy = TokenPolicy.encrypted(
            EncryptionPolicy(keyManagement: [.ecdhESA256KW], contentEncryption: [.a256gcm]),
            claims: ClaimPolicy(issuer: "a", audience: "b"))
        let oldKey = try PrivateKey.generate(.x25519, keyID: "e1")
        let newKey = try PrivateKey.generate(.x25519, keyID: "e2")
        // Sample: decrypt with both
        let verifier = try TokenVerifier(
            policy, decryptionKeys: KeySet([.privateKey(newKey), .privateKey(oldKey)]))
        // Sample: end
        for key in [oldKey, newKey] {
            let token = try TokenIssuer(policy, encryptionKey: .publicKey(key.publicKey)).issue()
            _ = try verifier.verify(token)
        }
    }

    @Test("parsing limits of a policy can be set") func limits() throws {
        // Sample: set limits
        var limits = ParsingLimits.standard
        limits.tokenBytes = 8 * 1024
        limits.headerBytes = 1024
        limits.plaintextBytes = 8 * 1024

        var signature = SignaturePolicy(algorithms: [.es256])
        signature.limits = limits
        let policy = TokenPolicy.signed(
            signature, claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        // Sample: end
        let key = try PrivateKey.generate(.p256)
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        let long = ClaimsBuilder(dictionaryLiteral: ("text", .string(String(repeating: "a", count: 9_000))))
        let signer = try JWSSigner(key: key, algorithm: .es256)
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try verifier.verify(signer.sign(String(repeating: "a", count: 9_000)))
        }
        #expect(throws: TokenError.self) { try TokenIssuer(policy, signingKey: .privateKey(key)).issue(long) }
        _ = try verifier.verify(TokenIssuer(policy, signingKey: .privateKey(key)).issue(["text": "short"]))

        // Sample: allow a password
        var encryption = EncryptionPolicy(
            keyManagement: [.pbes2HS256A128KW], contentEncryption: [.a128cbcHS256])
        encryption.limits.maxPBKDF2Iterations = 400_000
        // Sample: end
        let password = try SecretKey(bytes: Array("correct horse battery staple".utf8))
        let decrypter = try JWEDecrypter(keys: KeySet(password), policy: encryption)
        func encrypted(_ iterations: Int) throws -> String {
            var header = HeaderParameters()
            header.passwordIterations = iterations
            return try JWEEncrypter(
                key: password, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128cbcHS256, header: header
            ).encrypt("x")
        }
        #expect(try decrypter.decrypt(encrypted(1_000)).plaintext == [0x78])
        #expect(throws: JOSEError.limitExceeded(.iterations)) { try decrypter.decrypt(encrypted(400_001)) }
    }
}
