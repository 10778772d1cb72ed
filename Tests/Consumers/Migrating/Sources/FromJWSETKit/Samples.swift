import Crypto
import Foundation
import JWSETKit

enum Wrong: Error { case issuer }

/// The calls of JWSETKit in the article on migrating.
struct Samples {
    let key: P256.Signing.PrivateKey
    let keys: JSONWebKeySet
    let claims: JSONWebTokenClaims

    init(jwk: Data, pem: String) throws {
        // Sample: keys of JWSETKit
        // JWSETKit
        let key = try JSONDecoder().decode(
            P256.Signing.PrivateKey.self, from: jwk)
        let publicKey = try P256.Signing.PublicKey(
            pemRepresentation: pem)
        let keys = JSONWebKeySet(keys: [publicKey])
        // Sample: end
        self.key = key
        self.keys = keys
        claims = try JSONWebTokenClaims {
            $0.issuer = "https://id.example.com"
            $0.subject = "user123"
            $0.email = "john@example.com"
        }
    }

    func sign() throws -> String {
        // Sample: signing with JWSETKit
        // JWSETKit
        let claims = try JSONWebTokenClaims {
            $0.issuer = "https://id.example.com"
            $0.audience = ["shop"]
            $0.subject = "user123"
            $0.issuedAt = .init()
            $0.expiry = .init(timeIntervalSinceNow: 3_600)
        }
        let jwt = try JSONWebToken(
            payload: claims,
            algorithm: .ecdsaSignatureP256SHA256,
            using: key)
        let token = try String(jwt)
        // Sample: end
        return token
    }

    func verify(_ token: String) throws {
        // Sample: verifying with JWSETKit
        // JWSETKit
        let jwt = try JSONWebToken(from: token)
        try jwt.verify(using: keys, for: "shop")
        guard jwt.payload.issuer == "https://id.example.com"
        else { throw Wrong.issuer }
        print(jwt.payload.subject ?? "")
        // Sample: end
    }

    func encrypt(_ recipient: JSONWebRSAPrivateKey) throws -> (text: String, opened: Data) {
        // Sample: encrypting with JWSETKit
        // JWSETKit
        let jwe = try JSONWebEncryption(
            content: Data("secret".utf8),
            keyEncryptingAlgorithm: .rsaEncryptionOAEPSHA256,
            keyEncryptionKey: recipient.publicKey,
            contentEncryptionAlgorithm: .aesEncryptionGCM256)
        let text = try String(jwe)
        let received = try JSONWebEncryption(from: text)
        let secret = try received.decrypt(using: recipient)
        // Sample: end
        return (text, secret)
    }

    func disclose() throws -> String {
        // Sample: selective disclosure with JWSETKit
        // JWSETKit
        let issued = try JSONWebSelectiveDisclosureToken(
            claims: claims, policy: .standard, using: key)
        let shown = try issued.presenting(
            paths: ["/email"])
        // Sample: end
        return try String(shown)
    }
}
