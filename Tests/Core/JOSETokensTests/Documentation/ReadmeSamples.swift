import JOSE
import JOSETokens
import Testing

@Suite("README samples") struct ReadmeSamples {
    @Test("a token is signed and verified") func signAndVerify() throws {
        // Sample: README, sign
        let signingKey = try PrivateKey.generate(.p256, keyID: "2026-11")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(signingKey), lifetime: .seconds(600))
        let token = try issuer.issue(["sub": "248289761001", "roles": ["buyer"]])
        // Sample: end

        // Sample: README, verify
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(signingKey.publicKey))

        struct User: Decodable {
            let sub: String
            let roles: [String]
        }
        let user = try verifier.verify(token, as: User.self)
        // Sample: end
        #expect(user.sub == "248289761001")
        #expect(user.roles == ["buyer"])
    }

    @Test("a nested token is decrypted and verified") func nested() throws {
        let ours = try PrivateKey.generate(.rsa(bits: 2048), keyID: "e1")
        let theirs = try PrivateKey.generate(.rsa(bits: 2048), keyID: "s1")
        let theirKeys = KeySet(theirs.publicKey).jwks()
        // Sample: README, nested
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256]),
            inner: SignaturePolicy(algorithms: [.rs256]),
            claims: ClaimPolicy(issuer: "https://idp.example.com/v2", audience: "my-client-id"))

        let verifier = try TokenVerifier(
            policy,
            verificationKeys: KeySet(parsing: theirKeys, as: .publicOnly),
            decryptionKeys: KeySet(ours))

        func login(_ idToken: String) throws(TokenError) -> String? {
            let token = try verifier.verify(idToken)
            return token.claims.subject
        }
        // Sample: end
        let issuer = try TokenIssuer(
            policy, signingKey: .privateKey(theirs), encryptionKey: .publicKey(ours.publicKey))
        #expect(try login(issuer.issue(["sub": "u-1"])) == "u-1")
    }

    @Test("the error states what failed") func errors() throws {
        let key = try SecretKey.generate(bits: 256)
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "https://a.example", audience: "b"))
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key))
        let token = try TokenIssuer(policy, signingKey: .symmetricKey(key)).issue()
        var answer = ""
        // Sample: README, errors
        do throws(TokenError) {
            _ = try verifier.verify(token)
        } catch .claim(.expired) {
            answer = "log in again"
        } catch .jose(.keyNotFound, layer: .signature) {
            answer = "fetch the issuer's keys anew"
        } catch {
            answer = "refused: \(error)"  // safe to log: errors hold nothing of the token
        }
        for line in verifier.explain(token).lines where line.outcome == .failed {
            print(line.check, line.failure ?? "", line.remedy ?? "")
        }
        // Sample: end
        #expect(answer.isEmpty)
    }
}
