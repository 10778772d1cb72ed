import JOSE
import TestSupport
import Testing

@Suite("Bounds on private-key work") struct GateTests {
    private let key: PrivateKey
    private let secret: SymmetricKey

    init() throws {
        key = try PrivateKey.generate(.p256, keyID: "mine")
        secret = try SymmetricKey.generate(bits: 256, keyID: "shared")
    }

    private func policy(_ gate: DecryptionGate?) -> EncryptionPolicy {
        var policy = EncryptionPolicy(
            keyManagement: [.ecdhES, .ecdhESA128KW, .dir, .a256kw, .a256gcmkw], contentEncryption: [.a256gcm])
        policy.gate = gate
        return policy
    }

    private func decrypter(_ gate: DecryptionGate?) -> Decrypter {
        Decrypter(keys: KeySet([.privateKey(key), .symmetricKey(secret)]), policy: policy(gate))
    }

    private func token(_ algorithm: KeyManagementAlgorithm = .ecdhES, keyID: String? = nil) throws -> String {
        let isSecret = [.dir, .a256kw, .a256gcmkw].contains(algorithm)
        var header = HeaderParameters()
        header.keyID = keyID
        let encrypter =
            isSecret
            ? try Encrypter(key: secret, keyManagement: algorithm, contentEncryption: .a256gcm, header: header)
            : try Encrypter(key: key.publicKey, keyManagement: algorithm, contentEncryption: .a256gcm, header: header)
        return try encrypter.encrypt("text")
    }

    private func error(_ body: () throws(JOSEError) -> some Any) -> JOSEError? {
        do throws(JOSEError) { _ = try body() } catch { return error }
        return nil
    }

