import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite(
    "Keys in a PKCS#11 token",
    .enabled(if: SoftToken.module != nil, "SoftHSM is not installed: sh Tests/Scripts/install.sh test"))
struct SoftTokenTests {
    private let token: SoftToken
    private let claims = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")

    init() throws { token = try SoftToken() }

    private func thrown(_ body: () async throws -> Void) async -> JOSEError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? JOSEError
        }
    }

    private func failed(_ number: UInt) -> JOSEError {
        .externalKey(.failed(ExternalCause(SoftToken.Refusal(number: number))))
    }

    @Test("a PKCS#11 token signs with RS256, PS256 and ES256 (RFC 7515, 5.1)")
    func signing() async throws {
        try await token.login(SoftToken.pin)
        let rsa = try await token.makeRSA(1, keyID: "r")
        let ec = try await token.makeP256(2, keyID: "e")
        for (algorithm, id, key) in [(SignatureAlgorithm.rs256, UInt8(1), rsa), (.ps256, 1, rsa), (.es256, 2, ec)] {
            let signer = try JWSSigner(
                externalKey: SoftTokenSigner(token: token, id: id, publicKey: key), algorithm: algorithm)
            let jws = try await signer.sign("from a device", timeout: .ample)
            let verifier = try JWSVerifier(keys: KeySet(key), policy: SignaturePolicy(algorithms: [algorithm]))
            #expect(try verifier.verify(jws).payload == Array("from a device".utf8))
            // The device's key of another name, under this public half.
            let mistaken = try JWSSigner(
                externalKey: SoftTokenSigner(
                    token: token, id: id, publicKey: PrivateKey.generate(id == 1 ? .rsa(bits: 2048) : .p256).publicKey),
                algorithm: algorithm)
            #expect(
                await thrown { _ = try await mistaken.sign("x", timeout: .ample) } == .externalKey(.signatureInvalid))
        }
    }

    @Test("a PKCS#11 token signs and decrypts nested tokens (RFC 7519, 11.2)")
    func nested() async throws {
        try await token.login(SoftToken.pin)
        let signing = try await token.makeP256(1, keyID: "s")
        let receiving = try await token.makeRSA(2, keyID: "e")
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256]),
            inner: SignaturePolicy(algorithms: [.es256]), claims: claims)
        let issuer = try TokenIssuer(
            policy, externalKey: SoftTokenSigner(token: token, id: 1, publicKey: signing),
            encryptionKey: receiving)
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(signing),
            externalKeys: [.unwrapper(SoftTokenUnwrapper(token: token, id: 2, key: .rsa(receiving)))])
        let text = try await issuer.issue(["sub": "somebody"], timeout: .ample)
        #expect(try await verifier.verify(text, timeout: .ample).claims.subject == "somebody")

        var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[1] = base64URL([UInt8](repeating: 1, count: 256))
        let damaged = parts.joined(separator: ".")
        await #expect(throws: TokenError.jose(.decryptionFailed, layer: .encryption)) {
            try await verifier.verify(damaged, timeout: .ample)
        }
        #expect(try await verifier.verify(text, timeout: .ample).algorithm == .es256)
    }

    @Test("a PKCS#11 token derives ECDH-ES keys and unwraps AES-wrapped ones (RFC 7518, 4.4 and 4.6)")
    func unwrapping() async throws {
        try await token.login(SoftToken.pin)
        let ec = try await token.makeP256(1, keyID: "e")
        for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA256KW] {
            let decrypter = try JWEDecrypter(
                externalKeys: [.agreement(SoftTokenAgreement(token: token, id: 1, publicKey: ec))],
                policy: EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [.a256gcm]))
            // Often, so that a secret with zeros in front comes by now and then.
            for _ in 0..<10 {
                let jwe = try JWEEncrypter(key: ec, keyManagement: algorithm, contentEncryption: .a256gcm).encrypt("x")
                #expect(try await decrypter.decrypt(jwe, timeout: .ample).plaintext == [0x78])
            }
        }
        let secret = try SecretKey.generate(bits: 256)
        let json = try JSON(secret.exportSecretJWK())
        _ = try await token.ask("aes", [3], #require(json["k"]?.string.flatMap { bytes(base64URL: $0) }))
        let unwrapper = SoftTokenUnwrapper(token: token, id: 3, key: .aes(bits: 256, keyID: nil))
        let decrypter = try JWEDecrypter(
            externalKeys: [.unwrapper(unwrapper)],
            policy: EncryptionPolicy(keyManagement: [.a256kw], contentEncryption: ContentEncryption.all))
        for content in [ContentEncryption.a128gcm, .a256cbcHS512] {
            let jwe = try JWEEncrypter(key: secret, keyManagement: .a256kw, contentEncryption: content).encrypt("x")
            #expect(try await decrypter.decrypt(jwe, timeout: .ample).plaintext == [0x78])
            let other = try JWEEncrypter(
                key: SecretKey.generate(bits: 256), keyManagement: .a256kw, contentEncryption: content
            ).encrypt("x")
            #expect(await thrown { _ = try await decrypter.decrypt(other, timeout: .ample) } == .decryptionFailed)
        }
    }

    @Test("a wrong PIN and a removed key are reported with the error of the PKCS#11 module")
    func refusals() async throws {
        try await token.login(SoftToken.pin)
        let ec = try await token.makeP256(1, keyID: "e")
        let rsa = try await token.makeRSA(2, keyID: "r")
        let signer = try JWSSigner(externalKey: SoftTokenSigner(token: token, id: 1, publicKey: ec), algorithm: .es256)
        let locked = try JWSSigner(
            externalKey: SoftTokenSigner(token: token, id: 1, publicKey: ec, pin: "0000"), algorithm: .es256)
        _ = try await token.ask("logout")
        #expect(await thrown { _ = try await locked.sign("x", timeout: .ample) } == failed(0xA0))
        #expect(try await signer.sign("x", timeout: .ample).isEmpty == false)

        let decrypter = try JWEDecrypter(
            externalKeys: [.unwrapper(SoftTokenUnwrapper(token: token, id: 2, key: .rsa(rsa)))],
            policy: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128gcm]))
        let jwe = try JWEEncrypter(key: rsa, keyManagement: .rsaOAEP, contentEncryption: .a128gcm).encrypt("x")
        #expect(try await decrypter.decrypt(jwe, timeout: .ample).plaintext == [0x78])
        _ = try await token.ask("destroy", [1])
        _ = try await token.ask("destroy", [2])
        #expect(await thrown { _ = try await signer.sign("x", timeout: .ample) } == failed(0x60))
        #expect(await thrown { _ = try await decrypter.decrypt(jwe, timeout: .ample) } == failed(0x60))
    }
}
