import JOSE
import TestSupport
import Testing

@Suite("Limiter of private-key operations") struct DecryptionLimiterTests {
    private let key: PrivateKey
    private let secret: SecretKey

    init() throws {
        key = try PrivateKey.generate(.p256, keyID: "mine")
        secret = try SecretKey.generate(bits: 256, keyID: "shared")
    }

    private func policy(_ limiter: DecryptionLimiter?) -> EncryptionPolicy {
        var policy = EncryptionPolicy(
            keyManagement: [.ecdhES, .ecdhESA128KW, .dir, .a256kw, .a256gcmkw], contentEncryption: [.a256gcm])
        policy.limiter = limiter
        return policy
    }

    private func decrypter(_ limiter: DecryptionLimiter?) -> JWEDecrypter {
        JWEDecrypter(unexaminedKeys: KeySet([.privateKey(key), .symmetricKey(secret)]), policy: policy(limiter))
    }

    private func token(_ algorithm: KeyManagementAlgorithm = .ecdhES, keyID: String? = nil) throws -> String {
        let isSecret = [.dir, .a256kw, .a256gcmkw].contains(algorithm)
        var header = HeaderParameters()
        header.keyID = keyID
        let encrypter =
            isSecret
            ? try JWEEncrypter(key: secret, keyManagement: algorithm, contentEncryption: .a256gcm, header: header)
            : try JWEEncrypter(
                key: key.publicKey, keyManagement: algorithm, contentEncryption: .a256gcm, header: header)
        return try encrypter.encrypt("text")
    }

    private func error(_ body: () throws(JOSEError) -> some Any) -> JOSEError? {
        do throws(JOSEError) { _ = try body() } catch { return error }
        return nil
    }

