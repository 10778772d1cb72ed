import Foundation
import JOSE
import JOSETokens
import Testing

extension PeerExchange {
    private struct Nested {
        var signature: SignatureAlgorithm
        var signingKind: PeerKeyKind
        var keyManagement: KeyManagementAlgorithm
        var contentEncryption: ContentEncryption
        var encryptionKind: PeerKeyKind

        init(
            _ signature: SignatureAlgorithm, _ signingKind: PeerKeyKind, _ keyManagement: KeyManagementAlgorithm,
            _ contentEncryption: ContentEncryption, _ encryptionKind: PeerKeyKind
        ) {
            self.signature = signature
            self.signingKind = signingKind
            self.keyManagement = keyManagement
            self.contentEncryption = contentEncryption
            self.encryptionKind = encryptionKind
        }
    }

    /// The layers are exchanged in every pair; nested, it is enough that each family is there.
    private static let forms = [
        Nested(.rs256, .rsa, .rsaOAEP, .a128cbcHS256, .rsa), Nested(.ps256, .rsa, .rsaOAEP256, .a256gcm, .rsa),
        Nested(.es256, .p256, .ecdhESA256KW, .a128gcm, .p256),
        Nested(.ed25519, .ed25519, .ecdhES, .a256cbcHS512, .x25519),
        Nested(.es256k, .secp256k1, .a256gcmkw, .a192gcm, .octets(bits: 256)),
        Nested(.ed448, .ed448, .ecdhESA128KW, .a192cbcHS384, .x448),
        Nested(.rs256, .rsa, .ecdhES, .a128cbcHS256, .p256), Nested(.es512, .p521, .ecdhESA256KW, .a256gcm, .p384),
    ]

    func nested() async throws {
        for form in Self.forms where has(form.signature, form.signingKind) {
            guard has(form.keyManagement, form.contentEncryption, form.encryptionKind) else { continue }
            try await nested(form)
        }
    }

    private func nested(_ form: Nested) async throws {
        let label: Comment = "\(peer.name) \(form.signature) in \(form.keyManagement) \(form.contentEncryption)"
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(
                keyManagement: [form.keyManagement], contentEncryption: [form.contentEncryption]),
            inner: SignaturePolicy(algorithms: [form.signature]),
            claims: ClaimPolicy(issuer: "https://issuer.example", audience: "client"))
        let signingKey = try KeyStore.pair(form.signingKind), decryptionKey = try KeyStore.key(form.encryptionKind)
        let theirSigning = try await peer.key(form.signingKind)
        let theirDecryption = try await peer.key(form.encryptionKind)

        let issuer = try TokenIssuer(
            policy, signingKey: .privateKey(signingKey),
            encryptionKey: await theirKey(theirDecryption))
        let sent = try issuer.issue(["sub": "Grüße"])
        let inner = String(
            decoding: try await peer.decrypt(
                sent, algorithm: form.keyManagement.name, encryption: form.contentEncryption.name,
                key: theirDecryption), as: UTF8.self)
        let claims = try await peer.verify(inner, algorithm: form.signature.name, key: signingKey.publicKey.jwk())
        #expect(try JSONDecoder().decode(PeerClaims.self, from: Data(claims)).iss == "https://issuer.example", label)
        if support.has(.claims) {
            try await peer.checkClaims(
                inner, algorithm: form.signature.name, key: signingKey.publicKey.jwk(),
                issuer: "https://issuer.example", audience: "client")
        }

        let verifier = try TokenVerifier(
            policy, verificationKeys: await theirKeys(theirSigning), decryptionKeys: decryptionKey.keySet)
        let outer = #"{"alg":"\#(form.keyManagement)","enc":"\#(form.contentEncryption)","cty":"JWT"}"#
        let payload = try JSONEncoder().encode(PeerClaims.now)
        let signed = try await peer.sign(
            [UInt8](payload), header: #"{"alg":"\#(form.signature)","typ":"JWT"}"#, key: theirSigning)
        let received = try await peer.encrypt(
            Array(signed.utf8),
            header: outer,
            key: decryptionKey.sharedText)
        #expect(try verifier.verify(received).claims.subject == PeerClaims.now.sub, label)
        #expect(throws: TokenError.self, label) { try verifier.verify(tampered(received)) }
        let falsified = try await peer.encrypt(
            Array(tampered(signed).utf8),
            header: outer,
            key: decryptionKey.sharedText)
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
