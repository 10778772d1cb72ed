import Foundation
import JOSE
import JOSETokens
import Testing

extension PeerExchange {
    func nested() async throws {
        for form in table.nested { try await nested(form) }
    }

    private func nested(_ form: PeerTable.Nested) async throws {
        let label: Comment = "\(peer.name) \(form.signature) in \(form.keyManagement) \(form.contentEncryption)"
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(
                keyManagement: [form.keyManagement], contentEncryption: [form.contentEncryption]),
            inner: SignaturePolicy(algorithms: [form.signature]),
            claims: ClaimPolicy(issuer: "https://issuer.example", audience: "client"))
        let signingKey = try KeyStore.pair(form.signingKind), decryptionKey = try KeyStore.pair(form.encryptionKind)
        let theirSigning = try await peer.key(form.signingKind)
        let theirDecryption = try await peer.key(form.encryptionKind)

        let issuer = try TokenIssuer(
            policy, signingKey: .privateKey(signingKey),
            encryptionKey: .publicKey(PublicKey(jwk: await peer.publicHalf(of: theirDecryption))))
        let sent = try issuer.issue(["sub": "Grüße"])
        let inner = String(
            decoding: try await peer.decrypt(
                sent, algorithm: form.keyManagement.name, encryption: form.contentEncryption.name,
                key: theirDecryption), as: UTF8.self)
        let claims = try await peer.verify(inner, algorithm: form.signature.name, key: signingKey.publicKey.jwk())
        #expect(try JSONDecoder().decode(PeerClaims.self, from: Data(claims)).iss == "https://issuer.example", label)
        if table.isJWTLibrary {
            try await peer.checkClaims(
                inner, algorithm: form.signature.name, key: signingKey.publicKey.jwk(),
                issuer: "https://issuer.example", audience: "client")
        }

        let verifier = try TokenVerifier(
            policy, verificationKeys: await theirKeys(theirSigning), decryptionKeys: KeySet(decryptionKey))
        let payload = try JSONEncoder().encode(PeerClaims.now)
        let signed = try await peer.sign(
            [UInt8](payload), header: ["alg": form.signature.name, "typ": "JWT"], key: theirSigning)
        let received = try await peer.encrypt(
            Array(signed.utf8),
            header: ["alg": form.keyManagement.name, "enc": form.contentEncryption.name, "cty": "JWT"],
            key: decryptionKey.publicKey.jwk())
        #expect(try verifier.verify(received).claims.subject == PeerClaims.now.sub, label)
        #expect(throws: TokenError.self, label) { try verifier.verify(tampered(received)) }
        let falsified = try await peer.encrypt(
            Array(tampered(signed).utf8),
            header: ["alg": form.keyManagement.name, "enc": form.contentEncryption.name, "cty": "JWT"],
            key: decryptionKey.publicKey.jwk())
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature), label) {
            try verifier.verify(falsified)
        }
    }
}

struct PeerClaims: Codable {
    var iss = "https://issuer.example", aud = "client", sub = "Grüße"
    var iat: Int, exp: Int

    static let now = {
        let second = Int(Date.now.timeIntervalSince1970)
        return PeerClaims(iat: second, exp: second + 600)
    }()
}
