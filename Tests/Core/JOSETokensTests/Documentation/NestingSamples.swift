import JOSE
import JOSETokens
import Testing

@Suite("Samples: nesting") struct NestingSamples {
    @Test("a nested token is signed, then encrypted") func nested() throws {
        let theirs = try PrivateKey.generate(.p256, keyID: "s1")
        let ours = try PrivateKey.generate(.x25519, keyID: "e1")
        let verificationKeys = KeySet(theirs.publicKey)
        // Sample: nested policy
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhESA256KW], contentEncryption: [.a256gcm]),
            inner: SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "client-7"))
        // Sample: end

        // Sample: issue nested
        let issuer = try TokenIssuer(
            policy, signingKey: .privateKey(theirs), encryptionKey: .publicKey(ours.publicKey))
        let token = try issuer.issue(["sub": "248289761001"])
        // Sample: end

        // Sample: verify nested
        let verifier = try TokenVerifier(policy, verificationKeys: verificationKeys, decryptionKeys: KeySet(ours))
        let verified = try verifier.verify(token)
        let signedWith = verified.algorithm
        let encryptedWith = verified.encryptionHeader?.algorithmName
        // Sample: end
        #expect(signedWith == .es256 && encryptedWith == "ECDH-ES+A256KW")

        let signed = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: policy.claims), signingKey: .privateKey(theirs))
        #expect(throws: TokenError.self) { try verifier.verify(signed.issue(["sub": "1"])) }
    }

    @Test("a token is encrypted without a signature") func encrypted() throws {
        // Sample: encrypted with a shared key
        let shared = try SecretKey.generate(bits: 256, keyID: "session")
        let policy = TokenPolicy.encrypted(
            EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm]),
            claims: ClaimPolicy(issuer: "https://shop.example", audience: "https://shop.example"))
        let cookie = try TokenIssuer(policy, encryptionKey: .symmetricKey(shared)).issue(["cart": "17"])
        let cart = try TokenVerifier(policy, decryptionKeys: KeySet(shared)).verify(cookie).claims.string("cart")
        // Sample: end
        #expect(cart == "17")

        let first = try PrivateKey.generate(.x25519, keyID: "first")
        let second = try PrivateKey.generate(.rsa(bits: 2048), keyID: "second")
        // Sample: encrypt bytes
        let encrypter = try JWEEncrypter(
            key: first.publicKey, keyManagement: .ecdhESA256KW, contentEncryption: .a256gcm)
        let jwe = try encrypter.encrypt("for one reader")

        let decrypter = try JWEDecrypter(
            keys: KeySet(first),
            policy: EncryptionPolicy(keyManagement: [.ecdhESA256KW], contentEncryption: [.a256gcm]))
        let plaintext = try decrypter.decrypt(jwe).plaintext
        // Sample: end
        #expect(plaintext == Array("for one reader".utf8))

        // Sample: encrypt to several
        let other = try JWEEncrypter(key: second.publicKey, keyManagement: .rsaOAEP256, contentEncryption: .a256gcm)
        let json = try JSONEncrypter([encrypter, other]).encrypt("for two readers")
        let decrypted = try decrypter.decrypt(json: json)
        // Sample: end
        #expect(decrypted.plaintext == Array("for two readers".utf8) && decrypted.index == 0)
    }
}
