import Foundation
import JOSE
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("Samples: keys") struct KeySamples {
    /// A key that was made for this test: `openssl genpkey -algorithm ED25519 -aes256 -pass pass:"correct horse"`.
    private static let encryptedPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAijF3GjBhzzDQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAv25YpkYSRtlndePEMfy9MEQPEf
        z3d6ksVUVLFZsSStslY6WrfJ2YoetAk6YxOBOk/e/me74dJwzGp/Cs3BSV0hDUjh
        e6mCgXIL3D6GdblWHJQ=
        -----END ENCRYPTED PRIVATE KEY-----
        """

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

        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ bytes: [UInt8], to name: String) throws {
            try Data(bytes).write(to: URL(filePath: folder + "/" + name))
        }
        try write(pem, to: "signing.pem")
        try write(Array(Self.encryptedPEM.utf8), to: "encrypted.pem")
        try write(jwk, to: "signing.jwk")
        try write(secretJWK, to: "secret.jwk")
        // Sample: read keys
        let fromPEM = try PrivateKey(pem: String(contentsOfFile: folder + "/signing.pem", encoding: .utf8))
        let encrypted = try Data(contentsOf: URL(filePath: folder + "/encrypted.pem"))
        let fromEncryptedPEM = try PrivateKey(pem: encrypted, passphrase: passphrase)
        let fromJWK = try PrivateKey(jwk: String(contentsOfFile: folder + "/signing.jwk", encoding: .utf8))
        let fromSecretJWK = try SecretKey(jwk: String(contentsOfFile: folder + "/secret.jwk", encoding: .utf8))
        let whichever = try JWK(parsing: String(contentsOfFile: folder + "/signing.jwk", encoding: .utf8))
        // Sample: end
        #expect(fromPEM == signing && fromJWK == signing && fromSecretJWK == secret)
        #expect(fromEncryptedPEM.kind == .ed25519 && whichever.keyID == "2026-11")
        #expect(throws: JOSEError.keyInvalid(.passphrase)) { try PrivateKey(pem: encrypted) }

        // Sample: name a key
        var named = try PrivateKey(pem: String(contentsOfFile: folder + "/signing.pem", encoding: .utf8))
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

    @Test("a secret of the environment signs and verifies") func environment() throws {
        // Sample: a secret of the environment
        struct MissingVariable: Error {
            let name: String
        }

        func secret(
            named name: String, in environment: [String: String] = ProcessInfo.processInfo.environment
        ) throws -> SecretKey {
            guard let text = environment[name], let bytes = Data(base64Encoded: text) else {
                throw MissingVariable(name: name)
            }
            return try SecretKey(bytes: bytes)
        }
        // Sample: end
        let shared = try secret(named: "SHOP_SECRET", in: ["SHOP_SECRET": Data(0..<32).base64EncodedString()])
        #expect(throws: MissingVariable.self) { try secret(named: "SHOP_SECRET", in: [:]) }
        #expect(throws: MissingVariable.self) { try secret(named: "SHOP_SECRET", in: ["SHOP_SECRET": "not base64"]) }

        // Sample: use a secret
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "shop", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: shared)
        let verifier = try TokenVerifier(policy, verificationKeys: shared)
        // Sample: end
        #expect(try verifier.verify(issuer.issue(["sub": "u-1"])).claims.subject == "u-1")
        #expect(throws: TokenError.self) { try TokenIssuer(policy, signingKey: SecretKey(bytes: Array(0..<31))) }
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
