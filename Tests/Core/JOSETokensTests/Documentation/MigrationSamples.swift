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

    @Test("a text claim is read as a Boolean value, as jwt-kit's BoolClaim does") func textBooleans() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: key)
        let verifier = try TokenVerifier(policy, verificationKeys: key)
        // Sample: jwt-kit, Boolean values as text
        // Bulla
        struct TextBool: Decodable {
            let value: Bool

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let value = try? container.decode(Bool.self) {
                    self.value = value
                } else if let value = Bool(try container.decode(String.self)) {
                    self.value = value
                } else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither true nor false")
                }
            }
        }
        struct AdminSession: Decodable {
            let sub: String
            let admin: TextBool
        }
        // Sample: end
        for admin: ClaimValue in [true, "true"] {
            let token = try issuer.issue(["sub": "vapor", "admin": admin])
            #expect(try verifier.verify(token, as: AdminSession.self).admin.value)
        }
        #expect(
            try !verifier.verify(issuer.issue(["sub": "vapor", "admin": "false"]), as: AdminSession.self).admin.value)
        #expect(throws: TokenError.self) {
            try verifier.verify(issuer.issue(["sub": "vapor", "admin": "yes"]), as: AdminSession.self)
        }
    }

    @Test("a key is read from its coordinates, as by jwt-kit's parameters") func coordinates() throws {
        // Sample: jwt-kit, coordinates
        // Bulla
        func publicKey(x: String, y: String) throws(JOSEError) -> PublicKey {
            try PublicKey(jwk: #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#)
        }
        // Sample: end
        // The key of RFC 7515, A.3.1.
        let (x, y) = ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(try publicKey(x: x, y: y).kind == .p256)
        #expect(throws: JOSEError.self) { try publicKey(x: y, y: x) }
    }

    @Test("header parameters are written and read, as jwt-kit's JWTHeader does") func headers() throws {
        struct Session: Codable, Equatable {
            let sub: String
        }
        let key = try PrivateKey.generate(.p256, keyID: "k1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
        let issuer = try TokenIssuer(policy, signingKey: key)
        let verifier = try TokenVerifier(policy, verificationKeys: key)
        // Sample: jwt-kit, headers
        // Bulla
        var header = HeaderParameters()
        header.set("tenant", "acme")
        let token = try issuer.issue(
            encoding: Session(sub: "vapor"), options: TokenOptions(signatureHeader: header))

        let verified = try verifier.verify(token)
        let tenant = verified.header.string("tenant")
        let session = try verified.claims.decode(as: Session.self)
        // Sample: end
        #expect(tenant == "acme" && session == Session(sub: "vapor") && verified.header.keyID == "k1")
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
