import JOSE
import TestSupport
import Testing

@Suite("Password-based encryption (PBES2)") struct PasswordTests {
    private func written(_ count: Int?) throws -> JOSEHeader {
        let password = try SecretKey(bytes: Array("correct horse".utf8))
        var header = HeaderParameters()
        header.passwordIterations = count
        let token = try JWEEncrypter(
            key: password, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm, header: header
        ).encrypt("x")
        let policy = EncryptionPolicy(keyManagement: [.pbes2HS256A128KW], contentEncryption: [.a128gcm])
        let opened = try JWEDecrypter(keys: KeySet(password), policy: policy).decrypt(token)
        #expect(opened.plaintext == Array("x".utf8))
        return opened.header
    }

    @Test("an encrypter uses 310 000 PBKDF2 iterations and a salt of 16 bytes by default (RFC 7518, 4.8.1)")
    func parameters() throws {
        let header = try written(nil)
        #expect(header.json("p2c") == Array("310000".utf8))
        #expect(header.string("p2s")?.utf8.count == 22)
        #expect(try written(1_000).json("p2c") == Array("1000".utf8))
        #expect(try written(1_000).string("p2s") != written(1_000).string("p2s"))
    }

    @Test(
        "an encrypter rejects fewer than 1 000 iterations, and iterations without PBES2 (RFC 7518, 4.8.1.2)"
    )
    func bounds() throws {
        for count in [0, -1, 999, Int.min, Int(Int32.max) + 1] {
            #expect(throws: JOSEError.headerInvalid(.password), "\(count)") { try written(count) }
        }
        #expect(throws: Never.self) { try written(1_000) }
        let key = try SecretKey.generate(bits: 256)
        var header = HeaderParameters()
        header.passwordIterations = 1_000
        #expect(throws: JOSEError.headerInvalid(.password)) {
            try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a128gcm, header: header)
        }
        #expect(throws: JOSEError.headerInvalid(.password)) {
            try JWSSigner(key: key, algorithm: .hs256, header: header)
        }
        header.passwordIterations = nil
        #expect(throws: Never.self) {
            try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a128gcm, header: header)
        }
        #expect(throws: Never.self) { try JWSSigner(key: key, algorithm: .hs256, header: header) }
    }

    @Test("a token with fewer iterations than the policy's iterationFloor is rejected") func floor() throws {
        let password = try SecretKey(bytes: Array("correct horse".utf8))
        var header = HeaderParameters()
        header.passwordIterations = 1_000
        let token = try JWEEncrypter(
            key: password, keyManagement: .pbes2HS512A256KW, contentEncryption: .a128gcm, header: header
        ).encrypt("x")
        var policy = EncryptionPolicy(keyManagement: [.pbes2HS512A256KW], contentEncryption: [.a128gcm])
        policy.limits.iterationFloor = 1_001
        #expect(throws: JOSEError.headerInvalid(.password)) {
            try JWEDecrypter(keys: KeySet(password), policy: policy).decrypt(token)
        }
        policy.limits.iterationFloor = 1_000
        #expect(throws: Never.self) { try JWEDecrypter(keys: KeySet(password), policy: policy).decrypt(token) }
        let other = try SecretKey(bytes: Array("correct horse ".utf8))
        #expect(throws: JOSEError.decryptionFailed) {
            try JWEDecrypter(keys: KeySet(other), policy: policy).decrypt(token)
        }
    }
}