    @Test("a synchronous call is rejected as overloaded while no slot is free, and decrypts once one is")
    func busy() throws {
        let limiter = DecryptionLimiter(maxConcurrent: 2, maxQueued: 8)
        let decrypter = decrypter(limiter)
        let token = try token()
        try limiter.enter()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        try limiter.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == .overloaded(.busy))
        #expect(limiter.running == 2 && limiter.rejected == 1)
        limiter.leave()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        limiter.leave()
        #expect(limiter.running == 0)
    }

    @Test("an awaited call waits for a slot if none is free; a token with another error is rejected at once")
    func awaited() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 8, timeout: .seconds(300))
        let decrypter = decrypter(limiter)
        let token = try token()
        try limiter.enter()
        await #expect(throws: JOSEError.keyNotFound) {
            try await decrypter.decrypt(self.token(keyID: "other"), timeout: .milliseconds(1))
        }
        let waiting = Task { try await decrypter.decrypt(token, timeout: .seconds(300)) }
        while limiter.queued == 0 { await Task.yield() }
        limiter.leave()
        #expect(try await waiting.value.plaintext == Array("text".utf8))
        // A call that waited does not count as rejected.
        #expect(limiter.rejected == 0 && limiter.running == 0)
    }

    @Test(
        "RSA and key agreement take a slot of the limiter; dir, AES key wrap and AES-GCM key wrap take none (RFC 7518, 4)"
    )
    func counted() throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let gated = decrypter(limiter)
        try limiter.enter()
        for algorithm in [KeyManagementAlgorithm.dir, .a256kw, .a256gcmkw] {
            let token = try token(algorithm)
            #expect(try gated.decrypt(token).plaintext == Array("text".utf8), "\(algorithm)")
        }
        for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA128KW] {
            let token = try token(algorithm)
            #expect(error { () throws(JOSEError) in try gated.decrypt(token) } == .overloaded(.busy), "\(algorithm)")
            #expect(try decrypter(nil).decrypt(token).plaintext == Array("text".utf8), "\(algorithm)")
        }
        let rsa = try PrivateKey.stored()
        var rsaPolicy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a256gcm])
        rsaPolicy.limiter = limiter
        let toRSA = try JWEEncrypter(key: rsa.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a256gcm).encrypt(
            "x")
        let rsaDecrypter = try JWEDecrypter(keys: KeySet(rsa), policy: rsaPolicy)
        #expect(error { () throws(JOSEError) in try rsaDecrypter.decrypt(toRSA) } == .overloaded(.busy))
        limiter.leave()
        #expect(try rsaDecrypter.decrypt(toRSA).plaintext == Array("x".utf8))
    }

    @Test("PBES2 takes a slot of the limiter, and too many iterations are rejected before it does (RFC 7518, 4.8)")
    func passwords() throws {
        let password = try SecretKey(bytes: Array("correct horse".utf8))
        func token(_ rounds: Int) throws -> String {
            var header = HeaderParameters()
            header.passwordIterations = rounds
            return try JWEEncrypter(
                key: password, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm, header: header
            ).encrypt("x")
        }
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        var policy = EncryptionPolicy(keyManagement: [.pbes2HS256A128KW], contentEncryption: [.a128gcm])
        policy.limits.maxPBKDF2Iterations = 2_000
        policy.limiter = limiter
        let decrypter = try JWEDecrypter(keys: KeySet(password), policy: policy)
        let (cheap, dear) = (try token(1_000), try token(3_000))
        try limiter.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(cheap) } == .overloaded(.busy))
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(dear) } == .limitExceeded(.iterations))
        limiter.leave()
        #expect(try decrypter.decrypt(cheap).plaintext == Array("x".utf8))
    }

    @Test("checks that need no key report their own errors even if no slot is free")
    func cheapFirst() throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let decrypter = decrypter(limiter)
        let good = try token()
        let parts = good.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        try limiter.enter()
        let cases: [(String, JOSEError)] = [
            (parts[0...3].joined(separator: "."), .malformed(ParseFailure(.token, .parts))),
            (
                ([parts[0], parts[1], parts[2], parts[3] + "=", parts[4]]).joined(separator: "."),
                .malformed(ParseFailure(.ciphertext, .base64URL))
            ),
            ((["e30"] + parts[1...]).joined(separator: "."), .headerInvalid(.algorithmMissing)),
            (String(repeating: "a", count: 300_000), .limitExceeded(.tokenBytes)),
            (try token(keyID: "another"), .keyNotFound),
        ]
        for (token, wanted) in cases {
            #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == wanted)
        }
        #expect(limiter.rejected == 0)
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(good) } == .overloaded(.busy))
        limiter.leave()
        #expect(try decrypter.decrypt(good).plaintext == Array("text".utf8))
    }

    @Test("a slot is released however the decryption ends")
    func errors() throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let good = try token()
        let decrypter = decrypter(limiter)
        let other = try PrivateKey.generate(.p256, keyID: "mine")
        let stranger = try JWEDecrypter(keys: KeySet(other), policy: policy(limiter))
        let curve = try PrivateKey.generate(.p384, keyID: "mine")
        let elsewhere = try JWEDecrypter(keys: KeySet(curve), policy: policy(limiter))
        let short = {
            var policy = policy(limiter)
            policy.limits.plaintextBytes = 2
            return JWEDecrypter(unexaminedKeys: KeySet(key), policy: policy)
        }()
        for _ in 0..<3 {
            #expect(error { () throws(JOSEError) in try stranger.decrypt(good) } == .decryptionFailed)
            #expect(error { () throws(JOSEError) in try elsewhere.decrypt(good) } == .headerInvalid(.ephemeralKey))
            #expect(error { () throws(JOSEError) in try short.decrypt(good) } == .limitExceeded(.plaintextBytes))
            #expect(limiter.running == 0)
            #expect(try decrypter.decrypt(good).plaintext == Array("text".utf8))
        }
        #expect(limiter.rejected == 0)
    }

    @Test("an overload ends the decryption of a JSON serialization, and is the error that is reported (RFC 7516, 7.2)")
    func json() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 1)
        let other = try PrivateKey.generate(.p256, keyID: "other")
        let recipients = try [key, other].map {
            try JWEEncrypter(key: $0.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a256gcm)
        }
        let plaintext = Array("text".utf8)
        let token = try JSONEncrypter(recipients).encrypt(plaintext.span)
        let decrypter = decrypter(limiter)
        let patient = try JWEDecrypter(keys: KeySet(key), policy: policy(limiter))
        try limiter.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(json: token) } == .overloaded(.busy))
        async let opened = patient.decrypt(json: token, timeout: .ample)
        try await until { limiter.queued == 1 }
        limiter.leave()
        #expect(try await opened.plaintext == Array("text".utf8))
        #expect(try decrypter.decrypt(json: token).plaintext == Array("text".utf8))
        #expect(limiter.running == 0)
    }

    @Test("an overload does not report a missing key, nor the use of a key")
    func sources() throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let source = ChangingKeys(KeySet(key))
        let decrypter = try JWEDecrypter(keys: source, policy: policy(limiter))
        let token = try token()
        try limiter.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == .overloaded(.busy))
        #expect(source.missing.isEmpty && source.used.isEmpty)
        limiter.leave()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        #expect(source.missing.isEmpty && source.used == ["mine"])
    }
}
