import TestSupport
import Testing

@testable import JOSE

@Suite("Header cache of a decrypter") struct KnownEncryptionTests {
    private let key: SecretKey
    private let other: SecretKey
    private let policy = EncryptionPolicy(keyManagement: [.dir, .a128gcmkw], contentEncryption: [.a256gcm])

    init() throws {
        key = try .generate(bits: 256, keyID: "one")
        other = try .generate(bits: 256, keyID: "one")
    }

    private func token(_ key: SecretKey, type: String? = nil, _ plaintext: String = "{}") throws -> String {
        let header = HeaderParameters(type: type)
        return try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
            .encrypt(plaintext)
    }

    private func knows(_ decrypter: JWEDecrypter, _ token: String) -> Bool {
        let bytes = Array(token.utf8.prefix { $0 != UInt8(ascii: ".") })
        return decrypter.keys.headers.find(bytes.span) != nil
    }

    @Test(
        "a decrypter caches a header after some tokens with a valid tag, and the results stay the same (RFC 7516, 5.2)"
    )
    func learned() throws {
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
        let (good, forged) = (try token(key), try token(other))
        for number in 0...KnownHeaders<AllowedEncryption>.storingThreshold {
            #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(forged) }
            #expect(!knows(decrypter, good), "\(number)")
            #expect(try decrypter.decrypt(good).plaintext == Array("{}".utf8))
        }
        #expect(knows(decrypter, good))
        let opened = try decrypter.decrypt(try token(key, "a longer one"))
        #expect(opened.plaintext == Array("a longer one".utf8) && opened.header.keyID == "one")
        #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(forged) }
        // A header with one more byte is not cached.
        let renamed = try token(key, type: "x")
        #expect(!knows(decrypter, renamed))
        #expect(try decrypter.decrypt(renamed).header.type == "x")
    }

    @Test("a header that one policy has cached is rejected by another policy as if it were new")
    func ofOnePolicy() throws {
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
        let good = try token(key)
        for _ in 0..<5 { #expect(throws: Never.self) { try decrypter.decrypt(good) } }
        var strict = policy
        strict.keyManagement = [.a128gcmkw]
        let stricter = JWEDecrypter(unexaminedKeys: KeySet(key), policy: strict)
        #expect(throws: JOSEError.algorithmNotAllowed(.keyManagement)) { try stricter.decrypt(good) }
        var small = policy
        small.limits.tokenBytes = good.utf8.count - 1
        let smaller = try JWEDecrypter(keys: KeySet(key), policy: small)
        #expect(throws: JOSEError.limitExceeded(.tokenBytes)) { try smaller.decrypt(good) }
        small.limits.tokenBytes = good.utf8.count
        #expect(throws: Never.self) { try JWEDecrypter(keys: KeySet(key), policy: small).decrypt(good) }
    }

    @Test("a decrypter caches no header of a rejected token, and at most four headers")
    func bounded() throws {
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
        for _ in 0..<10 {
            #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(try token(other, type: "forged")) }
        }
        let tokens = try (0..<10).map { try token(key, type: "type-\($0)") }
        for token in tokens { #expect(throws: Never.self) { try decrypter.decrypt(token) } }
        #expect(tokens.count { knows(decrypter, $0) } == KnownHeaders<AllowedEncryption>.maximumCount)
        #expect(!knows(decrypter, try token(other, type: "forged")))
        for token in tokens { #expect(throws: Never.self) { try decrypter.decrypt(token) } }
    }

    @Test("a header with members that differ in each token is not cached (RFC 7518, 4.7.1)") func varying() throws {
        var key = try SecretKey.generate(bits: 128)
        key.keyID = "one"
        let encrypter = try JWEEncrypter(key: key, keyManagement: .a128gcmkw, contentEncryption: .a256gcm)
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
        let good = try encrypter.encrypt("{}")
        for _ in 0..<5 { #expect(throws: Never.self) { try decrypter.decrypt(good) } }
        #expect(!knows(decrypter, good))
    }

    @Test("after a source has changed its keys, a cached header decrypts with the new keys only")
    func rotated() throws {
        let source = ChangingKeys(KeySet(key))
        let decrypter = try JWEDecrypter(keys: source, policy: policy)
        let (old, new) = (try token(key), try token(other))
        for _ in 0..<5 { #expect(throws: Never.self) { try decrypter.decrypt(old) } }
        #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(new) }
        source.set(KeySet(other))
        #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(old) }
        #expect(throws: Never.self) { try decrypter.decrypt(new) }
        source.set(.failure(.keysUnavailable(.closed)))
        #expect(throws: JOSEError.keysUnavailable(.closed)) { try decrypter.decrypt(new) }
    }
}
