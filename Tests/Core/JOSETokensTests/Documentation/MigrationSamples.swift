import Foundation
import JOSE
import JOSETokens
import Testing

@Suite("Samples: migrating") struct MigrationSamples {
    @Test("the counterparts of jwt-kit's calls work") func fromJWTKit() throws {
        let privateKey = try PrivateKey.generate(.p256, keyID: "k1")
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try Data(privateKey.exportPrivatePEM()).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let jwks = KeySet(privateKey).jwks()
        let secret = [UInt8](repeating: 7, count: 32)
        // Sample: jwt-kit, keys
        // Bulla
        let pem = try String(contentsOfFile: path, encoding: .utf8)
        var key = try PrivateKey(pem: pem)
        key.keyID = "k1"
        let shared = try SecretKey(bytes: secret)
        let theirs = try KeySet(parsing: jwks, as: .publicOnly)
        // Sample: end
        #expect(shared.kind == .octets(bits: 256))

        // Sample: jwt-kit, claims
        // Bulla
        struct Session: Codable {
            let sub: String
            let exp: Date
            let admin: Bool
        }
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        // Sample: end

        // Sample: jwt-kit, sign
        // Bulla
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(key))
        let token = try issuer.issue(
            encoding: Session(
                sub: "vapor", exp: .now + 3_600, admin: true))
        // Sample: end

        // Sample: jwt-kit, verify
        // Bulla
        let verifier = try TokenVerifier(policy, verificationKeys: theirs)
        let session = try verifier.verify(token, as: Session.self)
        // Sample: end
        #expect(session.sub == "vapor" && session.admin)
        #expect(abs(session.exp.timeIntervalSinceNow - 3_600) < 60)

        // Sample: jwt-kit, errors
        // Bulla
        do throws(TokenError) {
            _ = try verifier.verify(token)
        } catch .jose(.signatureInvalid, layer: .signature) {
            print("forged, or signed by another key of that name")
        } catch .claim(let failure) {
            print("claims: \(failure)")
        } catch {
            print("\(error)")
        }
        // Sample: end
    }

    @Test("the counterparts of JWSETKit's calls work") func fromJWSETKit() throws {
        let signingKey = try PrivateKey.generate(.p256, keyID: "k1")
        let jwk = Data(try signingKey.exportPrivateJWK())
        let pem = try signingKey.publicKey.pem()
        let recipient = try PrivateKey.generate(.rsa(bits: 2048), keyID: "e1")
        // Sample: JWSETKit, keys
        // Bulla
        let key = try PrivateKey(jwk: jwk)
        let publicKey = try PublicKey(pem: pem)
        let keys = KeySet([.publicKey(publicKey)])
        // Sample: end

        // Sample: JWSETKit, sign
        // Bulla
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(key), lifetime: .seconds(3_600))
        let token = try issuer.issue(["sub": "user123"])
        // Sample: end

        // Sample: JWSETKit, verify
        // Bulla
        let verifier = try TokenVerifier(policy, verificationKeys: keys)
        let claims = try verifier.verify(token).claims
        print(claims.subject ?? "")
        // Sample: end
        #expect(claims.subject == "user123")

        // Sample: JWSETKit, encrypt
        // Bulla
        let encrypter = try JWEEncrypter(
            key: recipient.publicKey, keyManagement: .rsaOAEP256, contentEncryption: .a256gcm)
        let jwe = try encrypter.encrypt("secret")
        let decrypter = try JWEDecrypter(
            keys: KeySet(recipient),
            policy: EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a256gcm]))
        let secret = try decrypter.decrypt(jwe).plaintext
        // Sample: end
        #expect(secret == Array("secret".utf8))

        // Sample: JWSETKit, selective disclosure
        // Bulla
        let sdIssuer = try SDJWTIssuer(key: key, algorithm: .es256, type: "dc+sd-jwt")
        let issued = try sdIssuer.issue(
            ["iss": "https://id.example.com", "sub": "user123", "email": "john@example.com"],
            hiding: ["email"])
        let shown = try issued.presenting { $0.name == "email" }
        // Sample: end

        var sdClaims = ClaimPolicy(issuer: "https://id.example.com", audience: .anyAudienceUnchecked)
        sdClaims.requiresExpiration = false
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("dc+sd-jwt")
        let sdVerifier = try SDJWTVerifier(signature, claims: sdClaims, verificationKeys: keys)
        #expect(try sdVerifier.verify(shown.text).claims.string("email") == "john@example.com")
    }
}
