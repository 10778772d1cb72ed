import JOSE
import TestSupport
import Testing

@Suite("Verification keys from a key source") struct KeySourceTests {
    private let old: PrivateKey
    private let new: PrivateKey
    private let nameless: PrivateKey
    private let policy = SignaturePolicy(algorithms: [.es256])

    init() throws {
        old = try PrivateKey.generate(.p256, keyID: "old")
        new = try PrivateKey.generate(.p256, keyID: "new")
        nameless = try PrivateKey.generate(.p256)
    }

    private func token(_ key: PrivateKey, kid: String? = nil) throws -> String {
        try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(keyID: kid)).sign("{}")
    }

    @Test("a token is verified with the keys that the source has at that time")
    func rotation() throws {
        let source = ChangingKeys(KeySet(old.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let (first, second) = (try token(old), try token(new))
        #expect(try verifier.verify(first).key.keyID == "old")
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(second) }
        source.set(KeySet([.publicKey(old.publicKey), .publicKey(new.publicKey)]))
        #expect(try verifier.verify(first).key.keyID == "old")
        #expect(try verifier.verify(second).key.keyID == "new")
        source.set(KeySet(new.publicKey))
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(first) }
        #expect(try verifier.verify(second).key.keyID == "new")
        #expect(source.missing == [Array("new".utf8), Array("old".utf8)])
        #expect(source.used == ["old", "old", "new", "new"])
    }

    @Test("a source without keys reports its reason, and is called only after the header checks")
    func outage() throws {
        for outage in [KeysUnavailableReason.notFetched, .expired, .closed] {
            let source = ChangingKeys(.failure(.keysUnavailable(outage)))
            let verifier = try JWSVerifier(keys: source, policy: policy)
            let good = try token(old)
            #expect(throws: JOSEError.keysUnavailable(outage)) { try verifier.verify(good) }
            #expect(source.asked == 1 && source.missing.isEmpty)
            let other = try JWSSigner(key: PrivateKey.generate(.p384), algorithm: .es384).sign("{}")
            #expect(throws: JOSEError.algorithmNotAllowed(.signature)) { try verifier.verify(other) }
            #expect(source.asked == 1)
            source.set(KeySet(old.publicKey))
            #expect(throws: Never.self) { try verifier.verify(good) }
        }
    }

    @Test("a kid that the set lacks is reported missing, even if keys without a kid were tried (RFC 7515, 4.1.4)")
    func namelessKeys() throws {
        let source = ChangingKeys(KeySet(nameless.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let unknown = try token(new)
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(unknown) }
        #expect(source.missing == [Array("new".utf8)])
        // A valid token under this name verifies, and nothing is reported missing.
        let held = try token(nameless, kid: "new")
        #expect(throws: Never.self) { try verifier.verify(held) }
        #expect(source.missing.count == 1)
        // For a fixed set the error is that of the key that was tried.
        let fixed = try JWSVerifier(keys: KeySet(nameless.publicKey), policy: policy)
        #expect(throws: JOSEError.signatureInvalid) { try fixed.verify(unknown) }
    }

    @Test(
        "a signature that fails under a key of the set is reported as such, and its kid not as missing (RFC 7517, 4.5)"
    )
    func presentKeys() throws {
        let source = ChangingKeys(KeySet(old.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let forged = try token(new, kid: "old")
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(forged) }
        #expect(source.failed == [Array("old".utf8)])
        let unnamed = try token(nameless)
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(unnamed) }
        #expect(source.failed == [Array("old".utf8), nil])
        source.set(KeySet(nameless.publicKey))
        #expect(throws: Never.self) { try verifier.verify(unnamed) }
        // The key is replaced under its name: a token of the new key verifies, and one of the old key is reported.
        var replaced = new
        replaced.keyID = "old"
        source.set(KeySet(replaced.publicKey))
        #expect(throws: Never.self) { try verifier.verify(forged) }
        #expect(source.failed.count == 2)
        let late = try token(old)
        for _ in 0..<2 { #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(late) } }
        #expect(source.failed.count == 4 && source.missing.isEmpty)
    }

    @Test("neither a kid that the set lacks nor a key that does not fit is reported as a failed signature")
    func otherFailures() throws {
        let source = ChangingKeys(KeySet([.publicKey(old.publicKey), .publicKey(nameless.publicKey)]))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let unknown = try token(new)
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(unknown) }
        let other = KeySet(try PrivateKey.generate(.p384, keyID: "old").publicKey)
        source.set(other)
        let known = try token(old)
        #expect(throws: JOSEError.keyUnsuitable(.curve)) { try verifier.verify(known) }
        #expect(source.failed.isEmpty && source.missing == [Array("new".utf8)])
        source.set(KeySet(old.publicKey))
        #expect(throws: Never.self) { try verifier.verify(known) }
    }

    @Test("a token with the kid of an unusable key is rejected with that key's reason, and not reported missing")
    func unusableKeys() throws {
        let source = ChangingKeys(try KeySet(parsing: #"{"keys":[{"kty":"unknown","kid":"new"}]}"#))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let named = try token(new)
        #expect(throws: JOSEError.keyInvalid(.member("kty", .unsupported))) { try verifier.verify(named) }
        #expect(source.missing.isEmpty)
        source.set(KeySet(new.publicKey))
        #expect(throws: Never.self) { try verifier.verify(named) }
    }

    @Test("streamed and JSON verification use the source's current keys too")
    func otherForms() throws {
        let source = ChangingKeys(KeySet(old.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        let detached = try JWSSigner(key: new, algorithm: .es256).sign(detached: "{}")
        #expect(throws: JOSEError.keyNotFound) { _ = try verifier.stream(detached) }
        let json = try JSONSigner(JWSSigner(key: new, algorithm: .es256)).sign("{}")
        #expect(throws: JOSEError.keyNotFound) { try verifier.verify(json: json) }
        #expect(source.missing == [Array("new".utf8), Array("new".utf8)])
        source.set(KeySet(new.publicKey))
        #expect(throws: Never.self) { _ = try verifier.stream(detached) }
        #expect(throws: Never.self) { try verifier.verify(json: json) }
    }

    @Test("a source may change decryption keys, and a failed decryption has one error")
    func decryption() throws {
        let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        let source = ChangingKeys(KeySet(old))
        let decrypter = try JWEDecrypter(keys: source, policy: policy)
        func sealed(_ key: PrivateKey) throws -> String {
            try JWEEncrypter(key: key.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm).encrypt("x")
        }
        let (first, second, unnamed) = (try sealed(old), try sealed(new), try sealed(nameless))
        #expect(try decrypter.decrypt(first).plaintext == Array("x".utf8))
        #expect(throws: JOSEError.keyNotFound) { try decrypter.decrypt(second) }
        #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(unnamed) }
        source.set(KeySet([.privateKey(old), .privateKey(new), .privateKey(nameless)]))
        for token in [first, second] { #expect(throws: Never.self) { try decrypter.decrypt(token) } }
        #expect(source.missing == [Array("new".utf8)])
        #expect(source.used == ["old", "old", "new"])
    }

    @Test("a malformed JWE is rejected for good before the source is asked, and another one waits for its keys")
    func malformedWithoutKeys() throws {
        let key = try SecretKey.generate(bits: 128)
        let policy = EncryptionPolicy(keyManagement: [.dir, .a128gcmkw], contentEncryption: [.a128gcm])
        func token(_ algorithm: KeyManagementAlgorithm, _ changes: [Int: String] = [:]) throws -> [String] {
            let token = try JWEEncrypter(key: key, keyManagement: algorithm, contentEncryption: .a128gcm).encrypt("x")
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            return parts.indices.map { changes[$0] ?? parts[$0] }
        }
        let bare = base64URL(#"{"alg":"A128GCMKW","enc":"A128GCM"}"#.utf8)
        let (short, long) = (base64URL([UInt8](repeating: 1, count: 11)), base64URL([UInt8](repeating: 1, count: 13)))
        let unavailable = JOSEError.keysUnavailable(.notFetched)
        let length = JOSEError.malformed(ParseFailure(.initializationVector, .length))
        let cases: [(parts: [String], error: JOSEError)] = try [
            (token(.dir, [1: "AAAA"]), .malformed(ParseFailure(.encryptedKey, .parts))),
            (token(.dir, [2: short]), length), (token(.dir, [2: long]), length), (token(.a128gcmkw, [2: ""]), length),
            (token(.a128gcmkw, [0: bare]), .headerInvalid(.keyWrap)),
            // These are well-formed, with a tag that no key makes valid.
            (token(.dir, [4: base64URL([UInt8](repeating: 0, count: 16))]), unavailable), (token(.dir), unavailable),
            (token(.a128gcmkw), unavailable),
        ]
        for (parts, error) in cases {
            let source = ChangingKeys(.failure(unavailable))
            let decrypter = try JWEDecrypter(keys: source, policy: policy)
            let compact = parts.joined(separator: ".")
            let names = ["protected", "encrypted_key", "iv", "ciphertext", "tag"]
            let members = zip(names, parts).filter { !$0.1.isEmpty }.map { ($0.0, JSON.string($0.1)) }
            let json = JSON.object(Dictionary(uniqueKeysWithValues: members)).text
            #expect(throws: error, "\(compact)") { try decrypter.decrypt(compact) }
            #expect(throws: error, "\(json)") { try decrypter.decrypt(json: json) }
            #expect(source.asked == (error == unavailable ? 2 : 0), "\(compact)")
            #expect(error.isRetryable == (error == unavailable))
            // With the keys, a malformed token has the same error.
            if error != unavailable {
                source.set(KeySet(key))
                #expect(throws: error, "\(compact)") { try decrypter.decrypt(compact) }
                #expect(throws: error, "\(json)") { try decrypter.decrypt(json: json) }
            }
        }
    }

    @Test("a verification in any form asks the source for its keys once")
    func oneSnapshot() throws {
        let both = KeySet([.publicKey(old.publicKey), .publicKey(new.publicKey)])
        let source = ChangingKeys(KeySet(old.publicKey))
        let verifier = try JWSVerifier(keys: source, policy: policy)
        func questions(_ verify: () throws -> Void) rethrows -> Int {
            let before = source.asked
            try verify()
            return source.asked - before
        }
        let compact = try token(old)
        // The header is new at first, then cached, then cached under keys that the source has replaced.
        for number in 0..<5 { #expect(try questions { _ = try verifier.verify(compact) } == 1, "\(number)") }
        source.set(both)
        for number in 0..<5 { #expect(try questions { _ = try verifier.verify(compact) } == 1, "\(number)") }
        let detached = try JWSSigner(key: old, algorithm: .es256).sign(detached: "{}")
        #expect(try questions { _ = try verifier.verify(detached, detachedPayload: Array("{}".utf8)) } == 1)
        #expect(try questions { _ = try verifier.stream(detached) } == 1)
        let signers = try [old, new].map { try JSONSigner.Entry(JWSSigner(key: $0, algorithm: .es256)) }
        let json = try JSONSigner(signers).sign("{}")
        var signatures = 0
        let asked = try questions { signatures = try verifier.verify(json: json).signatures.count }
        #expect(asked == 1 && signatures == 2)
        // A rejected token asks once too, and one whose header the policy rejects does not ask.
        let unknown = try token(nameless, kid: "other")
        let askedOnce = questions { #expect(throws: JOSEError.keyNotFound) { try verifier.verify(unknown) } }
        #expect(askedOnce == 1)
        let other = try JWSSigner(key: PrivateKey.generate(.p384), algorithm: .es384).sign("{}")
        let neverAsked = questions {
            #expect(throws: JOSEError.algorithmNotAllowed(.signature)) { try verifier.verify(other) }
        }
        #expect(neverAsked == 0)
    }

    @Test("a decryption for several recipients asks the source for its keys once")
    func oneDecryptionSnapshot() throws {
        let source = ChangingKeys(KeySet(new))
        let decrypter = try JWEDecrypter(
            keys: source, policy: EncryptionPolicy(keyManagement: [.ecdhESA128KW], contentEncryption: [.a128gcm]))
        let recipients = try [old, new].map {
            try JWEEncrypter(key: $0.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm)
        }
        let json = try JSONEncrypter(recipients).encrypt("x")
        #expect(try decrypter.decrypt(json: json).index == 1)
        #expect(source.asked == 1)
    }
}