    @Test("a call that may not wait is refused as overloaded where no place is free, and decrypts once one is")
    func busy() throws {
        let gate = DecryptionGate(concurrent: 2, queued: 8)
        let decrypter = decrypter(gate)
        let token = try token()
        try gate.enter()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        try gate.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == .overloaded(.busy))
        #expect(gate.running == 2 && gate.refused == 1)
        gate.leave()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        gate.leave()
        #expect(gate.running == 0)
    }

    @Test(
        "key agreement and RSA are counted; dir, AES key wrap and AES-GCM key wrap cost no more than a MAC, RFC 7518, 4"
    )
    func counted() throws {
        let gate = DecryptionGate(concurrent: 1, queued: 0)
        let gated = decrypter(gate)
        try gate.enter()
        for algorithm in [KeyManagementAlgorithm.dir, .a256kw, .a256gcmkw] {
            let token = try token(algorithm)
            #expect(try gated.decrypt(token).plaintext == Array("text".utf8), "\(algorithm)")
        }
        for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA128KW] {
            let token = try token(algorithm)
            #expect(error { () throws(JOSEError) in try gated.decrypt(token) } == .overloaded(.busy), "\(algorithm)")
            #expect(try decrypter(nil).decrypt(token).plaintext == Array("text".utf8), "\(algorithm)")
        }
        let rsa = try PrivateKey.generate(.rsa(bits: 2048))
        var rsaPolicy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a256gcm])
        rsaPolicy.gate = gate
        let toRSA = try Encrypter(key: rsa.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a256gcm).encrypt("x")
        let rsaDecrypter = Decrypter(keys: KeySet(rsa), policy: rsaPolicy)
        #expect(error { () throws(JOSEError) in try rsaDecrypter.decrypt(toRSA) } == .overloaded(.busy))
        gate.leave()
        #expect(try rsaDecrypter.decrypt(toRSA).plaintext == Array("x".utf8))
    }

    @Test("a password's rounds are counted, and too many of them refused before the gate, RFC 7518, 4.8")
    func passwords() throws {
        let password = try SymmetricKey(bytes: Array("correct horse".utf8))
        func token(_ rounds: Int) throws -> String {
            var header = HeaderParameters()
            header.passwordIterations = rounds
            return try Encrypter(
                key: password, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm, header: header
            ).encrypt("x")
        }
        let gate = DecryptionGate(concurrent: 1, queued: 0)
        var policy = EncryptionPolicy(keyManagement: [.pbes2HS256A128KW], contentEncryption: [.a128gcm])
        policy.limits.iterationCap = 2_000
        policy.gate = gate
        let decrypter = Decrypter(keys: KeySet(password), policy: policy)
        let (cheap, dear) = (try token(1_000), try token(3_000))
        try gate.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(cheap) } == .overloaded(.busy))
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(dear) } == .limitExceeded(.iterations))
        gate.leave()
        #expect(try decrypter.decrypt(cheap).plaintext == Array("x".utf8))
    }

    @Test("what needs no key's work is refused for its own reason while no place is free")
    func cheapFirst() throws {
        let gate = DecryptionGate(concurrent: 1, queued: 0)
        let decrypter = decrypter(gate)
        let good = try token()
        let parts = good.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        try gate.enter()
        let cases: [(String, JOSEError)] = [
            (parts[0...3].joined(separator: "."), .malformed(Malformation(.token, .parts))),
            (
                ([parts[0], parts[1], parts[2], parts[3] + "=", parts[4]]).joined(separator: "."),
                .malformed(Malformation(.ciphertext, .base64URL))
            ),
            ((["e30"] + parts[1...]).joined(separator: "."), .headerInvalid(.algorithmMissing)),
            (String(repeating: "a", count: 300_000), .limitExceeded(.tokenBytes)),
            (try token(keyID: "another"), .keyNotFound),
        ]
        for (token, wanted) in cases {
            #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == wanted)
        }
        #expect(gate.refused == 0)
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(good) } == .overloaded(.busy))
        gate.leave()
        #expect(try decrypter.decrypt(good).plaintext == Array("text".utf8))
    }

    @Test("no place is lost: whatever a decryption ends with, it is given back")
    func errors() throws {
        let gate = DecryptionGate(concurrent: 1, queued: 0)
        let good = try token()
        let decrypter = decrypter(gate)
        let other = try PrivateKey.generate(.p256, keyID: "mine")
        let stranger = Decrypter(keys: KeySet(other), policy: policy(gate))
        let curve = try PrivateKey.generate(.p384, keyID: "mine")
        let elsewhere = Decrypter(keys: KeySet(curve), policy: policy(gate))
        let short = {
            var policy = policy(gate)
            policy.limits.plaintextBytes = 2
            return Decrypter(keys: KeySet(key), policy: policy)
        }()
        for _ in 0..<3 {
            #expect(error { () throws(JOSEError) in try stranger.decrypt(good) } == .decryptionFailed)
            #expect(error { () throws(JOSEError) in try elsewhere.decrypt(good) } == .headerInvalid(.ephemeralKey))
            #expect(error { () throws(JOSEError) in try short.decrypt(good) } == .limitExceeded(.plaintextBytes))
            #expect(gate.running == 0)
            #expect(try decrypter.decrypt(good).plaintext == Array("text".utf8))
        }
        #expect(gate.refused == 0)
    }

    @Test("in JSON an overload ends the reading: the token was not judged, RFC 7516, 7.2")
    func json() async throws {
        let gate = DecryptionGate(concurrent: 1, queued: 1)
        let other = try PrivateKey.generate(.p256, keyID: "other")
        let recipients = try [key, other].map {
            try Encrypter(key: $0.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a256gcm)
        }
        let plaintext = Array("text".utf8)
        let token = try JSONEncrypter(recipients).encrypt(plaintext.span)
        let decrypter = decrypter(gate)
        let patient = AsyncDecrypter(keys: KeySet(key), external: [], policy: policy(gate))
        try gate.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(json: token) } == .overloaded(.busy))
        async let opened = patient.decrypt(json: token)
        try await until { gate.waiting == 1 }
        gate.leave()
        #expect(try await opened.plaintext == Array("text".utf8))
        #expect(try decrypter.decrypt(json: token).plaintext == Array("text".utf8))
        #expect(gate.running == 0)
    }

    @Test("that there is a crowd is not reported as a missing key, and the key's use only once it was used")
    func sources() throws {
        let gate = DecryptionGate(concurrent: 1, queued: 0)
        let source = ChangingKeys(KeySet(key))
        let decrypter = Decrypter(keys: source, policy: policy(gate))
        let token = try token()
        try gate.enter()
        #expect(error { () throws(JOSEError) in try decrypter.decrypt(token) } == .overloaded(.busy))
        #expect(source.missing.isEmpty && source.used.isEmpty)
        gate.leave()
        #expect(try decrypter.decrypt(token).plaintext == Array("text".utf8))
        #expect(source.missing.isEmpty && source.used == ["mine"])
    }
}
